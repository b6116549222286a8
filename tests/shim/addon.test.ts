// The real addon, without a host.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadGate, type NativeGate } from "../../plugin/src/native.runtime.ts";

const dir = mkdtempSync(join(tmpdir(), "callosum-addon-"));
const tiers = new URL("../../tiers.json", import.meta.url).pathname;
after(() => rmSync(dir, { recursive: true, force: true }));

function gateOn(stateDir: string, config: Record<string, unknown> = {}): NativeGate {
  const text = JSON.stringify({ stateDir, ...config });
  const loaded = loadGate({ config: text, runtime: "openclaw", hostName: "host", hostStateDir: dir, packagedTiers: tiers });
  assert.ok(loaded.ok, loaded.ok ? "" : loaded.failure.cause);
  return loaded.gate;
}

test("nothing is touched before the first call", () => {
  const stateDir = join(dir, "untouched");
  gateOn(stateDir);
  assert.equal(existsSync(stateDir), false);
});

test("a write's content is never read: a large one costs what a small one costs", async () => {
  const gate = gateOn(join(dir, "lazy"));
  // A call before the rules are loaded may have to wait for them.
  await gate.ask("rules", "{}");
  let reads = 0;
  const params = {
    path: "notes.txt",
    get content() {
      reads += 1;
      return "x".repeat(1_000_000);
    },
  };
  assert.equal(gate.before("write", null, "main", "s", "r", "c1", "/w", params), null);
  assert.equal(reads, 0);
  gate.after("write", "main", "s", "r", "c1", params, "ok", null, null);
  assert.equal(reads, 0);
  const { entries } = JSON.parse(await gate.ask("journal", "{}")) as {
    entries: Array<{ tool?: string; contextKeys?: string[] }>;
  };
  assert.deepEqual(entries.find((entry) => entry.tool === "write")?.contextKeys, ["file:/w/notes.txt"]);
  await gate.close();
});

test("hostile parameters are an answer, never a throw", async () => {
  const gate = gateOn(join(dir, "hostile"));
  const circular: Record<string, unknown> = { command: "ls" };
  circular.self = circular;
  const gotcha = (): never => {
    throw new Error("gotcha");
  };
  const throwing = Object.defineProperty({}, "command", { get: gotcha, enumerable: true });
  const proxy = new Proxy({}, { get: gotcha, has: gotcha, ownKeys: gotcha, getOwnPropertyDescriptor: gotcha });
  const half = { command: "\ud800 ls" };
  for (const params of [undefined, null, 1, "text", [], gotcha, Symbol("s"), 10n, circular, throwing, proxy, half]) {
    const answer = gate.before("exec", null, "main", "s", "r", null, null, params);
    assert.ok(answer === null || typeof answer === "object");
    gate.after("exec", "main", "s", "r", null, params, "ok", 0, null);
  }
  await gate.close();
});

test("after closing, every method answers nothing", async () => {
  const gate = gateOn(join(dir, "closed"));
  gate.before("exec", null, "main", "s", "r", "c1", null, { command: "ls" });
  await gate.close();
  assert.equal(
    gate.before("exec", null, "main", "s", "r", "c2", null, { command: "himalaya message send --to a@example.com" }),
    null,
  );
  assert.equal(gate.after("exec", "main", "s", "r", "c2", {}, "ok", 0, null), null);
  assert.equal(gate.processEnded("a-b", "ok", 0), null);
  assert.equal(gate.resultPersisted("s", "c2"), null);
  assert.equal(gate.modelCallStarted("r"), null);
  assert.equal(gate.abandon(1), null);
  await gate.maintain();
  await gate.close();
});

test("a ticket that nobody knows is no leave to go on: what was asked may have been anything", async () => {
  const gate = gateOn(join(dir, "tickets"));
  assert.match((await gate.finish(4_000_000))?.refuse ?? "", /no longer knows this call/);
  assert.match(gate.abandon(4_000_000)?.refuse ?? "", /no longer knows this call/);
  await gate.close();
});

test("the shared context is asked for by JSON, and whatever is asked is answered", async () => {
  const stateDir = join(dir, "context");
  const sharedContextDir = join(dir, "shared");
  const off = gateOn(stateDir, { sharedContextDir });
  assert.equal(await off.context('{"do":"prompt"}'), '{"on":false}');
  assert.equal(existsSync(sharedContextDir), false);
  for (const request of ["", "{", "[]", '{"do":1}', '{"do":"call"}', '{"do":"decide","id":3}', "\0"]) {
    const { error } = JSON.parse(await off.context(request)) as { error: Record<string, unknown> };
    assert.deepEqual(Object.keys(error).sort(), ["code", "message", "remedy"], request);
  }
  await off.close();
  const on = gateOn(stateDir, { sharedContextDir, sharedContextEnabled: true });
  assert.deepEqual(JSON.parse(await on.context('{"do":"prompt","session":"s"}')), { on: true, text: null });
  const call = { do: "call", tool: "shared_priorities_append", params: { text: "Ship it" }, runtime: "openclaw", agent: "main" };
  const written = JSON.parse(await on.context(JSON.stringify(call))) as Record<string, unknown>;
  assert.deepEqual([written.agent, written.path], ["main", join(realpathSync(sharedContextDir), "priorities.inbox.md")]);
  await on.close();
});
