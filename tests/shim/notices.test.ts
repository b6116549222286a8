// What goes along with the native parts: the licences of all that is linked into them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { searchPath } from "../../scripts/cargo.mjs";
import { type Crate, isPermissive, linked, type Metadata, noticeOf, textOf, writeNotices } from "../../scripts/notices.ts";
import { ROOT } from "../../scripts/run.ts";

const scratch = mkdtempSync(join(tmpdir(), "callosum-notices-"));
after(() => rmSync(scratch, { recursive: true }));

/** A crate with these files. */
function crate(name: string, license: string | null, files: Record<string, string>): Crate {
  const folder = join(scratch, `${name}-${Object.keys(files).length}`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const manifest_path = join(folder, "Cargo.toml");
  return { id: name, name, version: "1.0.0", license, license_file: null, manifest_path, source: "registry", targets: [] };
}

test("every crate that cargo links is named, and none without a text", () => {
  const file = join(scratch, "licenses.txt");
  writeNotices(file);
  const text = readFileSync(file, "utf8");
  // Cargo's own account, by another command.
  const args = ["tree", "--locked", "--prefix", "none", "--format", "{p}"];
  const programs = [
    "--edges",
    "normal,no-proc-macro",
    ...["node", "cli", "server"].flatMap((name) => ["-p", `callosum-${name}`]),
  ];
  const env = { ...process.env, PATH: searchPath() };
  const tree = execFileSync("cargo", [...args, ...programs], { cwd: ROOT, env, encoding: "utf8" });
  const crates = new Set([...tree.matchAll(/^(\S+) v(\S+)(?! \(\/)/gm)].map(([, name, version]) => `${name} ${version}`));
  assert.ok(crates.size > 100);
  const missing = [...crates].filter((name) => !name.startsWith("callosum-") && !text.includes(`\n${name} (`));
  assert.deepEqual(missing, []);
  assert.match(text, /\nThe Rust standard library \(MIT OR Apache-2\.0\)\n/);
  assert.match(text, /Copyright \(c\) 2020 LongYinan/);
  // Not once for each crate: nearly all have it, in a few wordings.
  assert.ok(text.split("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION").length < 30);
});

test("a crate under a licence that nobody looked at, or without its text, stops the build", () => {
  const mit = { "LICENSE-MIT": "the text" };
  assert.deepEqual(noticeOf(crate("fine", "MIT", mit)), { name: "fine 1.0.0", license: "MIT", texts: ["the text"] });
  for (const license of ["GPL-3.0-only", "MIT AND AGPL-3.0-only", "", null])
    assert.throws(() => noticeOf(crate("odd", license, mit)), /odd 1\.0\.0.* is none that/s, String(license));
  assert.throws(() => noticeOf(crate("bare", "MIT", { "README.md": "MIT" })), /bare 1\.0\.0.*without a licence text/s);
  assert.throws(() => noticeOf(crate("blank", "MIT", { LICENSE: " \n" })), /without a licence text/);
  // The table is for those that have none.
  assert.throws(() => noticeOf(crate("napi", "MIT", mit)), /has a licence text now/);
});

test("of a choice of licences one has to be known, of several that hold together all", () => {
  const fine = ["MIT", "MIT/Apache-2.0", "GPL-2.0 OR MIT", "(MIT OR GPL-3.0-only) AND Unicode-3.0"];
  const wrong = ["GPL-2.0", "MIT AND GPL-2.0", "(MIT", "MIT)", "MIT OR", "MIT WITH odd-exception", "AND MIT", "MIT Zlib"];
  for (const expression of [...fine, "Apache-2.0 WITH LLVM-exception OR MIT"]) assert.ok(isPermissive(expression), expression);
  for (const expression of wrong) assert.ok(!isPermissive(expression), expression);
});

test("what builds, tests or only runs in the compiler is not linked", () => {
  const packages = ["callosum-node", "callosum-cli", "callosum-server", "used", "deep", "build", "macro", "beneath"].map(
    (name) => ({
      ...crate(name, "MIT", {}),
      source: name.startsWith("callosum-") ? null : "registry",
      targets: [{ kind: [name === "macro" ? "proc-macro" : "lib"] }],
    }),
  );
  const edge = (pkg: string, kind: string | null) => ({ pkg, dep_kinds: [{ kind }] });
  const deps: Record<string, ReturnType<typeof edge>[]> = {
    "callosum-node": [edge("used", null), edge("build", "build")],
    "callosum-cli": [edge("used", null), edge("macro", null)],
    used: [edge("deep", null), edge("used", "dev")],
    macro: [edge("beneath", null)],
  };
  const nodes = packages.map(({ id }) => ({ id, deps: deps[id] ?? [] }));
  const found = linked({ packages, resolve: { nodes } } satisfies Metadata);
  assert.deepEqual(
    found.map(({ name }) => name),
    ["deep", "used"],
  );
});

test("a text that many have stands once, with all whose it is", () => {
  const text = textOf([
    { name: "a 1", license: "MIT", texts: ["One  text,\nbroken so.\n"] },
    { name: "b 2", license: "ISC", texts: ["One text, broken\nso.", "Another."] },
  ]);
  assert.equal(text.match(/One/g)?.length, 1);
  assert.match(text, /a 1 \(MIT\)\nb 2 \(ISC\)\n-+\n\nOne/);
  assert.match(text, /b 2 \(ISC\)\n-+\n\nAnother\./);
});
