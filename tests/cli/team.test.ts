// Tasks, messages and events with the real command: a person, and sessions that are known by the calls that their hooks told of.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { built } from "../programs.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-team-"));
const stateDir = join(directory, "state");
/** What a person's shell has. */
const person = { PATH: process.env.PATH ?? "", HOME: directory };
/** What an agent's shell has besides. */
const agent = { ...person, CLAUDECODE: "1" };
const children: ChildProcess[] = [];
let program: string;
let calls = 0;

interface Ran {
  code: number | null;
  answer: Record<string, Record<string, unknown>>;
  lines: Array<Record<string, unknown>>;
}

function run(env: NodeJS.ProcessEnv, ...args: string[]): Ran {
  const { status, stdout } = spawnSync(program, ["--state-dir", stateDir, "--json", ...args], { env, encoding: "utf8" });
  const lines = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code: status, answer: (lines[0] ?? {}) as Ran["answer"], lines };
}

/** Tells of a call of a session, whose runtime is this process. */
function hook(event: "PreToolUse" | "PostToolUse", session: string, call: string, command: string): void {
  const input = {
    session_id: session,
    hook_event_name: event,
    cwd: directory,
    tool_name: "Bash",
    tool_use_id: call,
    tool_input: { command },
    ...(event === "PostToolUse" ? { tool_response: { stdout: "", stderr: "", interrupted: false } } : {}),
  };
  const { stdout } = spawnSync(program, ["--state-dir", stateDir, "hook", "claude-code"], {
    env: person,
    input: JSON.stringify(input),
    encoding: "utf8",
  });
  assert.equal(stdout, "");
}

/** Runs the command in a call of a session, as its shell does. */
function as(session: string, ...args: string[]): Ran {
  calls += 1;
  const [call, line] = [`call-${calls}`, `callosum ${args.map((word) => `'${word}'`).join(" ")}`];
  hook("PreToolUse", session, call, line);
  const ran = run(agent, ...args);
  hook("PostToolUse", session, call, line);
  return ran;
}

before(() => {
  program = built("callosum");
});
after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

test("nothing works together until a person says so, or makes a task", () => {
  const refused = as("early", "task", "add", "too early");
  assert.equal(refused.code, 1);
  assert.equal(refused.answer.error?.code, "policy");
  assert.deepEqual(run(person, "team", "on").answer, { on: true, changed: true });
  // In a call that is gated the policy would refuse it.
  assert.equal(run(agent, "team", "off").answer.error?.code, "unidentified");
  assert.deepEqual(run(person, "team", "off").answer, { on: false, changed: true });
  const made = run(person, "task", "add", "first", "--id", "first", "--prompt", "do it");
  assert.equal(made.code, 0);
  const { by, holder, createdAt, updatedAt, ...task } = made.answer.task ?? {};
  assert.deepEqual(by, { machine: null, instance: "operator", runtime: "", agent: "", session: "", via: "operator" });
  assert.equal(holder, null);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(task, {
    id: "first",
    title: "first",
    prompt: "do it",
    category: null,
    files: [],
    deps: [],
    to: null,
    priority: 1,
    outputFile: null,
    outputExists: null,
    state: "open",
    why: null,
    gen: 0,
    attempt: 0,
    accepted: true,
    result: null,
    late: false,
    slaMs: null,
    did: "created",
  });
});

test("a shell without a call that is open only reads, and is told why before anything else", () => {
  for (const args of [
    ["task", "claim", "nobody-knows-this"],
    ["send", "nobody", "hello"],
    ["inbox", "--drain"],
    ["publish", "calc.discovery", "--body", "x"],
    ["team", "off"],
  ]) {
    const { code, answer } = run(agent, ...args);
    assert.deepEqual([code, answer.error?.code], [2, "unidentified"], args.join(" "));
  }
  assert.equal(run(agent, "task", "list").code, 0);
  assert.equal(run(agent, "task", "show", "first").answer.task?.state, "open");
});

test("a session claims a task and ends it, and nobody else does", () => {
  const claimed = as("ann", "task", "claim", "--next");
  const holder = claimed.answer.task?.holder as Record<string, unknown>;
  assert.deepEqual(
    [claimed.answer.task?.state, claimed.answer.task?.gen, holder.session, holder.runtime, holder.via],
    ["claimed", 1, "ann", "claude-code", "process"],
  );
  assert.equal(as("bob", "task", "claim", "first").answer.error?.code, "claimed");
  assert.equal(as("bob", "task", "done", "first").answer.error?.code, "not-yours");
  assert.equal(as("ann", "task", "done", "first", "--gen", "0").answer.error?.code, "stale");
  const nothing = as("bob", "task", "claim", "--next");
  assert.deepEqual([nothing.code, nothing.answer], [1, { task: null }]);
  const done = as("ann", "task", "done", "first", "--gen", "1", "--result", "well");
  assert.deepEqual([done.answer.task?.state, done.answer.task?.result], ["completed", "well"]);
  assert.equal(run(person, "task", "show", "first").answer.task?.state, "completed");
  assert.deepEqual(run(person, "task", "list").answer, { tasks: [], next: null });
});

test("what a killed process had is lost, and its second holder is attempt 2", async () => {
  run(person, "task", "add", "dangerous", "--id", "dangerous");
  const script = `
    import { spawnSync } from "node:child_process";
    const [program, stateDir] = process.argv.slice(1);
    const input = JSON.stringify({ session_id: "doomed", hook_event_name: "PreToolUse", cwd: "/tmp", tool_name: "Bash",
      tool_use_id: "c", tool_input: { command: "callosum task claim dangerous" } });
    spawnSync(program, ["--state-dir", stateDir, "hook", "claude-code"], { input });
    const env = { ...process.env, CLAUDECODE: "1" };
    const ran = spawnSync(program, ["--state-dir", stateDir, "--json", "task", "claim", "dangerous"], { env, encoding: "utf8" });
    console.log(ran.stdout.trim());
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, program, stateDir], { env: person });
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  assert.equal(JSON.parse(line.toString()).task.attempt, 1);
  assert.equal(run(person, "task", "show", "dangerous").answer.task?.state, "claimed");
  child.kill("SIGKILL");
  await once(child, "exit");
  const lost = run(person, "task", "show", "dangerous").answer.task;
  assert.deepEqual([lost?.state, lost?.why], ["lost", "its process ended"]);
  const taken = as("ann", "task", "claim", "dangerous");
  assert.deepEqual([taken.answer.task?.attempt, taken.answer.task?.gen], [2, 2]);
  assert.equal(as("doomed", "task", "done", "dangerous", "--gen", "1").answer.error?.code, "stale");
  assert.equal(as("ann", "task", "done", "dangerous", "--gen", "2").code, 0);
});

test("only a person at a terminal accepts what a session made, and nobody waits for himself", () => {
  const made = as("ann", "task", "add", "from ann", "--id", "from-ann");
  assert.equal(made.answer.task?.accepted, false);
  assert.equal(as("bob", "task", "claim", "--next").code, 1);
  assert.equal(run(person, "task", "accept", "from-ann").answer.error?.code, "not-yours");
  assert.equal(as("bob", "task", "claim", "from-ann").code, 0);
  assert.equal(run(person, "task", "add", "own", "--id", "own", "--dep", "own").answer.error?.code, "cycle");
  assert.equal(run(person, "task", "add", "x", "--to", "nobody-here").answer.error?.code, "unknown");
  run(person, "task", "add", "later", "--id", "later", "--dep", "from-ann");
  assert.equal(as("ann", "task", "claim", "later").answer.error?.code, "blocked");
  assert.equal(as("bob", "task", "done", "from-ann").code, 0);
  assert.equal(as("ann", "task", "claim", "later").code, 0);
  assert.equal(as("ann", "task", "done", "later").code, 0);
});

test("a message is read once by whom it is for", () => {
  // What became of her tasks she was told.
  const told = as("ann", "inbox", "--drain").answer.messages as unknown as Array<Record<string, unknown>>;
  assert.deepEqual(told.at(-1)?.body, "Task from-ann is completed: see it for what came of it.");
  const sent = as("ann", "send", "bob", "the schema has changed", "--intent", "request");
  assert.equal(sent.answer.message?.intent, "request");
  assert.deepEqual((sent.answer.delivery as unknown as Array<Record<string, unknown>>)[0]?.how, "next-hook");
  assert.equal(as("ann", "send", "bob", "the schema has changed", "--intent", "request").answer.message?.dropped !== null, true);
  assert.equal(as("ann", "send", "nobody", "x").answer.error?.code, "unknown");
  assert.equal(as("ann", "inbox").answer.unread, 0);
  const drained = as("bob", "inbox", "--drain");
  const [message] = drained.answer.messages as unknown as Array<Record<string, unknown>>;
  assert.deepEqual([message?.body, message?.state, drained.answer.unread], ["the schema has changed", "shown", 0]);
  assert.deepEqual(as("bob", "inbox", "--drain").answer.messages, []);
  const id = String(message?.id);
  assert.equal(as("ann", "ack", id).answer.error?.code, "not-yours");
  assert.equal(as("bob", "ack", id).code, 0);
  const [read] = as("bob", "inbox").answer.messages as unknown as Array<Record<string, unknown>>;
  assert.equal(read?.state, "acknowledged");
});

test("what is for another one is not taken by chance, and where its result is to be is looked at", () => {
  const output = join(directory, "review.md");
  const made = run(person, "task", "add", "for gemini", "--id", "for-gemini", "--to", "gemini-cli", "--output-file", output);
  assert.deepEqual([made.answer.task?.outputFile, made.answer.task?.outputExists], [output, false]);
  assert.equal(run(person, "task", "claim", "--next").code, 1);
  assert.equal(as("ann", "task", "claim", "for-gemini").answer.error?.code, "not-yours");
  writeFileSync(output, "fine");
  assert.equal(run(person, "task", "claim", "for-gemini").answer.task?.outputExists, true);
  assert.equal(run(person, "task", "cancel", "for-gemini").answer.task?.state, "cancelled");
});

test("events are published, and watched in three forms", () => {
  assert.equal(as("ann", "publish", "calc.discovery", "--body", "libfoo 3 breaks the build").code, 0);
  const again = as("ann", "publish", "calc.discovery", "--body", "libfoo 3 breaks the build");
  assert.match(String(again.answer.dropped), /within the last 5 seconds/);
  assert.equal(as("ann", "publish", "task.completed").answer.error?.code, "policy");
  const watch = (...args: string[]) => run(person, "watch", "--since", "0", "--once", ...args).lines;
  const [found, ...more] = watch("--topic", "calc.discovery");
  assert.equal(more.length, 0);
  assert.deepEqual(Object.keys(found ?? {}).sort(), ["at", "data", "from", "id", "seq", "topic"]);
  assert.deepEqual(found?.data, { body: "libfoo 3 breaks the build" });
  const [calc] = watch("--topic", "calc.*", "--format", "calc").filter((event) => event.type === "calc.discovery");
  assert.deepEqual(Object.keys(calc ?? {}).sort(), [
    "cwd",
    "event",
    "machine",
    "pane_id",
    "payload",
    "session_id",
    "source",
    "timestamp",
    "ts",
    "type",
  ]);
  assert.deepEqual([calc?.event, calc?.source, calc?.session_id], ["calc.discovery", "claude-code", "ann"]);
  const [cloud] = watch("--topic", "calc.discovery", "--format", "cloudevents");
  assert.deepEqual([cloud?.specversion, cloud?.type], ["1.0", "callosum.calc.discovery"]);
  const topics = new Set(watch().map((event) => event.topic));
  for (const topic of ["task.created", "task.claimed", "task.completed", "task.lost", "message.sent", "call.started"])
    assert.ok(topics.has(topic), topic);
  assert.ok(watch("--topic", "agent.task_complete").length > 0);
  assert.ok(watch("--topic", "calc.ack").length > 0);
  const [gap] = run(person, "watch", "--since", String(found?.seq), "--once", "--topic", "calc.discovery").lines;
  assert.equal(gap?.seq, found?.seq);
});

test("a text is routed, looked for and told in short", () => {
  const routed = run(person, "route", "review 150K tokens of logs").answer;
  assert.deepEqual([routed.agent, routed.fallback, routed.sla], ["gemini", "claude-code", "15 min"]);
  const found = run(person, "search", "libfoo").answer;
  const [turn] = found.related_turns as unknown as Array<Record<string, unknown>>;
  assert.deepEqual(Object.keys(turn ?? {}).sort(), ["preview", "score", "source"]);
  assert.match(String(turn?.source), /^journal:\d+$/);
  const digest = run(person, "digest").answer;
  assert.match(String(digest.text), /libfoo 3 breaks the build/);
  assert.equal(Number(digest.chars), [...String(digest.text)].length);
});

test("a bridge file goes round", () => {
  const file = join(directory, "bridge.json");
  const bridge = {
    version: "2.0.0",
    last_updated: "2026-03-09T00:00:00Z",
    last_writer: "codex",
    active_evolution: "evo3",
    task_queue: [
      {
        id: "0b1c",
        assigned_to: "gemini-cli",
        status: "in_progress",
        priority: 2,
        prompt: "Review it\nall",
        output_file: "/tmp/r.md",
        created_by: "codex",
        created_at: "2026-03-09T00:00:00Z",
        completed_at: null,
        tags: ["a"],
      },
      {
        id: "0b1d",
        assigned_to: "codex",
        status: "complete",
        priority: 1,
        prompt: "Done",
        output_file: null,
        created_by: "codex",
        created_at: "2026-03-09T00:00:00Z",
        completed_at: "2026-03-09T01:00:00Z",
      },
    ],
    account_state: { mac1_account: { email: "a@example.com", status: "active" } },
    discoveries: [{ content: "found it", source: "codex", timestamp: "2026-03-09T00:00:00Z" }],
    messages: [{ from: "codex", to: "gemini-cli", content: "hello", timestamp: "2026-03-09T00:00:00Z" }],
  };
  writeFileSync(file, JSON.stringify(bridge));
  assert.deepEqual(run(person, "bridge", "import", file).answer, { imported: 1, exported: 0 });
  assert.deepEqual(run(person, "bridge", "import", file).answer, { imported: 0, exported: 0 });
  const taken = run(person, "task", "show", "0b1c").answer.task;
  assert.deepEqual([taken?.accepted, taken?.state, taken?.to, taken?.title], [false, "open", "gemini", "Review it"]);
  const out = join(directory, "out.json");
  assert.equal(run(person, "bridge", "export", out).code, 0);
  const written = JSON.parse(readFileSync(out, "utf8")) as typeof bridge;
  const entryOf = (id: string) => written.task_queue.find((task) => task.id === id);
  assert.deepEqual(entryOf("0b1c"), { ...bridge.task_queue[0], status: "pending" });
  // What is done there stays as it is, though nobody here ever knew of it.
  assert.deepEqual(entryOf("0b1d"), bridge.task_queue[1]);
  assert.deepEqual([written.version, written.active_evolution, written.account_state], ["2.0.0", "evo3", bridge.account_state]);
  assert.deepEqual(written.discoveries[0], bridge.discoveries[0]);
  assert.deepEqual(written.messages[0], bridge.messages[0]);
  assert.equal(written.discoveries.filter(({ content }) => content === "found it").length, 1);
  assert.equal(entryOf("first")?.status, "complete");
  assert.equal(run(person, "bridge", "sync", out).code, 0);
  const again = JSON.parse(readFileSync(out, "utf8")) as typeof bridge;
  assert.deepEqual(again.task_queue, written.task_queue);
  assert.deepEqual(again.discoveries, written.discoveries);
  // The file itself: nothing of it is lost and nothing moves; what was done here is done there.
  assert.equal(run(person, "task", "claim", "0b1c").code, 0);
  assert.equal(run(person, "task", "done", "0b1c").code, 0);
  const foreign = { id: "0b1e", status: "pending", prompt: "nobody took this over", extra: { kept: true } };
  writeFileSync(file, JSON.stringify({ ...bridge, task_queue: [...bridge.task_queue, foreign] }));
  assert.equal(run(person, "bridge", "export", file).code, 0);
  const back = JSON.parse(readFileSync(file, "utf8")) as typeof bridge;
  const [ended, ...rest] = back.task_queue;
  assert.deepEqual({ ...ended, completed_at: null }, { ...bridge.task_queue[0], status: "complete" });
  assert.match(String(ended?.completed_at), /^\d{4}-/);
  assert.deepEqual(rest.slice(0, 2), [bridge.task_queue[1], foreign]);
  assert.deepEqual(
    [back.version, back.active_evolution, back.account_state, back.discoveries[0], back.messages[0]],
    [bridge.version, bridge.active_evolution, bridge.account_state, bridge.discoveries[0], bridge.messages[0]],
  );
});

test("five thousand tasks may be open, and the next is refused", () => {
  const file = join(directory, "many.json");
  const task_queue = Array.from({ length: 5_001 }, (_, number) => ({ id: `many-${number}`, prompt: `task ${number}` }));
  writeFileSync(file, JSON.stringify({ version: "2.0.0", task_queue, discoveries: [], messages: [] }));
  const { code, answer } = run(person, "bridge", "import", file);
  assert.deepEqual([code, answer.error?.code], [1, "limit"]);
  const { tasks, next } = run(person, "task", "list", "-n", "1000").answer as unknown as { tasks: unknown[]; next: string };
  assert.equal(tasks.length, 1_000);
  assert.ok(next !== null);
  assert.equal(run(person, "task", "add", "one more").answer.error?.code, "limit");
});
