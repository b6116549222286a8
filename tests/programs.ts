// The native programs of this workspace that tests start. `npm test` and `npm run torture` build them before the first test.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The product's, as they are shipped. */
type Shipped = "callosum" | "callosum-serve";
/** What only tests start: compiled as tests are. */
export const FOR_TESTS = ["make-certificate", "make-journal", "racer"] as const;

/** Where the program `name` lies. */
export function built(name: Shipped | (typeof FOR_TESTS)[number]): string {
  const isForTests = FOR_TESTS.some((other) => other === name);
  const program = fileURLToPath(new URL(`../target/${isForTests ? "debug" : "release"}/${name}`, import.meta.url));
  assert.ok(existsSync(program), `${program} is not built: \`npm test\` builds it before the first test`);
  return program;
}
