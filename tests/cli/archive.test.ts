// What people get without a compiler: the archive, unpacked and installed with nothing but a shell, and taken away again.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { archive } from "../../scripts/archive.ts";
import { isPermissive } from "../../scripts/notices.ts";

let folder: string;
let unpacked: string;
let home: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "callosum-archive-test-"));
  const names = archive(undefined, join(folder, "archives"));
  assert.equal(names.length, 1, "one for this machine");
  const sum = createHash("sha256")
    .update(readFileSync(join(folder, "archives", names[0] as string)))
    .digest("hex");
  assert.equal(readFileSync(join(folder, "archives", "SHA256SUMS"), "utf8"), `${sum}  ${names[0]}\n`);
  execFileSync("tar", ["-xzf", join(folder, "archives", names[0] as string), "-C", folder]);
  unpacked = join(folder, (names[0] as string).replace(".tar.gz", ""));
  home = join(folder, "home");
  mkdirSync(home);
});

after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** With the programs of a bare machine: no Rust, no Node. */
function sh(script: string, ...args: string[]) {
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  const { status, stdout, stderr } = spawnSync("sh", [script, ...args], { env, encoding: "utf8", cwd: "/" });
  return { status, stdout, stderr };
}

function callosum(...args: string[]): string {
  const env = { HOME: home, PATH: `${home}/.local/bin:/usr/bin:/bin` };
  return execFileSync("callosum", args, { env, encoding: "utf8", cwd: "/" });
}

/** All paths below a folder. */
const below = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();

test("installed with a shell alone, the command, its service, its page and the extension are there", () => {
  const { status, stdout, stderr } = sh(join(unpacked, "install.sh"));
  assert.equal(status, 0, stderr);
  const { version } = JSON.parse(readFileSync(join(unpacked, "openclaw.plugin.json"), "utf8")) as { version: string };
  assert.equal(callosum("--version").trim(), `callosum ${version}`);
  assert.match(stdout, /is not on your PATH: add it/);
  assert.equal(readlinkSync(join(home, ".local/bin/callosum")), join(home, ".local/share/callosum/bin/callosum"));
  for (const part of ["bin/callosum-serve", "page/index.html", "native/binding.js", "licenses.txt", "docs/install.md"])
    assert.ok(existsSync(join(home, ".local/share/callosum", part)), part);
  assert.match(callosum("serve", "--help"), /callosum serve/);
  // Hooks name the program where it stays, whatever it was started by.
  callosum("install", "claude-code");
  assert.match(readFileSync(join(home, ".claude/settings.json"), "utf8"), /\.local\/share\/callosum\/bin\/callosum/);
});

test("the bill of materials names all that is linked, and what the page was made of", () => {
  type Parts = { bomFormat: string; components: Array<{ "bom-ref": string; licenses: Array<{ expression: string }> }> };
  const { bomFormat, components } = JSON.parse(readFileSync(join(unpacked, "sbom.cdx.json"), "utf8")) as Parts;
  assert.equal(bomFormat, "CycloneDX");
  const named = components.map((part) => part["bom-ref"]);
  assert.equal(new Set(named).size, named.length, "each once");
  const notices = readFileSync(join(unpacked, "licenses.txt"), "utf8");
  const inNotices = (part: string) => notices.includes(`\n${part.replace("pkg:cargo/", "").replace("@", " ")} (`);
  const crates = named.filter((part) => part.startsWith("pkg:cargo/"));
  assert.ok(crates.length > 100 && crates.every(inNotices), crates.filter((part) => !inNotices(part)).join(" "));
  assert.ok(named.some((part) => /^pkg:npm\/react@\d/.test(part)) && named.some((part) => part.startsWith("pkg:npm/%40")));
  for (const { licenses } of components) assert.ok(licenses.every(({ expression }) => isPermissive(expression)));
});

test("a second one replaces the first, and leaves nothing of it", () => {
  writeFileSync(join(home, ".local/share/callosum/docs/of-an-older-version.md"), "");
  const { status, stderr } = sh(join(unpacked, "install.sh"));
  assert.equal(status, 0, stderr);
  assert.deepEqual(below(join(home, ".local/share/callosum")), below(unpacked));
  // And so does one from where it is kept.
  assert.equal(sh(join(home, ".local/share/callosum/install.sh")).status, 0);
  assert.deepEqual(below(join(home, ".local/share/callosum")), below(unpacked));
});

test("taken away, nothing is left of it but what others were told", () => {
  callosum("uninstall", "claude-code");
  const { status, stdout } = sh(join(home, ".local/share/callosum/install.sh"), "--uninstall");
  assert.equal(status, 0);
  assert.match(stdout, /the journal, were not touched/);
  assert.deepEqual(below(join(home, ".local")), ["bin", "share"]);
  assert.equal(sh(join(unpacked, "install.sh"), "--uninstall").status, 0, "a second time there is nothing to do");
});

test("what is somebody else's is left alone", () => {
  const bin = join(home, ".local/bin");
  writeFileSync(join(bin, "callosum"), "another program");
  let refused = sh(join(unpacked, "install.sh"));
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /bin\/callosum is there and is none of ours/);
  assert.equal(existsSync(join(home, ".local/share/callosum")), false, "nothing was begun");
  assert.equal(sh(join(unpacked, "install.sh"), "--uninstall").status, 0);
  assert.equal(readFileSync(join(bin, "callosum"), "utf8"), "another program");
  rmSync(join(bin, "callosum"));
  symlinkSync("/nowhere/callosum", join(bin, "callosum"));
  assert.equal(sh(join(unpacked, "install.sh")).status, 1, "a link to elsewhere, too");
  rmSync(join(bin, "callosum"));
  mkdirSync(join(home, "notes"));
  writeFileSync(join(home, "notes/a.md"), "mine");
  for (const args of [["--prefix", join(home, "notes")], ["--prefix", "notes"], ["--prefix"], ["--bin", "here"]]) {
    refused = sh(join(unpacked, "install.sh"), ...args);
    assert.equal(refused.status, 1, args.join(" "));
    assert.match(refused.stderr, /choose another folder|needs an absolute path|needs a folder/);
  }
  assert.equal(sh(join(unpacked, "install.sh"), "--uninstall", "--prefix", join(home, "notes")).status, 0);
  assert.equal(readFileSync(join(home, "notes/a.md"), "utf8"), "mine");
  assert.equal(sh(join(unpacked, "install.sh"), "--nonsense").status, 2);
});
