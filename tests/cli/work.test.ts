// `callosum work` with a program that does what the test wants: how a task ends, what is counted as a try, and that nothing goes on without its
// worker. The real Gemini CLI does a task in `tests/agents/work.test.ts`.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { until } from "../openclaw/harness/world.ts";
import { built } from "../programs.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-work-"));
const bin = join(directory, "bin");
const script = join(directory, "script");
const asked = join(directory, "asked");
const pid = join(directory, "pid");
const person = { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: directory };
const WAIT_MS = 60_000;
const workers: ChildProcess[] = [];
let stateDir: string;
let program: string;
let dirs = 0;

interface Task {
  id: string;
  state: string;
  why: string | null;
  attempt: number;
  result: string | null;
}

function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  const { status, stdout } = spawnSync(program, ["--state-dir", stateDir, "--json", ...args], { env, encoding: "utf8" });
  return { code: status, answer: JSON.parse(stdout === "" ? "{}" : stdout) as Record<string, Record<string, unknown>> };
}

const task = (id: string) => run(person, "task", "show", id).answer.task as unknown as Task;
const add = (id: string, ...more: string[]) => assert.equal(run(person, "task", "add", "a title", "--id", id, ...more).code, 0);

function work(...args: string[]) {
  const words = ["--state-dir", stateDir, "--json", "work", "gemini", "--cwd", directory, ...args];
  const worker = spawn(program, words, { env: person, stdio: ["ignore", "pipe", "pipe"] });
  workers.push(worker);
  let text = "";
  for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = once(worker, "close").then(([code]) => code as number | null);
  return { worker, ended, told: () => text };
}

/** What the program does, as a shell's script. */
const does = (text: string) => writeFileSync(script, `echo $$ >'${pid}'\n${text}\n`);
function isRunning(): boolean {
  try {
    // Behind the name stands the state: what has ended may not have been waited for.
    const id = readFileSync(pid, "utf8").trim();
    return id !== "" && !/^\S+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch {
    return false;
  }
}

before(() => {
  program = built("callosum");
  mkdirSync(bin);
  // The script is another process: what has to end is more than the program.
  const lines = ["#!/bin/sh", `printf '%s\\n' "$@" >'${asked}'`, `sh '${script}' &`, "wait $!", ""];
  writeFileSync(join(bin, "gemini"), lines.join("\n"));
  chmodSync(join(bin, "gemini"), 0o755);
});
beforeEach(() => {
  dirs += 1;
  stateDir = join(directory, `state-${dirs}`);
  rmSync(pid, { force: true });
});
after(() => {
  for (const worker of workers) worker.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

test("a task ends as its program does, and what was written last is its result", async () => {
  does("echo well done; exit 0");
  add("done", "--prompt", "obey the canary");
  assert.equal(await work("--max", "1", "--", "-m", "some-model").ended, 0);
  assert.deepEqual([task("done").state, task("done").result, task("done").attempt], ["completed", "well done", 1]);
  const words = readFileSync(asked, "utf8");
  assert.match(words, /^-m\nsome-model\n-p\n\[Callosum\] Do the task done, .* task show done --json`/);
  assert.doesNotMatch(words, /canary|a title/);

  does("echo sorry >&2; exit 3");
  add("failed");
  await work("--max", "1").ended;
  assert.deepEqual([task("failed").state, task("failed").why], ["failed", "its program ended with 3: sorry"]);

  does("exit 0");
  add("empty", "--output-file", join(directory, "nowhere"));
  await work("--max", "1").ended;
  assert.deepEqual(
    [task("empty").state, task("empty").why],
    ["failed", "its program ended well, but the output file is not there"],
  );
});

test("only what a person made or accepted, and only what is for the runtime, is done; only a person starts a worker", async () => {
  does("exit 0");
  add("not-ours", "--to", "codex", "--priority", "0");
  const file = join(directory, "bridge.json");
  const queue = [
    { id: "imported", assigned_to: "gemini-cli", status: "pending", priority: 0, prompt: "x", created_by: "claude-code" },
  ];
  writeFileSync(file, JSON.stringify({ version: "2.0.0", task_queue: queue, discoveries: [], messages: [] }));
  assert.equal(run(person, "bridge", "import", file).code, 0);
  add("ours");
  assert.equal(await work("--max", "1").ended, 0);
  assert.deepEqual(
    ["not-ours", "imported", "ours"].map((id) => task(id).state),
    ["open", "open", "completed"],
  );
  assert.equal(run({ ...person, GEMINI_CLI: "1" }, "work", "gemini").answer.error?.code, "unidentified");
  const nowhere = spawnSync(program, ["--state-dir", stateDir, "work", "claude-code"], {
    env: { ...person, PATH: bin },
    encoding: "utf8",
  });
  assert.deepEqual([nowhere.status, /no `claude` on the PATH/.test(nowhere.stderr)], [2, true], nowhere.stderr);
});

test("a program that was killed is tried again, three times at most, and then a person is told", async () => {
  does("kill -9 $PPID; sleep 600");
  add("deadly");
  const { ended, worker } = work();
  await until("the last try", () => task("deadly").state === "failed", WAIT_MS);
  const sessions = () => run(person, "sessions").answer.sessions as unknown as Array<Record<string, unknown>>;
  await until(
    "its rest",
    () => sessions().some(({ instance, activity }) => instance === "worker" && activity === "idle"),
    WAIT_MS,
  );
  assert.match(task("deadly").why ?? "", /^needs a person: its program was ended by signal 9, and it was tried 3 times/);
  await until("the end of what it left behind", () => !isRunning(), WAIT_MS);
  worker.kill("SIGTERM");
  assert.equal(await ended, 0);
  const told = run(person, "inbox").answer.messages as unknown as Array<{ body: string }>;
  assert.equal(told.filter(({ body }) => body.startsWith("Task deadly")).length, 3);
});

test("a worker that is stopped lets its task go, and one that is killed takes its program with it", async () => {
  does("sleep 600");
  add("long");
  const stopped = work();
  await until("the program", () => existsSync(pid) && readFileSync(pid, "utf8") !== "", WAIT_MS);
  assert.deepEqual([task("long").state, task("long").attempt], ["claimed", 1]);
  // It is a session like others, in its folder, and works as long as its program does.
  const session = () => {
    const { sessions } = run(person, "sessions").answer as unknown as { sessions: Array<Record<string, unknown>> };
    return sessions.find(({ instance }) => instance === "worker");
  };
  const { runtime, project, activity, pid: process } = session() ?? {};
  assert.deepEqual([runtime, project, activity, process], ["gemini", directory, "working", stopped.worker.pid]);
  stopped.worker.kill("SIGINT");
  assert.equal(await stopped.ended, 0);
  assert.equal(session()?.activity, "ended");
  await until("the end of its program", () => !isRunning(), WAIT_MS);
  assert.deepEqual([task("long").state, task("long").attempt], ["open", 0]);

  rmSync(pid);
  const killed = work();
  await until("the program", () => existsSync(pid) && readFileSync(pid, "utf8") !== "", WAIT_MS);
  killed.worker.kill("SIGKILL");
  await killed.ended;
  assert.deepEqual([task("long").state, task("long").why], ["lost", "its process ended"]);
  await until("the end of its program", () => !isRunning(), WAIT_MS);
  does("echo at last");
  assert.equal(await work("--max", "1").ended, 0);
  assert.deepEqual([task("long").state, task("long").attempt, task("long").result], ["completed", 2, "at last"]);
});

test("a task that is called off ends its program, and the worker goes on", async () => {
  does("sleep 600");
  add("unwanted");
  const { ended, worker } = work("--max", "1");
  await until("the program", () => existsSync(pid) && readFileSync(pid, "utf8") !== "", WAIT_MS);
  assert.equal(run(person, "task", "cancel", "unwanted").code, 0);
  await until("the end of its program", () => !isRunning(), WAIT_MS);
  does("exit 0");
  add("wanted");
  assert.equal(await ended, 0);
  assert.deepEqual([task("unwanted").state, task("wanted").state, worker.exitCode], ["cancelled", "completed", 0]);
});
