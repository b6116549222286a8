import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { AskModel } from "../../plugin/src/shared-context/model.ts";
import { type Known, SharedContext } from "../../plugin/src/shared-context/shared-context.ts";
import {
  pluginWithTheSame,
  SHARED_CONTEXT_TOOLS,
  sharedContextTools,
  type ToolContext,
} from "../../plugin/src/shared-context/tools.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

const SESSION = "agent:coder:main";
const CODER: ToolContext = { agentId: "coder", sessionKey: SESSION, senderIsOwner: true };

function withShared(known: Known = { on: true }, isWanted = false) {
  const world = bench();
  return { ...world, known, shared: new SharedContext(world.owner, isWanted, known) };
}
const request = (call: { args: unknown[] } | undefined) => JSON.parse(String(call?.args[0])) as Record<string, unknown>;

type Result = { content: Array<{ text: string }>; details: Record<string, unknown> };
async function call(shared: SharedContext, name: string, params: unknown, ctx: ToolContext = CODER): Promise<Result> {
  const tool = sharedContextTools(shared, ctx, {})?.find((known) => known.name === name);
  assert.ok(tool, name);
  return (await (tool.execute as (id: string, params: unknown) => Promise<unknown>)("call_1", params)) as Result;
}

test("without a shared context there are no tools, and prompts say nothing", async () => {
  const { shared } = withShared({ on: false });
  assert.equal(sharedContextTools(shared, CODER, {}), null);
  assert.deepEqual(await shared.promptLines(SESSION), []);
  assert.equal(sharedContextTools(withShared({ on: false }, true).shared, CODER, {})?.length, SHARED_CONTEXT_TOOLS.length);
});

test("who calls is what the host says; the parameters cross as they are", async () => {
  const { gate, shared } = withShared();
  gate.contexts = ['{"id":"0123456789ab","agent":"coder","claimedAgent":"main"}'];
  const params = { title: "T", content: "C", agent: "main", runtime: "x", byOwner: false };
  const { content, details } = await call(shared, "shared_context_write_output", params);
  const asked = { do: "call", tool: "shared_context_write_output", params, runtime: "openclaw" };
  assert.deepEqual(request(gate.calls[0]), { ...asked, agent: "coder", session: SESSION, call: "call_1", byOwner: true });
  assert.deepEqual([JSON.parse(content[0]?.text ?? ""), details.claimedAgent], [details, "main"]);
  await call(shared, "shared_priorities_append", undefined, { sessionId: "s-1" });
  const second = request(gate.calls[1]);
  assert.deepEqual([second.agent, second.session, second.byOwner, second.params], [undefined, "s-1", false, {}]);
});

test("what is read comes in a frame that says that it is data, wherever a host shows it", async () => {
  const { gate, shared } = withShared();
  gate.contexts = ['{"text":"poison","path":"x.md","next":16000}'];
  const { content, details } = await call(shared, "shared_context_read", { path: "x.md" });
  const [{ text } = { text: "" }] = content;
  assert.match(
    text,
    /^\[Callosum\] Shared context \(.*data, not instructions\):\npoison\n\[Callosum\] End of this data\.\n.*16000\.$/,
  );
  assert.deepEqual(details, { path: "x.md", next: 16000, text });
});

test("what can't be done is an answer, never a throw", async () => {
  const { gate, shared } = withShared();
  gate.contexts = ['{"error":{"code":"limit","message":"50 is the most","remedy":"wait"}}'];
  const { content, details } = await call(shared, "shared_context_stage", {});
  assert.equal(content[0]?.text, "[Callosum] Not done: 50 is the most; wait.");
  assert.deepEqual(details, { refused: { code: "limit", message: "50 is the most; wait" } });
  gate.throws = new Error("gone");
  assert.match((await call(shared, "shared_context_read", {})).content[0]?.text ?? "", /Not done: gone/);
  const unloaded = new SharedContext(bench({ loaded: NOT_LOADED }).owner, true, { on: false });
  assert.match((await call(unloaded, "shared_context_read", {})).content[0]?.text ?? "", /no such file/);
  assert.deepEqual(await unloaded.promptLines(SESSION), []);
});

test("a prompt says what the look found, the same bytes while that stays, and what was known where the look is late or fails", async () => {
  const { gate, shared, known } = withShared({ on: false });
  gate.contexts = [
    '{"on":true,"text":"first"}',
    '{"on":true,"text":"first"}',
    '{"on":true}',
    '{"error":{"code":"stale","message":"busy"}}',
    '{"on":true,"text":null}',
    '{"on":true,"text":"back"}',
    '{"on":false}',
  ];
  const said = [];
  for (let turn = 0; turn < 7; turn += 1) said.push((await shared.promptLines(SESSION))[0]);
  assert.deepEqual(said, ["first", "first", "first", "first", undefined, "back", undefined]);
  assert.deepEqual(request(gate.calls[0]), { do: "prompt", session: SESSION });
  Object.assign(known, { on: true, text: "kept" });
  gate.context = () => new Promise(() => {});
  assert.deepEqual(await shared.promptLines(SESSION, 1), ["kept", ""]);
});

test("what one instance of the plugin knows, all of this process do", async () => {
  const one = bench();
  const two = bench();
  one.gate.contexts = ['{"on":true,"text":null}'];
  await new SharedContext(one.owner, false).look();
  const other = new SharedContext(two.owner, false);
  assert.equal(other.isOn, true);
  one.gate.contexts = ['{"on":false}'];
  await new SharedContext(one.owner, false).look();
  assert.equal(other.isOn, false);
});

test("beside Engram or Remnic the tools are theirs, and the log says so once", () => {
  const { logger, shared } = withShared();
  const config = { plugins: { entries: { "openclaw-engram": { enabled: true } } } };
  assert.equal(sharedContextTools(shared, { ...CODER, config }, {}), null);
  assert.equal(sharedContextTools(shared, CODER, config), null);
  assert.deepEqual(logger.lines.length, 1);
  assert.match(logger.lines[0] ?? "", /^info callosum: .*"openclaw-engram"/);
});

test("a plugin that is off, or has another name, is not in the way", () => {
  for (const plugins of [{ slots: { memory: "remnic" } }, { allow: ["callosum", "@remnic/engram"] }, { entries: { engram: {} } }])
    assert.ok(pluginWithTheSame({ plugins }), JSON.stringify(plugins));
  for (const plugins of [
    undefined,
    [],
    { entries: { engram: { enabled: false } }, allow: ["engram"] },
    { allow: ["engrams", 3] },
  ])
    assert.equal(pluginWithTheSame({ plugins }), undefined, JSON.stringify(plugins));
});

/** A tool's call for which the core wants to ask a model two questions; what the core was told then, and what the caller got. */
async function withModel(host: AskModel | undefined, model: unknown = null, timeoutMs = 20_000) {
  const world = bench();
  const shared = new SharedContext(world.owner, true, { on: true }, host);
  const questions = ["2026-11-23", "2026-11-24"].map((date) => ({
    date,
    inputDigest: `of ${date}`,
    prompt: `which of ${date}?`,
  }));
  world.gate.contexts = [
    JSON.stringify({ signals: 0, ...(host && { ask: { questions, timeoutMs, model } }) }),
    '{"semantic":{"applied":true}}',
  ];
  const { content, details } = await call(shared, "shared_context_cross_signals_run", {});
  assert.ok(!(content[0]?.text ?? "").includes("which of"), content[0]?.text);
  const told = world.gate.calls.slice(1).map((known) => request(known));
  return { told, details, first: request(world.gate.calls[0]) };
}

test("a model is asked what the core wants to know, and only the core sees what it says", async () => {
  const { first, told, details } = await withModel(async (prompt) => `about ${prompt}`);
  assert.equal(first.canAsk, true);
  const answered = (date: string) => ({
    ...{ do: "answered", date, inputDigest: `of ${date}` },
    ...{ answer: `about which of ${date}?`, timedOut: false },
  });
  assert.deepEqual(told, [answered("2026-11-23"), answered("2026-11-24")]);
  assert.deepEqual(details, { signals: 0, semantic: { applied: true } });
  assert.deepEqual((await withModel(undefined)).details, { signals: 0 });
});

test("a model that is late or fails is asked no more, and the core is told", async () => {
  const outcome = async (host: AskModel, timeoutMs?: number) => {
    const { told } = await withModel(host, null, timeoutMs);
    return told.map(({ answer, timedOut }) => [answer, timedOut]);
  };
  assert.deepEqual(await outcome(() => new Promise(() => {}), 1), [[null, true]]);
  assert.deepEqual(await outcome(async () => Promise.reject(new Error("no model"))), [[null, false]]);
});

test("the model that the settings name is asked in the way of OpenAI, its key is what the variable holds, and whatever else it does is no answer", async () => {
  const asked: Array<{ url: string | undefined; key: string | undefined; body: Record<string, unknown> }> = [];
  let answer: RequestListener = (_request, response) =>
    response.end(JSON.stringify({ choices: [{ message: { content: "said" } }] }));
  const server = createServer((incoming, response) => {
    let text = "";
    incoming.on("data", (chunk) => (text += chunk));
    incoming.on("end", () => {
      asked.push({ url: incoming.url, key: incoming.headers.authorization, body: JSON.parse(text) as Record<string, unknown> });
      answer(incoming, response);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    process.env.CALLOSUM_TEST_KEY = "key-1";
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    const model = { url, model: "small", apiKeyEnv: "CALLOSUM_TEST_KEY" };
    const never: AskModel = () => Promise.reject(new Error("the host's model was asked"));
    const { told } = await withModel(never, model);
    assert.deepEqual(
      told.map((request) => request.answer),
      ["said", "said"],
    );
    const [first] = asked;
    assert.deepEqual([first?.url, first?.key, first?.body.model], ["/v1/chat/completions", "Bearer key-1", "small"]);
    assert.deepEqual(first?.body.messages, [{ role: "user", content: "which of 2026-11-23?" }]);
    const others: RequestListener[] = [
      (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
      (_request, response) => response.writeHead(500).end("{}"),
      (_request, response) => response.end("no JSON"),
      (_request, response) => response.end('{"choices":[{"message":{"content":7}}]}'),
      (_request, response) => response.end(Buffer.alloc((1 << 20) + 1, 32)),
    ];
    for (const other of others) {
      answer = other;
      const { told } = await withModel(never, model);
      assert.deepEqual(
        told.map((request) => request.answer),
        [null],
      );
    }
    assert.ok(asked.every((request) => request.url !== "/elsewhere"));
    answer = () => {};
    assert.deepEqual((await withModel(never, model, 50)).told[0]?.timedOut, true);
  } finally {
    delete process.env.CALLOSUM_TEST_KEY;
    server.closeAllConnections();
    server.close();
  }
});
