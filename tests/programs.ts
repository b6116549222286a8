// The native programs of this workspace that tests start. `npm test` and `npm run torture` build them before the first test.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the program `name` lies. */
export function built(name: "callosum" | "callosum-serve" | "make-certificate" | "make-journal" | "racer"): string {
  const program = fileURLToPath(new URL(`../target/release/${name}`, import.meta.url));
  assert.ok(existsSync(program), `${program} is not built: \`cargo build --release\` builds it`);
  return program;
}
