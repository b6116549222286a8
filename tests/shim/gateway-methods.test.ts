import assert from "node:assert/strict";
import { test } from "node:test";
import { explain, journal, release, status, together, why } from "../../plugin/src/rpc/gateway-methods.ts";
import { Team } from "../../plugin/src/team/team.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

test("status is what the core says", async () => {
  const { gate, owner } = bench();
  gate.answers.status = '{"instanceId":"i","ruleCount":3}';
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
  gate.answers.status = '{"error":{"code":"degraded","message":"the disk is full"}}';
  assert.deepEqual(await status(owner, "1"), {
    ok: false,
    error: { code: "UNAVAILABLE", message: "callosum: the disk is full" },
  });
  gate.answers.status = "not JSON";
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

const nowhere = () => null;

test("why and release take a key and nothing else", async () => {
  const { gate, owner } = bench();
  gate.answers.why = '{"key":"email:a","events":[],"text":"told"}';
  assert.deepEqual(await why(owner, { key: "email:a" }), { ok: true, payload: { key: "email:a", events: [], text: "told" } });
  assert.deepEqual(await release(owner, { key: "email:a" }, null), { ok: true, payload: { key: "k", released: [] } });
  assert.deepEqual(gate.calls, [
    { method: "why", args: ['{"key":"email:a"}'] },
    { method: "release", args: ["email:a", "the gateway itself"] },
  ]);
  for (const params of [{}, undefined, { key: "" }, { key: 1 }, { key: "a", by: "somebody else" }, "email:a"]) {
    for (const answer of [await why(owner, params), await release(owner, params, null)]) {
      assert.equal(answer.ok === false && answer.error.code, "INVALID_REQUEST");
    }
  }
  assert.equal(gate.calls.length, 2);
});

test("a release is put down to whom the host has recognised, else to what the client calls itself", async () => {
  const { gate, owner } = bench();
  const client = { id: "cli", mode: "cli" };
  const profile = { displayName: "Ada" };
  const callers: Array<[Parameters<typeof release>[2], string]> = [
    [{ connect: { client } }, "cli (cli)"],
    [{ connect: { client: { ...client, displayName: "Ada's laptop" } } }, "Ada's laptop (cli)"],
    [{ connect: { client }, authenticatedUserId: "ada@example.com" }, "ada@example.com, by cli (cli)"],
    [{ connect: { client }, authenticatedUserId: "ada@example.com", authenticatedUserProfile: profile }, "Ada, by cli (cli)"],
    [{ authenticatedUserProfile: { displayName: null } }, "the gateway itself"],
  ];
  for (const [caller] of callers) await release(owner, { key: "k" }, caller);
  assert.deepEqual(
    gate.calls.map((call) => call.args[1]),
    callers.map(([, name]) => name),
  );
});

test("explain asks for a call as its agent would make it", async () => {
  const { gate, owner } = bench();
  const call = { tool: "write", params: { path: "a.txt" }, session: "s", agent: "ops" };
  const workspaceOf = (agent: string | null) => `/agents/${agent}`;
  assert.equal((await explain(owner, workspaceOf, call)).ok, true);
  assert.equal((await explain(owner, nowhere, { tool: "read", params: {} })).ok, true);
  assert.deepEqual(
    gate.calls.map(({ args }) => JSON.parse(String(args[0]))),
    [
      { ...call, cwd: "/agents/ops" },
      { tool: "read", params: {} },
    ],
  );
  for (const wrong of [{}, { tool: "exec" }, { params: {} }, { tool: "exec", params: "ls" }, { ...call, cwd: "/" }]) {
    const answer = await explain(owner, nowhere, wrong);
    assert.equal(answer.ok === false && answer.error.code, "INVALID_REQUEST");
  }
  assert.match(JSON.stringify(await explain(owner, nowhere, { tool: "exec" })), /`params` is missing: an object/);
});

test("what the core refuses crosses as an error of the method", async () => {
  const { gate, owner } = bench();
  gate.releaseText = '{"error":{"code":"disk-full","message":"the disk is full"}}';
  const error = { code: "UNAVAILABLE", message: "callosum: the disk is full" };
  assert.deepEqual(await release(owner, { key: "k" }, null), { ok: false, error });
});

test("verbs of the team are asked for by a person, and wrong parameters are named before", async () => {
  const { gate, owner } = bench();
  const team = new Team(owner, { tools: [] });
  gate.teams = ['{"tasks":[],"next":null}', '{"error":{"code":"limit","message":"10 messages were sent within a minute"}}'];
  assert.deepEqual(await together(team, "tasks", undefined), { ok: true, payload: { tasks: [], next: null } });
  const asked = { do: "ask", surface: "gateway", verb: "tasks", params: {} };
  assert.deepEqual(JSON.parse(String(gate.calls.at(-1)?.args[0])), asked);
  const refused = await together(team, "send", { to: "codex", body: "" });
  assert.match(refused.ok ? "" : refused.error.message, /10 messages/);
  const calls = gate.calls.length;
  for (const [verb, params, expected] of [
    ["tasks", { limit: 0 }, /`limit`/],
    ["task", {}, /`id` is missing/],
    ["send", { to: "codex", intent: "order" }, /`intent`/],
    ["inbox", { session: "someone" }, /no parameter is called `session`/],
  ] as const) {
    const answer = await together(team, verb, params);
    assert.match(answer.ok ? "" : answer.error.message, expected);
  }
  assert.equal(gate.calls.length, calls);
});
