// The routes of the page, over HTTP as the host calls them, with a gate and a host that only remember.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import { Turns } from "../../plugin/src/http/turns.ts";
import { Passes } from "../../plugin/src/page/page-sessions.ts";
import { PageRoutes } from "../../plugin/src/page/routes.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "callosum-page-"));
writeFileSync(join(FOLDER, "index.html"), "<html><head><!--callosum-page--></head></html>");
writeFileSync(join(FOLDER, "app.js"), "let $& = 1;");
writeFileSync(join(FOLDER, "app.css"), "p {}");
writeFileSync(join(FOLDER, "icon.svg"), "<svg/>");
after(() => rmSync(FOLDER, { recursive: true }));

const PAGE = "/plugins/callosum/";
const LEASES = "/plugins/callosum-leases/";

interface Registered {
  path: string;
  match: string;
  auth: string;
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

interface About {
  token: string;
  host: string;
  version: string;
  view: string;
  release: string | null;
  decide: string | null;
}

const carrying = (token: string, type = "application/json") => ({ accept: `${type}; token=${token}` });

/** The routes behind a server that lets everybody through, as if the host knew them. */
async function serving(options: { folder?: string; loaded?: typeof NOT_LOADED } = {}) {
  const made = bench(options.loaded === undefined ? {} : { loaded: options.loaded });
  const routes: Registered[] = [];
  const gateway: Record<string, unknown> = { auth: { mode: "token", token: "one" } };
  const api = {
    version: '1.2.3"><script>',
    runtime: { config: { current: () => ({ gateway }) } },
    registerHttpRoute: (route: Registered) => void routes.push(route),
  };
  const page = new PageRoutes(
    api as unknown as OpenClawPluginApi,
    made.owner,
    new Turns(),
    () => "/work",
    options.folder ?? FOLDER,
  );
  page.register();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const route = routes.find(
      (known) =>
        known.path === path || `${path}/` === known.path || (known.match === "prefix" && path.startsWith(`${known.path}/`)),
    );
    if (route === undefined) response.writeHead(404).end("the host's own");
    else void route.handler(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(origin + path, { method, headers, redirect: "manual", signal: AbortSignal.timeout(5_000) });
  return {
    ...made,
    gateway,
    page,
    origin,
    get,
    /** Opens the page and gives what its document was told. */
    async open(base: string, headers: Record<string, string> = {}): Promise<About> {
      const content = /content="([^"]*)"/.exec(await (await get(base, headers)).text())?.[1] ?? "";
      return JSON.parse(content.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))) as About;
    },
    ask: (token: string, question: string, q = "{}") =>
      get(`${PAGE}api/${question}?${new URLSearchParams({ q })}`, { origin: "null", ...carrying(token) }),
    release: (token: string, q: string) =>
      get(`${LEASES}api/release?${new URLSearchParams({ q })}`, { origin: "null", ...carrying(token) }, "POST"),
    decide: (token: string, q: string, method = "POST") =>
      get(`${LEASES}api/decide?${new URLSearchParams({ q })}`, { origin: "null", ...carrying(token) }, method),
    async close() {
      page.end();
      server.closeAllConnections();
      server.close();
      await made.owner.dispose();
    },
  };
}

async function failure(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test("the document is for the frame alone: a strict policy, and no other origin reads it", async () => {
  const served = await serving();
  const answer = await served.get(PAGE, { origin: "null" });
  assert.equal(answer.status, 200);
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
  ])
    assert.ok(policy.includes(part), part);
  assert.ok(!policy.includes("unsafe"));
  assert.equal(answer.headers.get("access-control-allow-origin"), null);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  const about = await served.open(PAGE);
  assert.deepEqual(
    { ...about, token: "" },
    { token: "", host: "openclaw", version: '1.2.3"><script>', view: "all", release: null, decide: null },
  );
  assert.ok(!(await answer.text()).includes("<script>"));
  assert.notEqual((await served.open(PAGE)).token, about.token);
  await served.close();
});

test("without the slash the browser is sent on, relative to where it is", async () => {
  const served = await serving();
  for (const base of [PAGE, LEASES]) {
    const answer = await served.get(base.slice(0, -1));
    assert.equal(answer.status, 308);
    assert.equal(new URL(answer.headers.get("location") ?? "", served.origin + base.slice(0, -1)).pathname, base);
  }
  await served.close();
});

test("the files are those of the build, and nothing else is", async () => {
  const served = await serving();
  const script = await served.get(`${PAGE}app.js`);
  assert.equal(await script.text(), "let $& = 1;");
  assert.match(script.headers.get("content-type") ?? "", /^text\/javascript/);
  assert.equal((await served.get(`${LEASES}app.css`)).status, 200);
  assert.equal((await served.get(`${PAGE}app.js`, { "if-none-match": script.headers.get("etag") ?? "" })).status, 304);
  assert.equal((await served.get(`${PAGE}app.js`, {}, "HEAD")).status, 200);
  for (const path of [
    "index.html",
    "app.js/",
    "app.mjs",
    "api/..%2fapp.js",
    "api/%2e%2e%2f%2e%2e%2fpackage.json",
    "api",
    "api/",
  ]) {
    const { status } = await served.get(PAGE + path);
    assert.ok(status === 404 || status === 401, `${path}: ${status}`);
  }
  await served.close();
});

test("a folder without a built page is said so in a sentence", async () => {
  const served = await serving({ folder: join(FOLDER, "not-there") });
  const answer = await served.get(PAGE);
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /page is missing .*`npm run build`/);
  assert.equal((await served.get(`${PAGE}app.js`)).status, 404);
  await served.close();
});

test("the api answers whoever has a document's token, and no other origin may read it", async () => {
  const served = await serving();
  const { token } = await served.open(PAGE);
  served.gate.answers.journal = '{"entries":[],"next":null}';
  const answer = await served.ask(token, "journal", '{"limit":2}');
  assert.deepEqual([answer.status, await answer.text()], [200, '{"entries":[],"next":null}']);
  assert.deepEqual(served.gate.calls.at(-1), { method: "journal", args: ['{"limit":2}'] });
  assert.equal(answer.headers.get("access-control-allow-origin"), "null");
  const elsewhere = await served.get(`${PAGE}api/status`, { origin: "https://evil.example", ...carrying(token) });
  assert.equal(elsewhere.status, 200);
  assert.equal(elsewhere.headers.get("access-control-allow-origin"), null);
  const [reads = "", releases = "", own = "", signature = ""] = token.split(".");
  const wrongs = ["", "x", `${token}x`, token.slice(1), `9${token}`, `${reads}.99999999999.${own}.${signature}`];
  for (const wrong of [...wrongs, `${reads}.${releases}.${own}.`, `${reads}.${releases}.${own}.${signature.slice(1)}A`])
    assert.deepEqual(await failure(await served.ask(wrong, "journal")), [401, "unauthorized"], wrong);
  await served.close();
});

test("a token in an address, where histories and logs keep it, opens nothing", async () => {
  const served = await serving();
  const { token } = await served.open(LEASES);
  for (const name of ["t", "token"]) {
    const query = new URLSearchParams({ [name]: token, q: '{"key":"deploy:prod"}' });
    for (const question of ["status", "events"])
      assert.deepEqual(await failure(await served.get(`${PAGE}api/${question}?${query}`)), [401, "unauthorized"]);
    assert.deepEqual(await failure(await served.get(`${LEASES}api/release?${query}`, {}, "POST")), [401, "unauthorized"]);
  }
  assert.ok(!served.gate.methods.includes("release"));
  await served.close();
});

test("what can't be answered is told by a code", async () => {
  const served = await serving();
  const { token } = await served.open(PAGE);
  assert.deepEqual(await failure(await served.ask(token, "maintain")), [404, "not-found"]);
  assert.deepEqual(await failure(await served.ask(token, "journal", "{")), [400, "bad-request"]);
  served.gate.answers.journal = '{"error":{"code":"bad-request","message":"`limit` is absurd"}}';
  assert.deepEqual(await failure(await served.ask(token, "journal")), [400, "bad-request"]);
  served.gate.answers.journal = '{"error":{"code":"busy","message":"the journal is busy"}}';
  assert.deepEqual(await failure(await served.ask(token, "journal")), [503, "busy"]);
  served.gate.throws = new Error("no");
  assert.deepEqual(await failure(await served.ask(token, "journal")), [503, "unavailable"]);
  served.gate.throws = undefined;
  for (const path of [PAGE, `${PAGE}app.js`, `${PAGE}api/status`])
    assert.equal((await served.get(path, carrying(token), "POST")).status, 405, path);
  assert.equal((await served.get(`${LEASES}api/release`)).status, 405);
  await served.close();
});

test("without the addon the page still gets a status that says so", async () => {
  const served = await serving({ loaded: NOT_LOADED });
  const { token } = await served.open(PAGE);
  const { degraded } = (await (await served.ask(token, "status")).json()) as { degraded: { code: string } };
  assert.equal(degraded.code, "addon-not-loaded");
  assert.deepEqual(await failure(await served.ask(token, "journal")), [503, "unavailable"]);
  await served.close();
});

test("a call to explain runs in the agent's workspace unless it says where", async () => {
  const served = await serving();
  const { token } = await served.open(PAGE);
  await served.ask(token, "explain", '{"tool":"exec","params":{}}');
  await served.ask(token, "explain", '{"tool":"exec","params":{},"cwd":"/elsewhere"}');
  const asked = served.gate.calls.map((call) => (JSON.parse(String(call.args[0])) as { cwd: string }).cwd);
  assert.deepEqual(asked, ["/work", "/elsewhere"]);
  await served.close();
});

test("few questions wait for the core at once, and all are answered in turn", async () => {
  const served = await serving();
  const { token } = await served.open(PAGE);
  let [now, most] = [0, 0];
  served.gate.ask = async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now -= 1;
    return "{}";
  };
  const answers = await Promise.all(Array.from({ length: 20 }, () => served.ask(token, "journal")));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(most, 2);
  await served.close();
});

test("a lease is released by a page of the tab for those who may write", async () => {
  const served = await serving();
  const { token, release } = await served.open(LEASES);
  assert.equal(release, "api/release");
  const answer = await served.release(token, '{"key":"deploy:prod"}');
  assert.deepEqual([answer.status, await answer.json()], [200, { key: "k", released: [] }]);
  assert.equal(answer.headers.get("access-control-allow-origin"), "null");
  assert.deepEqual(served.gate.calls.at(-1), { method: "release", args: ["deploy:prod", "an operator, in the Control UI"] });
  await served.close();
});

test("nobody else releases one", async () => {
  const served = await serving();
  const reader = await served.open(PAGE);
  assert.equal(reader.release, null);
  const wanted = (key: unknown = "deploy:prod") => JSON.stringify({ key });
  assert.deepEqual(await failure(await served.release(reader.token, wanted())), [403, "forbidden"]);
  for (const wrong of ["x", "", "null"])
    assert.deepEqual(await failure(await served.release(wrong, wanted())), [401, "unauthorized"], wrong);
  // The host lets these through on the path of the tab as well, and they may be no more than readers.
  const readers = [
    { authorization: "Bearer of-a-device-that-only-reads" },
    { "x-openclaw-scopes": "operator.read" },
    { "x-openclaw-scopes": "operator.read, operator.writer" },
    { "x-openclaw-scopes": "" },
  ];
  for (const headers of readers) {
    const about = await served.open(LEASES, headers as Record<string, string>);
    assert.equal(about.release, null, JSON.stringify(headers));
    assert.deepEqual(await failure(await served.release(about.token, wanted())), [403, "forbidden"]);
  }
  const writer = await served.open(LEASES, { "x-openclaw-scopes": "operator.read, operator.write" });
  for (const wrong of ["", "{", "[]", "null", '"x"', "{}", wanted(""), wanted(7), wanted("x".repeat(2_000))])
    assert.deepEqual(await failure(await served.release(writer.token, wrong)), [400, "bad-request"], wrong.slice(0, 9));
  assert.ok(!served.gate.methods.includes("release"));
  served.gateway.roles = { viewer: {} };
  assert.equal((await served.open(LEASES)).release, null);
  await served.close();
});

test("a change of whom the gateway lets in ends what pages may do", async () => {
  const served = await serving();
  const { token } = await served.open(LEASES);
  served.gateway.auth = { mode: "token", token: "two" };
  assert.deepEqual(await failure(await served.ask(token, "status")), [401, "unauthorized"]);
  assert.deepEqual(await failure(await served.release(token, '{"key":"k"}')), [401, "unauthorized"]);
  assert.equal((await served.ask((await served.open(PAGE)).token, "status")).status, 200);
  await served.close();
});

test("a token outlives a reload of the plugin", async () => {
  const before = await serving();
  const { token } = await before.open(PAGE);
  await before.close();
  const afterwards = await serving();
  assert.equal((await afterwards.ask(token, "status")).status, 200);
  await afterwards.close();
});

test("a token ends with its time", () => {
  let now = 1_000;
  const passes = new Passes(
    () => "settings",
    () => now,
  );
  const [reader, releaser] = [passes.issue(false), passes.issue(true)];
  const may = () => [passes.reads(reader), passes.releases(reader), passes.reads(releaser), passes.releases(releaser)];
  assert.deepEqual(may(), [true, false, true, true]);
  now += 61 * 60_000;
  assert.deepEqual(may(), [true, false, true, false]);
  now += 11 * 60 * 60_000;
  assert.deepEqual(may(), [false, false, false, false]);
});

test("a reader who loads the page again and again pushes out nobody", async () => {
  const served = await serving();
  const { token } = await served.open(LEASES);
  for (let load = 0; load < 600; load += 1) await (await served.get(PAGE)).arrayBuffer();
  assert.equal((await served.ask(token, "status")).status, 200);
  assert.equal((await served.release(token, '{"key":"deploy:prod"}')).status, 200);
  await served.close();
});

test("who sends a body slowly, or a long one, keeps nobody from releasing, and is answered before it is there", async () => {
  const served = await serving();
  const { token } = await served.open(LEASES);
  const { hostname, port } = new URL(served.origin);
  const slow: Socket[] = [];
  for (const header of ["", `accept: ${carrying("x").accept}\r\n`, `accept: ${carrying(token).accept}\r\n`])
    for (let number = 0; number < 20; number += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(`POST ${LEASES}api/release HTTP/1.1\r\nhost: x\r\n${header}content-length: 9000\r\n\r\n{`);
      slow.push(socket);
    }
  const answers = await Promise.all(slow.map(async (socket) => String((await once(socket, "data"))[0])));
  assert.equal(answers.filter((answer) => answer.startsWith("HTTP/1.1 401 ")).length, 40);
  assert.equal(answers.filter((answer) => answer.startsWith("HTTP/1.1 400 ")).length, 20);
  assert.equal((await served.release(token, '{"key":"deploy:prod"}')).status, 200);
  for (const socket of slow) socket.destroy();
  await served.close();
});

/** Follows a stream and keeps what it says. */
async function follow(origin: string, token: string) {
  const heard = { text: "", ended: false, status: 0 };
  const asked = request(`${origin}${PAGE}api/events`, { agent: false, headers: carrying(token, "text/event-stream") });
  asked.end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  heard.status = answer.statusCode ?? 0;
  answer.on("data", (chunk: Buffer) => {
    heard.text += chunk.toString("utf8");
  });
  answer.once("end", () => {
    heard.ended = true;
  });
  return { heard, cut: () => asked.destroy() };
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a stream tells how far the journal is, at once and when that has moved, and ends with the instance", async () => {
  const served = await serving();
  const { token } = await served.open(PAGE);
  served.gate.answers.head = '{"head":5,"now":1}';
  const other = await served.open(PAGE);
  const one = await follow(served.origin, token);
  await until("the first head", () => one.heard.text.includes('event: head\ndata: {"head":5,"now":1}\n\n'));
  served.gate.answers.head = '{"error":{"code":"busy","message":"not now"}}';
  const asked = served.gate.calls.length;
  await until("another look", () => served.gate.calls.length > asked);
  served.gate.answers.head = '{"head":9,"now":2}';
  const two = await follow(served.origin, other.token);
  await until("the second head, told to both", () => [one, two].every(({ heard }) => heard.text.includes('"head":9')));
  assert.equal(one.heard.text.split("event: head").length, 3);
  served.page.end();
  await until("the end of both", () => one.heard.ended && two.heard.ended);
  assert.deepEqual(await failure(await served.ask(token, "events")), [503, "busy"]);
  const looks = served.gate.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(served.gate.calls.length, looks, "nobody listens, and still the journal is looked at");
  await served.close();
});

test("streams are bounded in number, and one that was cut off makes room", async () => {
  const served = await serving();
  served.gate.answers.head = '{"head":5,"now":1}';
  const pages = await Promise.all(Array.from({ length: 33 }, () => served.open(PAGE)));
  const streams = await Promise.all(pages.map(({ token }) => follow(served.origin, token)));
  assert.equal(streams.filter(({ heard }) => heard.status === 200).length, 32);
  for (const { cut } of streams) cut();
  await until("the place of one", async () => (await follow(served.origin, pages[0]?.token ?? "")).heard.status === 200);
  await served.close();
});

test("one copy of the page has one stream, so that it can't take the places of the others", async () => {
  const served = await serving();
  served.gate.answers.head = '{"head":5,"now":1}';
  const { token } = await served.open(PAGE);
  const own: Array<Awaited<ReturnType<typeof follow>>> = [];
  for (let number = 0; number < 40; number += 1) own.push(await follow(served.origin, token));
  await until("all but the last to end", () => own.slice(0, -1).every(({ heard }) => heard.ended));
  assert.equal(own.at(-1)?.heard.ended, false);
  assert.equal((await follow(served.origin, (await served.open(PAGE)).token)).heard.status, 200);
  await served.close();
});

test("a stream ends when its token does", async () => {
  const served = await serving();
  served.gate.answers.head = '{"head":5,"now":1}';
  const { token } = await served.open(PAGE);
  const { heard } = await follow(served.origin, token);
  await until("the first head", () => heard.text.includes('"head":5'));
  served.gateway.auth = { mode: "token", token: "two" };
  served.gate.answers.head = '{"head":6,"now":2}';
  await until("the end of the stream", () => heard.ended);
  assert.ok(!heard.text.includes('"head":6'), heard.text);
  await served.close();
});

test("a person's word on what agents propose is taken from pages that may write, and nobody else's", async () => {
  const served = await serving();
  const writer = await served.open(LEASES, { cookie: "the host's" });
  assert.deepEqual([writer.release, writer.decide], ["api/release", "api/decide"]);
  const word = (matter: string, accept: unknown = true) => JSON.stringify({ matter, id: "t1", accept });
  const accepted = await served.decide(writer.token, word("task"));
  assert.deepEqual([accepted.status, await accepted.json()], [200, { task: { id: "t1" } }]);
  served.gate.contexts = ['{"error":{"code":"unknown","message":"`t1` is open no more","remedy":"look again"}}'];
  const gone = await served.decide(writer.token, word("proposal", false));
  assert.equal(gone.status, 409);
  assert.match(await gone.text(), /open no more; look again/);
  const file = { matter: "file", id: "priorities.md", accept: true, version: "ab" };
  served.gate.contexts = ['{"path":"priorities.md","verdict":"accepted"}'];
  assert.equal((await served.decide(writer.token, JSON.stringify(file))).status, 200);
  for (const q of [
    JSON.stringify({ ...file, version: 1 }),
    word("lease"),
    word("task", "yes"),
    "",
    '{"matter":"task","accept":true}',
  ])
    assert.deepEqual(await failure(await served.decide(writer.token, q)), [400, "bad-request"], q);
  assert.equal((await served.decide(writer.token, word("task"), "GET")).status, 405);
  const reader = await served.open(PAGE);
  assert.deepEqual(await failure(await served.decide(reader.token, word("task"))), [403, "forbidden"]);
  assert.deepEqual(await failure(await served.decide("none", word("task"))), [401, "unauthorized"]);
  const told = served.gate.calls.filter(({ method }) => method === "team" || method === "context");
  assert.deepEqual(told, [
    { method: "team", args: ['{"do":"ask","surface":"page","verb":"accept","params":{"id":"t1"}}'] },
    { method: "context", args: ['{"do":"decide","id":"t1","accept":false}'] },
    { method: "context", args: ['{"do":"settle","path":"priorities.md","version":"ab","accept":true}'] },
  ]);
  assert.deepEqual(await (await served.ask(reader.token, "team", '{"events":true}')).json(), { on: true });
  served.gate.contexts = ['{"on":false}'];
  assert.deepEqual(await (await served.ask(reader.token, "context")).json(), { on: false });
  await served.close();
});
