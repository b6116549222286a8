// Torture takes hours, and a part whose filter selects nothing would show it only then: that each selects something is seen here.

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/run.ts";

const MAIN = readFileSync(join(ROOT, "scripts/torture/main.ts"), "utf8");

/** The paths of the tests in a crate's sources, as `cargo test` has them. */
function tests(folder: string): string[] {
  return globSync("**/*.rs", { cwd: join(ROOT, folder) }).flatMap((file) => {
    const modules = file.replace(/(?:\/mod|^main|^lib)?\.rs$/, "").split("/");
    const source = readFileSync(join(ROOT, folder, file), "utf8");
    const names = source.matchAll(/#\[test\]\s+(?:#\[[^\]]*\]\s+)*fn (\w+)/g);
    return Array.from(names, ([, name = ""]) => [...modules, name].join("::"));
  });
}

test("each part of torture selects tests that are there", () => {
  const selected = Array.from(MAIN.matchAll(/\.\.\.(core|rust)\("([^"]+)"(?:, "-p", "([^"]+)", "--lib")?\)/g));
  assert.equal(selected.length, 9);
  for (const [, , filter = "", crate] of selected) {
    const folder = crate === undefined ? "crates/callosum-core/tests/it" : `crates/${crate}/src`;
    assert.ok(
      tests(folder).some((path) => path.includes(filter)),
      `${folder} has no test of the name ${filter}`,
    );
  }
  const files = Array.from(MAIN.matchAll(/"(tests\/[^"]+\.test\.ts)"/g), ([, file = ""]) => file);
  assert.equal(files.length, 10);
  for (const file of files) assert.ok(existsSync(join(ROOT, file)), file);
});
