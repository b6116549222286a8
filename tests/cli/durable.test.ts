// Files of the service that are replaced: after a power failure either the old text or the new one is there, and once it was said to be done,
// the new one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { built } from "../programs.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "callosum-durable-")));
const stateDir = join(directory, "state");
after(() => rmSync(directory, { recursive: true, force: true }));

/** What a program does to files and to their names, in order. */
function traced(...args: string[]): string[] {
  const trace = join(directory, "trace");
  const words = ["-f", "-qq", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,rename,renameat,renameat2"];
  const program = [built("callosum-serve"), "--state-dir", stateDir, ...args];
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const { status, stderr } = spawnSync("strace", [...words, ...program], { env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return readFileSync(trace, "utf8").trimEnd().split("\n");
}

test("tokens that were made or revoked outlive a power failure", {
  skip: spawnSync("strace", ["-qq", "-o", "/dev/null", "true"]).status !== 0 && "strace can't watch processes here",
}, () => {
  const file = join(stateDir, "tokens.json");
  for (const args of [
    ["token", "add", "ci"],
    ["token", "revoke", "ci"],
  ]) {
    const steps = traced(...args);
    const first = (what: (step: string) => boolean, from = 0) => {
      const place = steps.findIndex((step, at) => at >= from && what(step));
      assert.ok(place >= 0, `${args.join(" ")}: ${steps.join("\n")}`);
      return place;
    };
    const isSynced = (name: string) => (step: string) => /f(data)?sync\(/.test(step) && step.includes(`<${name}`);
    const written = first(isSynced(`${file}.`));
    const renamed = first((step) => step.includes("rename") && step.includes(`"${file}"`), written);
    first((step) => isSynced(`${stateDir}>`)(step), renamed);
  }
});
