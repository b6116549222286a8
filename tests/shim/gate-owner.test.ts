import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bench } from "./fakes.ts";

test("nothing is loaded before the first use, and then once", async () => {
  const { owner, loads } = bench();
  assert.equal(loads(), 0);
  owner.open();
  owner.open();
  assert.equal(loads(), 1);
  await owner.dispose();
});

test("every five seconds the gate is looked after and its notices are logged by level", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { gate, logger, owner } = bench();
  owner.open();
  gate.pendingNotices.push({ level: "error", text: "e" }, { level: "warn", text: "w" }, { level: "info", text: "i" });
  t.mock.timers.tick(5_000);
  await sleep(1);
  assert.deepEqual(gate.methods, ["maintain"]);
  assert.deepEqual(logger.lines, ["error callosum: e", "warn callosum: w", "info callosum: i"]);
  await owner.dispose();
  t.mock.timers.tick(20_000);
  assert.deepEqual(gate.methods, ["maintain", "close"]);
});

test("queued lines are written soon, once for many requests", async () => {
  const { gate, owner } = bench();
  const open = owner.open();
  assert.ok(open);
  for (let i = 0; i < 5; i += 1) owner.followUp(open, { maintain: true });
  await sleep(120);
  assert.deepEqual(gate.methods, ["maintain"]);
  await owner.dispose();
});

test("while the gate is looked after it is not asked again", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { gate, owner } = bench();
  const open = owner.open();
  assert.ok(open);
  let finish = () => {};
  gate.maintained = new Promise((resolve) => {
    finish = resolve;
  });
  t.mock.timers.tick(5_000);
  t.mock.timers.tick(5_000);
  owner.followUp(open, { maintain: true });
  await sleep(120);
  assert.deepEqual(gate.methods, ["maintain"]);
  finish();
  await sleep(1);
  t.mock.timers.tick(5_000);
  assert.deepEqual(gate.methods, ["maintain", "maintain"]);
  await owner.dispose();
});

test("a look goes to the gate that the hooks go to, also in another instance, while that is open", async () => {
  const hooks = bench();
  const methods = bench();
  assert.equal(methods.owner.lookAt(), methods.gate);
  hooks.owner.open();
  assert.equal(methods.owner.lookAt(), hooks.gate);
  await hooks.owner.dispose();
  assert.equal(methods.owner.lookAt(), methods.gate);
  await methods.owner.dispose();
  assert.equal(methods.owner.lookAt(), undefined);
});

test("disposal waits for work under way, then closes, then logs what is left to say", async () => {
  const { gate, logger, owner } = bench();
  const open = owner.open();
  assert.ok(open);
  let finish = (_: null) => {};
  gate.finished = new Promise((resolve) => {
    finish = resolve;
  });
  owner.followUp(open, { ticket: 1 });
  gate.pendingNotices.push({ level: "info", text: "bye" });
  const disposed = owner.dispose();
  await sleep(20);
  assert.deepEqual(gate.methods, ["finish"]);
  finish(null);
  await disposed;
  assert.deepEqual(gate.methods, ["finish", "close"]);
  assert.deepEqual(logger.lines, ["info callosum: bye"]);
});

test("disposal is safe twice and without an open gate", async () => {
  const { gate, owner, loads } = bench();
  await owner.dispose();
  await owner.dispose();
  assert.equal(loads(), 0);
  assert.equal(owner.open(), undefined);
  assert.deepEqual(gate.calls, []);
});
