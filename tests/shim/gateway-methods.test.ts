import assert from "node:assert/strict";
import { test } from "node:test";
import { journal, status } from "../../plugin/src/gateway-methods.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

test("status is what the core says", async () => {
  const { gate, owner } = bench();
  gate.statusText = '{"instanceId":"i","ruleCount":3}';
  assert.deepEqual(await status(owner, "1.2.3"), { ok: true, payload: { instanceId: "i", ruleCount: 3 } });
});

test("without the addon the status says so, with the cause and the remedy", async () => {
  const { owner } = bench({ loaded: NOT_LOADED });
  assert.deepEqual(await status(owner, "1.2.3"), {
    ok: true,
    payload: {
      version: "1.2.3",
      degraded: { code: "addon-not-loaded", cause: "no such file", remedy: "Build it. Reload.", since: "2026-01-31T09:00:00Z" },
    },
  });
});

test("a failure in the core crosses as an error of the method", async () => {
  const { gate, owner } = bench();
  gate.statusText = '{"error":{"code":"degraded","message":"the disk is full"}}';
  assert.deepEqual(await status(owner, "1"), {
    ok: false,
    error: { code: "UNAVAILABLE", message: "callosum: the disk is full" },
  });
  gate.statusText = "not JSON";
  assert.equal((await status(owner, "1")).ok, false);
});

test("the journal's filters cross as JSON", async () => {
  const { gate, owner } = bench();
  const filter = {
    limit: 5,
    key: "email:a",
    session: "s",
    tool: "exec",
    tier: 3,
    action: "blocked",
    since: "2026-01-31T09:00:00Z",
  };
  assert.deepEqual(await journal(owner, filter), { ok: true, payload: { entries: [] } });
  assert.deepEqual(JSON.parse(String(gate.calls[0]?.args[0])), filter);
  assert.equal((await journal(owner, undefined)).ok, true);
});

test("wrong parameters are named", async () => {
  const { gate, owner } = bench();
  const wrong: Array<[unknown, RegExp]> = [
    [{ limit: 0 }, /`limit` must be a whole number from 1 to 1000/],
    [{ limit: 1001 }, /`limit`/],
    [{ limit: "5" }, /`limit`/],
    [{ limit: 1.5 }, /`limit`/],
    [{ tier: 5 }, /`tier` must be a whole number from 0 to 4/],
    [{ key: "" }, /`key` must be a text/],
    [{ key: "x".repeat(2000) }, /`key`/],
    [{ session: {} }, /`session`/],
    [{ colour: "red" }, /no parameter is called `colour`/],
    [{ toString: 1 }, /no parameter is called `toString`/],
    [[], /must be an object/],
    ["x", /must be an object/],
  ];
  for (const [params, expected] of wrong) {
    const answer = await journal(owner, params);
    assert.equal(answer.ok, false);
    assert.equal(answer.error.code, "INVALID_REQUEST");
    assert.match(answer.error.message, expected);
  }
  assert.deepEqual(gate.calls, []);
});

test("without the addon the journal is unavailable", async () => {
  const { owner } = bench({ loaded: NOT_LOADED });
  assert.deepEqual(await journal(owner, {}), { ok: false, error: { code: "UNAVAILABLE", message: "callosum: no such file" } });
});
