// A task from hand to hand: Codex makes it, a person accepts it at a terminal, and a worker has the real Gemini CLI do it. The worker is killed once.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { isRecord, listOf } from "../openclaw/harness/fake-model.ts";
import { CALLOSUM } from "../openclaw/harness/stage.ts";
import { until } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

/** What a session wrote: it stands in results of tools alone, and in the call that wrote it. */
const CANARY = "obey-this-canary";
const PROGRAMS = new URL("node_modules/.bin", import.meta.url).pathname;
const WAIT_MS = 60_000;

interface Task {
  state: string;
  attempt: number;
  gen: number;
  accepted: boolean;
  result: string | null;
  outputExists: boolean | null;
  why: string | null;
  holder: { instance: string; runtime: string } | null;
  by: { runtime: string };
}

let scene: Scene;
const workers: ChildProcess[] = [];
before(async () => {
  scene = await Scene.open({ mcp: true });
  await scene.cli("team", "on");
});
after(async () => {
  // What they run ends with them.
  for (const worker of workers) worker.kill("SIGKILL");
  await scene?.close();
});

const task = async () => (JSON.parse(await scene.cli("task", "show", "notes", "--json")) as { task: Task }).task;

/** Starts a worker as a person does, and gives it and what it prints. */
function work(): { worker: ChildProcess; printed: () => string; ended: Promise<number | null> } {
  const own = ["-m", "gemini-2.5-flash", "--approval-mode", "yolo"];
  const args = [
    "--state-dir",
    scene.stateDir,
    "--json",
    "work",
    "gemini",
    "--max",
    "1",
    "--cwd",
    scene.gemini.project,
    "--",
    ...own,
  ];
  const env = scene.gemini.environment();
  const path = [PROGRAMS, dirname(process.execPath), env.PATH].join(":");
  const worker = spawn(CALLOSUM, args, { env: { ...env, PATH: path }, stdio: ["ignore", "pipe", "pipe"] });
  workers.push(worker);
  let text = "";
  for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  return { worker, printed: () => text, ended: once(worker, "close").then(([code]) => code as number | null) };
}

/** The processes that were started with these words. */
function running(words: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(words);
      } catch {
        // It has ended.
        return false;
      }
    });
}

/** What a request says besides results of tools, and the calls that the model made itself. */
function besides(body: string): string {
  const request = JSON.parse(body) as Record<string, unknown>;
  const isOfTool = (part: Record<string, unknown>) =>
    isRecord(part.functionResponse) || isRecord(part.functionCall) || /^(function|custom_tool)_call/.test(String(part.type));
  const input = listOf(request.input).filter((item) => !isOfTool(item));
  const contents = listOf(request.contents).map((content) => listOf(content.parts).filter((part) => !isOfTool(part)));
  return JSON.stringify({ ...request, input, contents });
}

test("a task of Codex is done by a worker of Gemini, whose first try was killed, and Codex is told", async () => {
  const file = join(scene.gemini.project, "notes.md");
  const add = { event: "add", id: "notes", title: `Write notes ${CANARY}`, prompt: `Notes, please: ${CANARY}`, to: "gemini" };
  const codex = scene.begin(
    scene.codex,
    { name: "mcp__callosum/callosum_task_update", args: { ...add, outputFile: file } },
    { calls: [{ name: "mcp__callosum/callosum_team", args: { show: "inbox" } }], hold: "done" },
  );
  await until("the task of Codex", () => codex.requests().length === 2, WAIT_MS);
  assert.deepEqual([(await task()).accepted, (await task()).by.runtime], [false, "codex"]);

  // Nobody takes it before a person has accepted it: this worker waits.
  const read = { name: "mcp_callosum_callosum_team", args: { show: "task", id: "notes" } };
  const write = { name: "write_file", args: { file_path: file, content: "all of it\n" } };
  let turn = { turn: "first", steps: [{ calls: [read] }, { calls: [write], hold: "for ever" }] };
  scene.model.improvise = (said) => (said.includes("Do the task notes") ? turn : undefined);
  const first = work();
  const accept = `'${CALLOSUM}' --state-dir '${scene.stateDir}' task accept notes`;
  await promisify(execFile)("script", ["-qec", accept, "/dev/null"], { env: scene.gemini.environment(), timeout: WAIT_MS });
  await until("the first try", () => scene.model.turn("first").length === 2, WAIT_MS);
  const claimed = await task();
  assert.deepEqual(
    [claimed.state, claimed.attempt, claimed.holder?.instance, claimed.holder?.runtime],
    ["claimed", 1, "worker", "gemini"],
  );
  assert.ok(running("Do the task notes").length > 0);
  first.worker.kill("SIGKILL");
  await first.ended;
  // Its program does not go on without it.
  await until("the end of what the worker ran", () => running("Do the task notes").length === 0, WAIT_MS);
  assert.deepEqual([(await task()).state, (await task()).why], ["lost", "its process ended"]);

  turn = { turn: "second", steps: [{ calls: [read] }, { calls: [write] }] as typeof turn.steps };
  const second = work();
  assert.equal(await second.ended, 0, second.printed());
  const done = await task();
  assert.deepEqual([done.state, done.attempt, done.gen, done.outputExists, done.result], ["completed", 2, 2, true, "Done."]);
  assert.equal(readFileSync(file, "utf8"), "all of it\n");
  assert.equal((JSON.parse(second.printed()) as { task: Task }).task.state, "completed");

  scene.model.release("done");
  const [, told] = await codex.results();
  assert.match(told ?? "", /Task notes was lost in attempt 1: its process ended/);
  assert.match(told ?? "", /Task notes is completed/);

  const gemini = ["first", "second"].flatMap((name) => scene.model.turn(name).map(({ body }) => body));
  assert.equal(gemini.filter((body) => body.includes(CANARY)).length, 3);
  for (const body of gemini) assert.ok(!besides(body).includes(CANARY), besides(body));
  for (const body of codex.requests()) {
    // The script is the person's word.
    assert.ok(
      !besides(body)
        .replace(/<<play .*>>/s, "")
        .includes(CANARY),
    );
  }
});
