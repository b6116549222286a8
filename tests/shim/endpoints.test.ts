// The five endpoints' route, over HTTP as the host calls it, with a gate that only remembers: who is let in, what is read, and what is sent.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import { BASE, registerEndpoints } from "../../plugin/src/http/endpoints.ts";
import { Turns } from "../../plugin/src/http/turns.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
const JSON_TYPE = { "content-type": "application/json" };

/** The route behind a server that lets everybody through, with these scopes. */
async function serving(context: TestContext, scopes: string[] | Error = ["operator.write"], loaded?: typeof NOT_LOADED) {
  const made = bench(loaded === undefined ? {} : { loaded });
  const routes: Array<Record<string, unknown> & { handler: Handler }> = [];
  const api = { registerHttpRoute: (route: (typeof routes)[number]) => void routes.push(route) };
  const scopesOf = async () => {
    if (scopes instanceof Error) throw scopes;
    return scopes;
  };
  registerEndpoints(api as unknown as OpenClawPluginApi, made.owner, new Turns(), scopesOf);
  const [route] = routes;
  assert.ok(route !== undefined && routes.length === 1);
  const server = createServer((request, response) => void route.handler(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(async () => {
    server.closeAllConnections();
    server.close();
    await made.owner.dispose();
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...made,
    route,
    port,
    ask: (method: string, path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${BASE}${path}`, { method, signal: AbortSignal.timeout(10_000), ...init }),
  };
}

async function failure(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string; message: string; remedy: string } };
  assert.ok(error.message !== "" && error.remedy !== "", JSON.stringify(error));
  return [response.status, error.code];
}

test("a request goes to the core as it came, and its answer comes back as it is", async (context) => {
  const served = await serving(context);
  const { path, match, auth } = served.route;
  assert.deepEqual([path, match, auth], [BASE, "prefix", "gateway"]);
  served.gate.endpointAnswer = { status: 503, body: '{"error":{"code":"x"}}', retryAfter: 5, allow: "POST" };
  const headers = { ...JSON_TYPE, "idempotency-key": "once" };
  const answer = await served.ask("DELETE", "/lock/account%3Aacme%2Fltd?instance=doug", { headers, body: '{"instance":"é"}' });
  assert.deepEqual([answer.status, await answer.text()], [503, '{"error":{"code":"x"}}']);
  assert.deepEqual(
    ["retry-after", "allow", "content-type", "cache-control", "x-callosum-protocol"].map((name) => answer.headers.get(name)),
    ["5", "POST", "application/json", "no-store", "1"],
  );
  const call = served.gate.calls.find(({ method }) => method === "endpoint");
  assert.ok(call !== undefined);
  const [asked] = call.args as [{ body: Buffer }];
  assert.deepEqual(
    { ...asked, body: asked.body.toString() },
    {
      method: "DELETE",
      path: "/lock/account%3Aacme%2Fltd?instance=doug",
      body: '{"instance":"é"}',
      idempotencyKey: "once",
    },
  );
});

test("who may only read asks for the status alone, and who may nothing asks for nothing", async (context) => {
  const post = (served: Awaited<ReturnType<typeof serving>>) => served.ask("POST", "/lock", { headers: JSON_TYPE, body: "{}" });
  for (const [scopes, read, write] of [
    [["operator.admin"], 200, 200],
    [["operator.write"], 200, 200],
    [["operator.read"], 200, 403],
    [["operator.pairing"], 403, 403],
    [[], 403, 403],
  ] as const) {
    const served = await serving(context, [...scopes]);
    assert.deepEqual([(await served.ask("GET", "/status")).status, (await post(served)).status], [read, write], scopes.join());
    assert.equal((await served.ask("DELETE", "/lock/k?instance=a")).status, write);
  }
  // A host that can't be asked lets nobody in.
  const served = await serving(context, new Error("no such module"));
  assert.deepEqual(await failure(await post(served)), [500, "internal"]);
  assert.match(served.logger.lines.join("\n"), /no such module/);
  assert.ok(!served.gate.methods.includes("endpoint"));
});

test("a web page is turned away, and what is no JSON is not read", async (context) => {
  const served = await serving(context);
  const body = "{}";
  const from = { ...JSON_TYPE, origin: "https://evil.example" };
  assert.deepEqual(await failure(await served.ask("POST", "/lock", { headers: from, body })), [403, "foreign"]);
  assert.deepEqual(await failure(await served.ask("GET", "/status", { headers: { origin: "null" } })), [403, "foreign"]);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
    assert.deepEqual(await failure(await served.ask("POST", "/lock", { headers: { "content-type": type }, body })), [
      415,
      "bad-request",
    ]);
  assert.ok(!served.gate.methods.includes("endpoint"));
});

test("a huge body is read far enough for its sender to hear why; an endless one is not read to its end", async (context) => {
  const served = await serving(context);
  const huge = { headers: JSON_TYPE, body: "x".repeat(3 << 20) };
  assert.deepEqual(await failure(await served.ask("POST", "/intercept", huge)), [413, "limit"]);
  const endless = connect(served.port, "127.0.0.1");
  endless.write(`POST ${BASE}/lock HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${2 ** 40}\r\n\r\n`);
  endless.write(Buffer.alloc(9 << 20));
  endless.on("error", () => {});
  const [head] = (await once(endless, "data")) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 413 /);
  assert.match(head.toString(), /\r\nconnection: close\r\n/i);
  endless.destroy();
  assert.ok(!served.gate.methods.includes("endpoint"));
  const most = { headers: JSON_TYPE, body: "x".repeat(1 << 20) };
  assert.equal((await served.ask("POST", "/intercept", most)).status, 200);
});

test("without the addon the answer says why and what to do; more than can wait are told to come again", async (context) => {
  const without = await serving(context, ["operator.read"], NOT_LOADED);
  assert.deepEqual(await failure(await without.ask("GET", "/status")), [503, "unavailable"]);
  const served = await serving(context);
  let go = () => {};
  served.gate.endpointWaits = new Promise<void>((resolve) => {
    go = resolve;
  });
  const asked = Array.from({ length: 70 }, () => served.ask("GET", "/status"));
  let turnedAway = 0;
  const told = new Promise<void>((resolve) => {
    for (const one of asked)
      void one.then(({ status, headers }) => {
        if (status !== 503) return;
        assert.equal(headers.get("retry-after"), "1");
        turnedAway += 1;
        // Two are worked on, and 64 wait.
        if (turnedAway === 4) resolve();
      });
  });
  await told;
  assert.equal(served.gate.methods.filter((method) => method === "endpoint").length, 2);
  go();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 66);
});
