// tiers.json is edited while the gateway runs: the next call goes by it; a bad edit changes nothing but what the operator is told.

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exec, until } from "../harness/world.ts";
import { world } from "./shared.ts";

const file = join(world.stateDir, "tiers.json");

/** Rules under which a deployment is guarded. */
const deploy = (more = "") => `{
  "extends": "default",
  "rules": [
    { "name": "roll-out", "tier": 3, "tool": "exec", "commandPattern": "^echo roll-out", "contextKey": "roll-out" }${more}
  ]
}`;
let texts = 0;
const rollOut = () => {
  texts += 1;
  return exec(`echo roll-out ${texts}`);
};

/** Whether a session after another one is paused for the roll-out: a new pair each time, so that no earlier pause is answered. */
async function isGuarded(name: string): Promise<boolean> {
  await world.play(`${name}-a`, rollOut());
  const [told] = await world.play(`${name}-b`, rollOut());
  return told?.startsWith("[Callosum] ") === true;
}
const rules = async () => (await world.gateway.rpc<{ rules: { source: string; error?: string } }>("callosum.status")).rules;
const logged = (pattern: RegExp) => until(`${pattern} in the log`, () => pattern.test(world.gateway.log()), 15_000);

test("a new file holds from the next call on, and is named in status and log", async () => {
  // Without that of the other files the shipped rules hold.
  rmSync(file);
  assert.equal(await isGuarded("none"), false);
  assert.match((await rules()).source, /dist\/callosum\/tiers\.json$/);
  writeFileSync(file, deploy());
  // A hook waits a few milliseconds for the file at the most: on a machine that is busy with others the next call may come too early.
  assert.ok((await isGuarded("new")) || (await isGuarded("newer")));
  assert.deepEqual({ ...(await rules()), loadedAt: undefined }, { source: file, loadedAt: undefined });
  await logged(new RegExp(`rules in force, from ${file}`));
});

test("a bad edit keeps the last good rules, and status and log say where it is wrong", async () => {
  writeFileSync(file, deploy(`,\n    { "name": "half-done", "tier": 3, "tool": "exec", "commandPattern": "(unclosed" }`));
  assert.equal(await isGuarded("bad"), true);
  const { error } = await rules();
  assert.match(error ?? "", /line 5/);
  assert.match(error ?? "", /column \d+/);
  assert.match(error ?? "", /half-done/);
  assert.ok(error?.includes(file), error);
  await logged(/rules not loaded, the last good ones stay in force: .*line 5.*half-done/);

  writeFileSync(file, '{ "rules": [');
  assert.equal(await isGuarded("torn"), true);
  assert.match((await rules()).error ?? "", /line 1/);
  // Said once for each edit, not for each call.
  const before = world.gateway.log().split("rules not loaded").length;
  assert.equal(await isGuarded("torn-again"), true);
  assert.equal(world.gateway.log().split("rules not loaded").length, before);
});

test("a file that is too large, or no file: likewise", async () => {
  writeFileSync(file, deploy() + " ".repeat(4 * 1024 * 1024));
  assert.equal(await isGuarded("huge"), true);
  assert.match((await rules()).error ?? "", /larger than 4 MiB/);
  await logged(/larger than 4 MiB/);

  // At once: for a moment without a file, the shipped rules would hold.
  mkdirSync(`${file}.folder`);
  symlinkSync(`${file}.folder`, `${file}.new`);
  renameSync(`${file}.new`, file);
  assert.equal(await isGuarded("folder"), true);
  assert.match((await rules()).error ?? "", /is not a regular file/);
  await logged(/is not a regular file/);
});

test("good again: it holds from the next call on, and nothing is complained about", async () => {
  // As editors do it: written beside, and renamed.
  writeFileSync(`${file}.new`, deploy().replace('"tier": 3', '"tier": 1'));
  renameSync(`${file}.new`, file);
  assert.equal(await isGuarded("harmless"), false);
  assert.equal((await rules()).error, undefined);
});

test("a file that goes makes way for the shipped rules", async () => {
  writeFileSync(file, deploy());
  assert.equal(await isGuarded("again"), true);
  rmSync(file);
  assert.equal(await isGuarded("gone"), false);
  const { source, error } = await rules();
  assert.match(source, /dist\/callosum\/tiers\.json$/);
  assert.equal(error, undefined);
});
