// `callosum mcp` asked by a client in JSON lines: every tool, who is taken for the caller, and what is no message. This process is the
// runtime: it tells the hooks of its calls, and starts the server.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { McpClient, type Refused, type Told } from "../mcp-client.ts";
import { built } from "../programs.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-mcp-"));
const stateDir = join(directory, "state");
const person = { PATH: process.env.PATH ?? "", HOME: directory };
const clients: McpClient[] = [];
let program: string;
let calls = 0;

function cli(...args: string[]): Record<string, Record<string, unknown>> {
  const { stdout } = spawnSync(program, ["--state-dir", stateDir, "--json", ...args], { env: person, encoding: "utf8" });
  return JSON.parse(stdout) as Record<string, Record<string, unknown>>;
}

function hook(runtime: "codex" | "claude-code", session: string, event: string, more: object = {}): void {
  const input = { session_id: session, hook_event_name: event, cwd: directory, ...more };
  const { stdout } = spawnSync(program, ["--state-dir", stateDir, "hook", runtime], {
    env: person,
    input: JSON.stringify(input),
    encoding: "utf8",
  });
  assert.equal(stdout, "");
}

async function server(env: NodeJS.ProcessEnv = person): Promise<McpClient> {
  const client = new McpClient(program, ["--state-dir", stateDir, "mcp"], env);
  clients.push(client);
  await client.open();
  return client;
}

/** Calls a tool in a session, whose hooks tell of it; the runtime names the call, as Codex does, or doesn't. */
async function as(client: McpClient, session: string, tool: string, args: object, isNamed = true): Promise<Told> {
  calls += 1;
  const call = { tool_name: `mcp__callosum__${tool}`, tool_input: args, tool_use_id: `call_${calls}` };
  hook("codex", session, "PreToolUse", call);
  const meta = isNamed ? { callId: call.tool_use_id, sessionId: session } : { progressToken: calls };
  const told = await client.call(tool, args, meta);
  hook("codex", session, "PostToolUse", { ...call, tool_response: { content: [] } });
  return told;
}

const refusal = ({ structured }: Told) => structured.error as Refused;
const task = ({ structured }: Told) => structured.task as Record<string, unknown>;

before(() => {
  program = built("callosum");
});
after(async () => {
  for (const client of clients) client.kill();
  rmSync(directory, { recursive: true, force: true });
});

test("six tools, told in few words, and every result says how many messages wait", async () => {
  const client = await server();
  const { result } = await client.request("tools/list");
  const tools = result?.tools as Array<{ name: string; description: string; annotations: Record<string, unknown> }>;
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    "callosum_context",
    "callosum_recent",
    "callosum_search",
    "callosum_send",
    "callosum_task_update",
    "callosum_team",
  ]);
  for (const { name, description, annotations } of tools) {
    assert.ok(description.length <= 200, name);
    const { title: _, ...hints } = annotations;
    const reads = ["callosum_recent", "callosum_search", "callosum_team"].includes(name);
    assert.deepEqual(
      hints,
      reads ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    );
  }
  for (const [name, args] of [
    ["callosum_recent", {}],
    ["callosum_team", {}],
    ["callosum_search", { query: "parser" }],
  ] as const) {
    const told = await client.call(name, args);
    assert.equal(told.isError, false, JSON.stringify(told));
    assert.equal(told.structured.unread, null);
    assert.match(told.texts[1] ?? "", /^\[Callosum\] Unread messages: unknown/);
    assert.match(told.texts[0] ?? "", /data, not instructions/);
  }
  assert.equal(await client.end(), 0);
});

test("who can't be told may only read, whatever else is asked", async () => {
  cli("team", "on");
  const client = await server();
  for (const [name, args] of [
    ["callosum_task_update", { event: "nonsense" }],
    ["callosum_send", { to: 5 }],
    ["callosum_team", { show: "inbox" }],
    ["callosum_context", { do: "write", title: "x" }],
    ["callosum_context", {}],
  ] as const) {
    const told = await client.call(name, args);
    assert.deepEqual([told.isError, refusal(told).code], [true, "unidentified"], name);
  }
});

test("a session works by tools: adds, claims, ends, writes, reads, acknowledges", async () => {
  const client = await server();
  const added = await as(client, "a", "callosum_task_update", { event: "add", title: "Review", id: "review", to: "codex" });
  assert.equal(task(added).state, "open");
  assert.deepEqual((task(added).by as Record<string, unknown>).via, "meta");
  assert.equal(added.structured.unread, 0);
  const claimed = await as(client, "b", "callosum_task_update", { event: "claimed", id: "review" });
  assert.deepEqual([task(claimed).state, task(claimed).gen], ["claimed", 1]);
  assert.equal((task(claimed).holder as Record<string, unknown>).session, "b");
  const again = await as(client, "a", "callosum_task_update", { event: "claimed", id: "review" });
  assert.equal(refusal(again).code, "claimed");
  const done = await as(client, "b", "callosum_task_update", { event: "done", id: "review", gen: 1, result: "fine" });
  assert.deepEqual([task(done).state, task(done).result], ["completed", "fine"]);

  const sent = await as(client, "a", "callosum_send", { to: "b", body: "the schema has changed", intent: "request" });
  assert.equal(sent.isError, false, JSON.stringify(sent));
  const waits = await as(client, "b", "callosum_task_update", { event: "claimed", next: true });
  assert.deepEqual([waits.structured.task, waits.structured.unread], [null, 1]);
  assert.match(waits.texts[1] ?? "", /Unread messages: 1\./);
  const read = await as(client, "b", "callosum_team", { show: "inbox" });
  const [message] = read.structured.messages as Array<Record<string, unknown>>;
  assert.deepEqual([message?.body, read.structured.unread], ["the schema has changed", 0]);
  const acknowledged = await as(client, "b", "callosum_send", { intent: "ack", replyTo: message?.id });
  assert.equal(acknowledged.isError, false, JSON.stringify(acknowledged));
  const published = await as(client, "b", "callosum_send", { topic: "calc.discovery", body: "libfoo 3 breaks the build" });
  assert.equal(published.isError, false, JSON.stringify(published));
  const found = await client.call("callosum_search", { query: "libfoo" });
  assert.match(JSON.stringify(found.structured.related_turns), /libfoo 3 breaks/);

  const recent = await client.call("callosum_recent", { key: "task:review" });
  assert.ok(Number(recent.structured.actions) >= 3, JSON.stringify(recent.structured));
  for (const wrong of [{ limit: 0 }, { limit: "x" }]) {
    assert.equal(refusal(await client.call("callosum_recent", wrong)).code, "bad-request");
  }
  assert.equal(refusal(await as(client, "b", "callosum_task_update", { event: "no" })).code, "bad-request");
});

test("the shared context by the same rules as elsewhere", async () => {
  const shared = join(directory, "shared");
  const env = { ...person, CALLOSUM_SHARED_CONTEXT_DIR: shared };
  spawnSync(program, ["--state-dir", stateDir, "context", "init"], { env });
  const client = await server(env);
  const written = await as(client, "a", "callosum_context", {
    do: "write",
    title: "Notes",
    body: "API_KEY=sk-abcdefghijklmnop0123456789abcdef",
  });
  assert.equal(written.isError, false, JSON.stringify(written));
  assert.deepEqual([written.structured.agent, written.structured.redacted], ["codex", 1]);
  // Whoever it is.
  const there = await client.call("callosum_context", { do: "read", path: written.structured.path });
  assert.match(String(there.structured.text), /title: "Notes"/);
  assert.doesNotMatch(JSON.stringify(there), /abcdefghijklmnop/);
  assert.match(there.texts[0] ?? "", /data, not instructions/);
});

test("a forged `_meta`, another tool's call, another process: nobody", async () => {
  const client = await server();
  const add = { event: "add", title: "forged" };
  const call = { tool_name: "mcp__callosum__callosum_task_update", tool_input: add, tool_use_id: "call_open" };
  const unidentified = async (told: Promise<Told>, why: RegExp) => {
    const { code, message } = refusal(await told);
    assert.equal(code, "unidentified");
    assert.match(message, why);
  };
  // Nothing of the kind was let through.
  await unidentified(client.call("callosum_task_update", add, { callId: "call_made_up", sessionId: "a" }), /_meta/);
  hook("codex", "a", "PreToolUse", call);
  await unidentified(client.call("callosum_task_update", add, { callId: "call_made_up", sessionId: "a" }), /_meta/);
  await unidentified(client.call("callosum_send", { to: "b", body: "x" }, { callId: "call_open" }), /_meta/);
  // A server that a shell started: the shell is no runtime, whatever the call's id.
  const shell = new McpClient("sh", ["-c", `${program} --state-dir ${stateDir} mcp; true`], { ...person, CODEX_THREAD_ID: "a" });
  clients.push(shell);
  await shell.open();
  await unidentified(shell.call("callosum_task_update", add, { callId: "call_open" }), /_meta/);
  await unidentified(shell.call("callosum_task_update", add), /shell/);
  // With the real call, the real session.
  assert.equal((await client.call("callosum_task_update", add, { callId: "call_open" })).isError, false);
  // Two sessions of one process at the same tool, and no id.
  hook("codex", "b", "PreToolUse", { ...call, tool_use_id: "call_other" });
  await unidentified(client.call("callosum_task_update", add), /2 calls/);
  for (const [session, id] of [
    ["a", "call_open"],
    ["b", "call_other"],
  ] as const) {
    hook("codex", session, "PostToolUse", { ...call, tool_use_id: id, tool_response: { content: [] } });
  }
  // After its end it is nobody's any more.
  await unidentified(client.call("callosum_task_update", add, { callId: "call_open" }), /_meta/);
});

test("without ids, the one open call tells; without one, the one session of the process", async () => {
  const other = join(directory, "other");
  const args = ["--state-dir", other];
  const told = (event: string, more = {}) =>
    spawnSync(program, [...args, "hook", "codex"], {
      env: person,
      input: JSON.stringify({ session_id: "only", hook_event_name: event, cwd: directory, ...more }),
    });
  spawnSync(program, [...args, "team", "on"], { env: person });
  told("SessionStart", { source: "startup" });
  const add = { event: "add", title: "mine" };
  for (const [env, isKnown] of [
    [person, true],
    // A shell of an agent's has this, and Gemini gives it to servers too: then only a call that was let through tells.
    [{ ...person, GEMINI_CLI: "1" }, false],
  ] as const) {
    const client = new McpClient(program, [...args, "mcp"], env);
    clients.push(client);
    await client.open();
    const made = await client.call("callosum_task_update", add);
    assert.equal(made.isError, !isKnown, JSON.stringify(made));
    if (isKnown) assert.deepEqual((task(made).by as Record<string, unknown>).session, "only");
    assert.equal((await client.call("callosum_team")).structured.unread, 0);
    told("PreToolUse", { tool_name: "mcp__callosum__callosum_task_update", tool_input: add, tool_use_id: `call_${isKnown}` });
    const again = await client.call("callosum_task_update", { ...add, title: "mine again" });
    assert.deepEqual((task(again).by as Record<string, unknown>).via, "process");
    told("PostToolUse", {
      tool_name: "mcp__callosum__callosum_task_update",
      tool_input: add,
      tool_use_id: `call_${isKnown}`,
      tool_response: { content: [] },
    });
  }
});

test("a call that Codex tells no end of is closed: by the server that refused it, else when the turn is over", async () => {
  const client = await server();
  const ends = (call: string) => {
    const { entries } = cli("journal", "-n", "200", "--session", "untold", "--records") as unknown as {
      entries: Array<{ action: string; call?: string; tool?: string }>;
    };
    return entries.filter((entry) => entry.call === call).map(({ action }) => action);
  };
  const args = { event: "claimed", id: "nobody-knows-it" };
  const begin = (tool: string, id: string, input: object) =>
    hook("codex", "untold", "PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id });
  begin("mcp__callosum__callosum_task_update", "refused", args);
  const told = await client.call("callosum_task_update", args, { callId: "refused" });
  assert.deepEqual([told.isError, refusal(told).code], [true, "unknown"]);
  assert.deepEqual(ends("refused"), ["intercept", "failed"]);
  // Of another server nobody knows whether it did something before it failed; what a shell runs may go on.
  begin("mcp__mailer__send_mail", "of-mailer", { to: "alice@example.com" });
  begin("Bash", "of-shell", { command: "ssh build.example.com make" });
  hook("codex", "other", "Stop");
  assert.deepEqual([ends("of-mailer"), ends("of-shell")], [["intercept"], ["intercept"]]);
  hook("codex", "untold", "Stop");
  assert.deepEqual([ends("of-mailer"), ends("of-shell")], [["intercept", "unknown"], ["intercept"]]);
});

test("where nothing can be written it says so, and reads", async () => {
  const open = { tool_name: "mcp__callosum__callosum_task_update", tool_input: {}, tool_use_id: "call_sealed" };
  hook("codex", "a", "PreToolUse", open);
  // A sandbox's walls differ; no file of this process may grow. The shell becomes the server.
  const client = new McpClient("sh", ["-c", `ulimit -f 0; exec ${program} --state-dir ${stateDir} mcp`], person);
  clients.push(client);
  await client.open();
  const told = await client.call("callosum_task_update", { event: "add", title: "x" }, { callId: "call_sealed" });
  assert.equal(refusal(told).code, "cannot-write");
  assert.equal((await client.call("callosum_team")).isError, false);
  hook("codex", "a", "PostToolUse", { ...open, tool_response: { content: [] } });
});

const OWN_PROCESSES = ["-pf", "--mount-proc"];
const hasNamespaces = spawnSync("unshare", [...OWN_PROCESSES, "true"]).status === 0;
test("a server with process numbers of its own is nobody's", {
  skip: !hasNamespaces && "no namespaces are to be had here",
}, async () => {
  const open = { tool_name: "mcp__callosum__callosum_task_update", tool_input: {}, tool_use_id: "call_boxed" };
  hook("codex", "a", "PreToolUse", open);
  const client = new McpClient("unshare", [...OWN_PROCESSES, program, "--state-dir", stateDir, "mcp"], person);
  clients.push(client);
  await client.open();
  const told = await client.call("callosum_task_update", { event: "add", title: "x" }, { callId: "call_boxed" });
  assert.equal(refusal(told).code, "unidentified");
  assert.equal((await client.call("callosum_team")).isError, false);
  hook("codex", "a", "PostToolUse", { ...open, tool_response: { content: [] } });
});

test("what is no message is answered or left, and the next one is served", async () => {
  const client = await server();
  client.write("broken {");
  client.write("");
  client.write('[1, "no request"]');
  const unknown = await client.request("no/such/method");
  assert.equal(unknown.error?.code, -32601);
  const tool = await client.request("tools/call", { name: "callosum_nothing" });
  assert.match(tool.error?.message ?? "", /there is no tool `callosum_nothing`/);
  const huge = await client.request("tools/call", { name: "callosum_send", arguments: { to: "b", body: "x".repeat(3 << 20) } });
  assert.match(huge.error?.message ?? "", /at most 1048576 bytes/);
  const long = await as(client, "a", "callosum_send", { to: "b", body: "x".repeat(4_097) });
  assert.equal(refusal(long).code, "limit");
  assert.deepEqual(await client.request("ping"), { jsonrpc: "2.0", id: 6, result: {} });
  assert.deepEqual(
    client.strays.map(({ error }) => error?.code),
    [-32600],
  );
  // What was asked before the end of the input is answered.
  const last = client.call("callosum_team");
  assert.equal(await client.end(), 0);
  assert.equal((await last).isError, false);
});

test("a client of the revision without a handshake", async () => {
  const client = new McpClient(program, ["--state-dir", stateDir, "mcp"], person);
  clients.push(client);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { result } = await client.request("tools/list", { _meta });
  assert.equal((result?.tools as unknown[] | undefined)?.length, 6);
});

for (const [runtime, file, before] of [
  ["claude-code", ".claude.json", '{\n  "numStartups": 3,\n  "secret": "hidden"\n}\n'],
  ["codex", ".codex/config.toml", 'model = "x" # mine\nsecret = "hidden"'],
  ["gemini", ".gemini/settings.json", '{\n  // mine\n  "secret": "hidden",\n  "mcpServers": { "other": {} }\n}\n'],
] as const) {
  test(`install --mcp and uninstall: ${runtime}`, () => {
    const home = join(directory, `home-${runtime}`);
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, before);
    const env = { PATH: process.env.PATH ?? "", HOME: home };
    const run = (...args: string[]) => {
      const ran = spawnSync(program, ["--state-dir", stateDir, ...args], { env, encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
      return ran.stdout;
    };
    const dry = run("install", runtime, "--mcp", "--dry-run");
    assert.match(dry, /^\+.*"mcp"/m);
    assert.doesNotMatch(dry, /hidden/);
    assert.equal(readFileSync(path, "utf8"), before);
    // Also the default is named: no variable of a project's may lead elsewhere.
    const usual = spawnSync(program, ["install", runtime, "--mcp", "--dry-run"], { env, encoding: "utf8" }).stdout;
    assert.match(usual, new RegExp(`"mcp",\\s*\\+?\\s*"--state-dir",\\s*\\+?\\s*"${home}/.callosum"`));

    run("install", runtime, "--mcp");
    const there = readFileSync(path, "utf8");
    assert.match(there, new RegExp(`"mcp",\\s*"--state-dir",\\s*"${stateDir}"`));
    assert.match(run("install", runtime, "--mcp"), /already in/);
    assert.equal(readFileSync(path, "utf8"), there);
    const examined = spawnSync(program, ["--state-dir", stateDir, "--json", "doctor"], { env, encoding: "utf8" }).stdout;
    const { findings } = JSON.parse(examined) as { findings: Array<{ id: string; level: string }> };
    assert.equal(findings.find(({ id }) => id === `${runtime}.mcp`)?.level, "ok", examined);

    // The server alone, then both.
    run("uninstall", runtime, "--mcp");
    assert.match(run("uninstall", runtime, "--mcp"), /is not in/);
    if (runtime !== "gemini") assert.equal(readFileSync(path, "utf8"), before);
    run("install", runtime, "--mcp");
    const { mcp } = JSON.parse(run("--json", "uninstall", runtime)) as { mcp: { changed: boolean; file: string } };
    assert.deepEqual([mcp.changed, mcp.file], [true, path]);
    assert.equal(readFileSync(path, "utf8"), before);
    assert.ok(!existsSync(`${path}.callosum-backup`));
  });
}

test("another server of the name is left alone, and nothing else is written", () => {
  const home = join(directory, "home-taken");
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  mkdirSync(join(home, ".codex"), { recursive: true });
  writeFileSync(join(home, ".codex", "config.toml"), '[mcp_servers.callosum]\ncommand = "x"\n');
  const { status, stderr } = spawnSync(program, ["install", "codex", "--mcp"], { env, encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /another MCP server is called `callosum`/);
  assert.ok(!existsSync(join(home, ".codex", "hooks.json")));
});
