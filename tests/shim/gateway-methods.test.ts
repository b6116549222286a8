import assert from "node:assert/strict";
import { test } from "node:test";
import type { GateOwner } from "../../plugin/src/gate-owner.ts";
import type { RpcClient } from "../../plugin/src/host.ts";
import { offeredOn } from "../../plugin/src/offered.ts";
import { gatewayMethods, type MethodAnswer } from "../../plugin/src/rpc/gateway-methods.ts";
import { Team } from "../../plugin/src/team/team.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

type Call = (name: string, params?: unknown, client?: RpcClient | null) => Promise<MethodAnswer>;

/** Calls the methods on a gate as the host does. */
function callsOn(owner: GateOwner, workspaceOf: (agent: string | null) => string | null = () => null): Call {
  const methods = gatewayMethods(owner, "1.2.3", workspaceOf, new Team(owner, { tools: [] }));
  return async (name, params, client = null) => {
    const method = methods.find((method) => method.name === `callosum.${name}`);
    assert.ok(method, name);
    return await method.answer({ params, client });
  };
}

test("status is what the core says", async () => {
  const { gate, owner } = bench();
  gate.answers.status = '{"instanceId":"i","ruleCount":3}';
  assert.deepEqual(await callsOn(owner)("status"), { ok: true, payload: { instanceId: "i", ruleCount: 3 } });
});

test("without the addon the status says so, with the cause and the remedy", async () => {
  const { owner } = bench({ loaded: NOT_LOADED });
  assert.deepEqual(await callsOn(owner)("status"), {
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
  assert.deepEqual(await callsOn(owner)("status"), {
    ok: false,
    error: { code: "UNAVAILABLE", message: "callosum: the disk is full" },
  });
  gate.answers.status = "not JSON";
  assert.equal((await callsOn(owner)("status")).ok, false);
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
    sessions: ["s", "t"],
    text: "é".repeat(1_000),
    before: null,
    callsOnly: true,
  };
  assert.deepEqual(await callsOn(owner)("journal", filter), { ok: true, payload: { entries: [] } });
  assert.deepEqual(JSON.parse(String(gate.calls[0]?.args[0])), filter);
  assert.equal((await callsOn(owner)("journal", undefined)).ok, true);
});

test("wrong parameters are named", async () => {
  const { gate, owner } = bench();
  const wrong: Array<[unknown, RegExp]> = [
    [{ limit: 0 }, /^callosum\.journal: `limit` must be a whole number from 1 to 10000$/],
    [{ limit: 10_001 }, /`limit`/],
    [{ limit: "5" }, /`limit`/],
    [{ limit: 1.5 }, /`limit`/],
    [{ tier: 5 }, /`tier` must be a whole number from 0 to 4 or a text such as `2\.\.3`$/],
    [{ minTier: -1 }, /`minTier` must be a whole number from 0 to 4$/],
    [{ since: {} }, /`since` must be a whole number or a text such as `2026-01-31T09:00:00Z`$/],
    [{ sessions: "s" }, /`sessions` must be a list, each a text$/],
    [{ sessions: ["s", 1] }, /`sessions` must be a list/],
    [{ budget: "yes" }, /`budget` must be `true` or `false`$/],
    [{ key: "" }, /`key` must be a text/],
    [{ key: "x".repeat(2000) }, /`key`/],
    [{ session: {} }, /`session`/],
    [{ colour: "red" }, /no parameter is called `colour`; there are action, after, /],
    [{ toString: 1 }, /no parameter is called `toString`/],
    [[], /must be an object/],
    ["x", /must be an object/],
  ];
  for (const [params, expected] of wrong) {
    const answer = await callsOn(owner)("journal", params);
    assert.equal(answer.ok, false);
    assert.equal(answer.error.code, "INVALID_REQUEST");
    assert.match(answer.error.message, expected);
  }
  assert.deepEqual(gate.calls, []);
});

test("what the core alone can tell of a request is a request's fault, too", async () => {
  const { gate, owner } = bench();
  gate.answers.journal = '{"error":{"code":"bad-request","message":"bad filter: `since` must be RFC 3339"}}';
  assert.deepEqual(await callsOn(owner)("journal", { since: "yesterday" }), {
    ok: false,
    error: { code: "INVALID_REQUEST", message: "callosum.journal: bad filter: `since` must be RFC 3339" },
  });
});

/** A value that a parameter takes. */
function sample(schema: { type?: string | readonly string[]; examples?: readonly unknown[]; minimum?: number }): unknown {
  const [type] = [schema.type ?? []].flat();
  const of: Record<string, unknown> = { string: "x", integer: schema.minimum ?? 0, boolean: true, array: ["x"], object: {} };
  return schema.examples?.[0] ?? of[String(type)];
}

test("a question's method takes each parameter that the registry has, and no other", async () => {
  const { gate, owner } = bench();
  const call = callsOn(owner);
  let parameters = 0;
  for (const { name, request } of offeredOn("gateway")) {
    const known = Object.entries(request.properties).map(([field, schema]) => [field, sample(schema)] as const);
    const required: readonly string[] = "required" in request ? request.required : [];
    const least = Object.fromEntries(known.filter(([field]) => required.includes(field)));
    for (const [field, value] of known) {
      assert.equal((await call(name, { ...least, [field]: value })).ok, true, `${name} ${field}`);
      parameters += 1;
    }
    for (const field of required) {
      const answer = await call(name, { ...least, [field]: undefined });
      assert.equal(answer.ok, false, `${name} without ${field}`);
    }
    const asked = gate.calls.length;
    const answer = await call(name, { ...least, colour: "red" });
    assert.match(answer.ok ? "" : answer.error.message, /no parameter is called `colour`/, name);
    assert.equal(gate.calls.length, asked);
  }
  assert.ok(parameters > 20, String(parameters));
});

test("without the addon the journal is unavailable", async () => {
  const { owner } = bench({ loaded: NOT_LOADED });
  assert.deepEqual(await callsOn(owner)("journal", {}), {
    ok: false,
    error: { code: "UNAVAILABLE", message: "callosum: no such file" },
  });
});

test("why and release take a key and nothing else", async () => {
  const { gate, owner } = bench();
  gate.answers.why = '{"key":"email:a","events":[],"text":"told"}';
  assert.deepEqual(await callsOn(owner)("why", { key: "email:a" }), {
    ok: true,
    payload: { key: "email:a", events: [], text: "told" },
  });
  assert.deepEqual(await callsOn(owner)("release", { key: "email:a" }), { ok: true, payload: { key: "k", released: [] } });
  assert.deepEqual(gate.calls, [
    { method: "why", args: ['{"key":"email:a"}'] },
    { method: "release", args: ["email:a", "the gateway itself"] },
  ]);
  for (const params of [{}, undefined, { key: "" }, { key: 1 }, { key: "a", by: "somebody else" }, "email:a"]) {
    for (const answer of [await callsOn(owner)("why", params), await callsOn(owner)("release", params)]) {
      assert.equal(answer.ok === false && answer.error.code, "INVALID_REQUEST");
    }
  }
  assert.equal(gate.calls.length, 2);
});

test("a release is put down to whom the host has recognised, else to what the client calls itself", async () => {
  const { gate, owner } = bench();
  const client = { id: "cli", mode: "cli" };
  const profile = { displayName: "Ada" };
  const callers: Array<[RpcClient, string]> = [
    [{ connect: { client } }, "cli (cli)"],
    [{ connect: { client: { ...client, displayName: "Ada's laptop" } } }, "Ada's laptop (cli)"],
    [{ connect: { client }, authenticatedUserId: "ada@example.com" }, "ada@example.com, by cli (cli)"],
    [{ connect: { client }, authenticatedUserId: "ada@example.com", authenticatedUserProfile: profile }, "Ada, by cli (cli)"],
    [{ authenticatedUserProfile: { displayName: null } }, "the gateway itself"],
  ];
  for (const [caller] of callers) await callsOn(owner)("release", { key: "k" }, caller);
  assert.deepEqual(
    gate.calls.map((call) => call.args[1]),
    callers.map(([, name]) => name),
  );
});

test("explain asks for a call as its agent would make it", async () => {
  const { gate, owner } = bench();
  const call = { tool: "write", params: { path: "a.txt" }, session: "s", agent: "ops" };
  const workspaceOf = (agent: string | null) => `/agents/${agent}`;
  assert.equal((await callsOn(owner, workspaceOf)("explain", call)).ok, true);
  assert.equal((await callsOn(owner)("explain", { tool: "read", params: {} })).ok, true);
  assert.equal((await callsOn(owner, workspaceOf)("explain", { ...call, cwd: "/elsewhere" })).ok, true);
  assert.deepEqual(
    gate.calls.map(({ args }) => JSON.parse(String(args[0]))),
    [
      { ...call, cwd: "/agents/ops" },
      { tool: "read", params: {} },
      { ...call, cwd: "/elsewhere" },
    ],
  );
  for (const wrong of [{}, { tool: "exec" }, { params: {} }, { tool: "exec", params: "ls" }, { ...call, cwd: 5 }]) {
    const answer = await callsOn(owner)("explain", wrong);
    assert.equal(answer.ok === false && answer.error.code, "INVALID_REQUEST");
  }
  assert.match(JSON.stringify(await callsOn(owner)("explain", { tool: "exec" })), /`params` is missing: an object/);
});

test("what the core refuses crosses as an error of the method", async () => {
  const { gate, owner } = bench();
  gate.releaseText = '{"error":{"code":"disk-full","message":"the disk is full"}}';
  const error = { code: "UNAVAILABLE", message: "callosum: the disk is full" };
  assert.deepEqual(await callsOn(owner)("release", { key: "k" }), { ok: false, error });
});

test("verbs of the team are asked for by a person, and wrong parameters are named before", async () => {
  const { gate, owner } = bench();
  gate.teams = ['{"tasks":[],"next":null}', '{"error":{"code":"limit","message":"10 messages were sent within a minute"}}'];
  assert.deepEqual(await callsOn(owner)("tasks"), { ok: true, payload: { tasks: [], next: null } });
  const asked = { do: "ask", surface: "gateway", verb: "tasks", params: {} };
  assert.deepEqual(JSON.parse(String(gate.calls.at(-1)?.args[0])), asked);
  const refused = await callsOn(owner)("send", { to: "codex", body: "" });
  assert.match(refused.ok ? "" : refused.error.message, /10 messages/);
  const calls = gate.calls.length;
  for (const [verb, params, expected] of [
    ["tasks", { limit: 0 }, /`limit`/],
    ["task", {}, /`id` is missing/],
    ["send", { to: "codex", intent: "order" }, /`intent`/],
    ["inbox", { session: "someone" }, /no parameter is called `session`/],
  ] as const) {
    const answer = await callsOn(owner)(verb, params);
    assert.match(answer.ok ? "" : answer.error.message, expected);
  }
  assert.equal(gate.calls.length, calls);
});
