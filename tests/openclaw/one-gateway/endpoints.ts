// The five endpoints under the gateway's route, with its token: the clients of the service and one that knows the protocol alone change the address,
// and nothing else. They meet the gateway's own agents on its journal.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Client, DRIVERS, endDrivers } from "../../clients/harness/drivers.ts";
import { exec } from "../harness/world.ts";
import { world } from "./shared.ts";

const BASE = "/plugins/callosum-gate";
const { gateway } = world;
after(endDrivers);

interface Intercepted {
  proceed: boolean;
  tier: number;
  contextKey: string;
  conflicts?: Array<{ instance: string; state: string }>;
  warning?: string;
}

/** Asks as somebody who has read the protocol and knows the gateway's token. */
async function ask(
  method: string,
  path: string,
  body?: unknown,
  token = gateway.token,
): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`${gateway.origin}${BASE}${path}`, {
    method,
    headers: {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return [response.status, text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {}];
}

/** The same of which 200 is expected. */
async function asked<T>(method: string, path: string, body?: unknown): Promise<T> {
  const [status, answer] = await ask(method, path, body);
  assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer as T;
}

const mailTo = (name: string) => ({
  tool: "exec",
  action: "",
  params: { command: `himalaya message send --to ${name}@example.com` },
});
const PAUSED = /^\[Callosum\] /;

for (const { name, open } of DRIVERS)
  test(`${name}: the service's client needs only the gateway's address and token`, async () => {
    const clients: Client[] = [];
    const as = (instance: string) => {
      const client = open({ url: `${gateway.origin}${BASE}`, token: gateway.token, instance });
      clients.push(client);
      return async <T>(method: string, ...args: unknown[]): Promise<T> => {
        const { value, error } = await client.call(method, args);
        assert.equal(error, undefined, `${method}: ${error?.message}`);
        return value as T;
      };
    };
    const [doug, mira] = [as("doug"), as("mira")];
    const to = `client-${name.replaceAll(/\W+/g, "-")}`.toLowerCase();
    try {
      const first = await doug<Intercepted>("intercept", "pay", "send", { to });
      assert.deepEqual([first.proceed, first.tier, first.contextKey], [true, 4, `account:${to}`]);
      const second = await mira<Intercepted>("intercept", "pay", "send", { to });
      assert.deepEqual(
        [second.proceed, second.conflicts?.[0]?.instance, second.conflicts?.[0]?.state],
        [false, "doug", "running"],
      );
      assert.deepEqual(await doug("complete", first.contextKey, { paid: true }), { ok: true });
      assert.equal((await mira<Intercepted>("intercept", "pay", "send", { to })).conflicts?.[0]?.state, "complete");

      const key = `deploy:${to}/prod`;
      assert.equal((await doug<{ acquired: boolean }>("lock", key, 3)).acquired, true);
      assert.equal((await mira<{ acquired: boolean }>("lock", key, 3)).acquired, false);
      assert.equal((await mira<{ ok: boolean }>("unlock", key)).ok, false);
      const { locks } = await mira<{ locks: Array<{ instance: string }> }>("status", key);
      assert.deepEqual(
        locks.map(({ instance }) => instance),
        ["doug"],
      );
      assert.deepEqual(await doug("unlock", key), { ok: true });
      assert.equal((await mira<{ acquired: boolean }>("lock", key, 3)).acquired, true);
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  });

test("programs and the gateway's agents see each other: of a mail that both want to send, one goes out unasked", async () => {
  const doug = await asked<Intercepted>("POST", "/intercept", { instance: "doug", ...mailTo("norma") });
  assert.deepEqual([doug.proceed, doug.tier, doug.contextKey], [true, 3, "email:norma@example.com"]);
  const [told] = await world.play("agent-after", exec("himalaya message send --to norma@example.com"));
  assert.match(told ?? "", PAUSED);
  assert.ok(told?.includes("doug"), told);
  assert.deepEqual(await asked("POST", "/complete", { instance: "doug", contextKey: doug.contextKey, result: {} }), { ok: true });

  await world.play("agent-before", exec("himalaya message send --to omar@example.com"));
  const warned = await asked<Intercepted>("POST", "/intercept", { instance: "doug", ...mailTo("omar") });
  assert.equal(warned.proceed, true, "tier 3 is warned, never stopped");
  assert.equal(warned.conflicts?.[0]?.instance, (await world.status()).instanceId);
  assert.match(warned.warning ?? "", /omar@example\.com/);

  const rows = await world.journal({ key: "email:norma@example.com", action: "intercept" });
  assert.deepEqual(
    rows.map(({ instance, via, runtime }) => [instance, via, runtime]),
    [["http/gateway/doug", "gateway", "http"]],
  );
});

test("of two at the same moment at tier 4 exactly one proceeds, and at tier 3 the second is warned", async () => {
  for (let race = 0; race < 25; race += 1) {
    const both = (body: (instance: string) => unknown) =>
      Promise.all(["doug", "mira"].map((instance) => asked<Intercepted>("POST", "/intercept", body(instance))));
    const paid = await both((instance) => ({ instance, tool: "pay", action: "send", params: { to: `race-${race}` } }));
    assert.equal(paid.filter(({ proceed }) => proceed).length, 1, `race ${race}`);
    const mailed = await both((instance) => ({ instance, ...mailTo(`race-${race}`) }));
    assert.equal(mailed.filter(({ warning }) => warning !== undefined).length, 1, `race ${race}`);
    assert.ok(mailed.every(({ proceed }) => proceed));
  }
});

test("who has no token of the gateway gets nothing, and what is wrong is named", async () => {
  for (const token of ["", "wrong"])
    for (const [method, path] of [
      ["GET", "/status"],
      ["POST", "/lock"],
      ["DELETE", "/lock/k?instance=doug"],
    ] as const) {
      const [status, answer] = await ask(
        method,
        path,
        method === "POST" ? { instance: "doug", contextKey: "k" } : undefined,
        token,
      );
      assert.equal(status, 401, `${method} ${path} ${JSON.stringify(answer)}`);
      assert.equal(answer.locks, undefined);
    }
  for (const [method, path, body, status, code, field] of [
    ["POST", "/lock", { instance: "doug" }, 400, "bad-request", "contextKey"],
    ["POST", "/lock", { instance: "../local", contextKey: "k" }, 400, "bad-request", "instance"],
    ["POST", "/intercept", { instance: "doug", tool: 5 }, 400, "bad-request", "tool"],
    ["GET", "/intercept", undefined, 405, "method-not-allowed", undefined],
    ["POST", "/v1/before", {}, 404, "not-found", undefined],
  ] as const) {
    const [answered, answer] = await ask(method, path, body);
    const error = answer.error as { code: string; path?: string } | undefined;
    assert.deepEqual([answered, error?.code, error?.path], [status, code, field], `${method} ${path}`);
  }
});
