import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { failureLine, loadGate } from "../../plugin/src/native.runtime.ts";

const dir = mkdtempSync(join(tmpdir(), "callosum-native-"));
after(() => rmSync(dir, { recursive: true }));
const options = { config: "{}", runtime: "openclaw", hostName: "host", hostStateDir: "/nowhere" };

test("a missing binding is an answer, with what to do", () => {
  const loaded = loadGate(options, join(dir, "binding.js"));
  assert.ok(!loaded.ok);
  assert.match(loaded.failure.cause, /Cannot find module/);
  assert.match(loaded.failure.remedy.join(" "), /Install the plugin again/);
});

test("of all that the generated loader says, the reason is told, with this machine and what fits it", () => {
  const folder = join(dir, "native");
  mkdirSync(folder);
  const binding = join(folder, "binding.cjs");
  writeFileSync(
    binding,
    `const last = new Error("./callosum.node: GLIBC_2.99 not found\\nRequire stack:");
     const package_ = new Error("Cannot find module 'callosum-linux-x64-gnu'", { cause: last });
     const wasi = new Error("Cannot find module './callosum.wasi.cjs'", { cause: package_ });
     throw new Error("Cannot find native binding. npm has a bug", { cause: wasi });`,
  );
  const loaded = loadGate(options, binding);
  assert.ok(!loaded.ok);
  assert.equal(
    loaded.failure.cause,
    `./callosum.node: GLIBC_2.99 not found (Node ${process.version} on ${process.platform}-${process.arch})`,
  );
  assert.match(loaded.failure.remedy[0] ?? "", /has no addon for/);

  writeFileSync(join(folder, `callosum.${process.platform}-${process.arch}-gnu.node`), "");
  const again = loadGate(options, binding);
  assert.ok(!again.ok);
  assert.match(again.failure.remedy[0] ?? "", /another C library/);

  const line = failureLine(again.failure, false);
  assert.match(line, /NO tool call is checked.* 1\. .* 2\. /);
  assert.ok(!line.includes("\n"));
  assert.match(failureLine(again.failure, true), /every tool call is refused/);
});

test("a binding without a gate is a failure too", () => {
  const binding = join(dir, "empty.cjs");
  writeFileSync(binding, "module.exports = {};");
  assert.equal(loadGate(options, binding).ok, false);
});
