// A session that claims a task is killed before each of the calls of the system by which the command writes: there is one holder or none, the try
// counts if it was written, and the next one has the task.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { built } from "../programs.ts";

/** The calls by which a file changes or becomes durable. */
const WRITES = "write,pwrite64,writev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat";
/** More than a claim needs. */
const MOST = 40;
const directory = mkdtempSync(join(tmpdir(), "callosum-killed-"));
const stateDir = join(directory, "state");
const person = { PATH: process.env.PATH ?? "", HOME: directory };
after(() => rmSync(directory, { recursive: true, force: true }));

interface Task {
  id: string;
  state: string;
  gen: number;
  attempt: number;
  holder: { session: string } | null;
}

/** A runtime: it tells of a call, whose command is killed before its Nth write, and dies. It prints whether the command was killed. */
const RUNTIME = `
  import { spawnSync } from "node:child_process";
  const [program, stateDir, id, nth, writes] = process.argv.slice(2);
  const state = ["--state-dir", stateDir];
  const input = { session_id: "doomed-" + id, hook_event_name: "PreToolUse", cwd: "/tmp", tool_name: "Bash", tool_use_id: id,
    tool_input: { command: "callosum task claim " + id } };
  spawnSync(program, [...state, "hook", "claude-code"], { input: JSON.stringify(input) });
  const traced = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=" + writes, "-e", "inject=" + writes + ":signal=KILL:when=" + nth];
  const claim = [program, ...state, "--json", "task", "claim", id];
  const { status } = spawnSync("strace", [...traced, ...claim], { env: { ...process.env, CLAUDECODE: "1" } });
  console.log(status !== 0);
`;

function run(...args: string[]): { code: number | null; answer: { task: Task; tasks: Task[] } } {
  const program = built("callosum");
  const { status, stdout } = spawnSync(program, ["--state-dir", stateDir, "--json", ...args], { env: person, encoding: "utf8" });
  return { code: status, answer: JSON.parse(stdout) as { task: Task; tasks: Task[] } };
}

/** Whether calls of the system can be watched here, and a process killed at one. */
function canWatch(): boolean {
  const words = ["-f", "-qq", "-o", "/dev/null", "-e", "inject=write:signal=KILL:when=1", "echo"];
  return spawnSync("strace", words).signal === "SIGKILL" || spawnSync("strace", words).status === 137;
}

test("whoever claims a task is killed before each write", {
  skip: !canWatch() && "strace can't watch processes here",
  timeout: 600_000,
}, () => {
  const runtime = join(directory, "runtime.mjs");
  writeFileSync(runtime, RUNTIME);
  const seen = { open: 0, lost: 0 };
  let nth = 0;
  for (let wasKilled = true; wasKilled; ) {
    nth += 1;
    assert.ok(nth < MOST, "a claim writes more often than it should");
    const id = `t${nth}`;
    assert.equal(run("task", "add", id, "--id", id).code, 0);
    const { stdout } = spawnSync(process.execPath, [runtime, built("callosum"), stateDir, id, String(nth), WRITES], {
      env: person,
      encoding: "utf8",
    });
    wasKilled = stdout.trim() === "true";
    const { state, attempt, holder } = run("task", "show", id).answer.task;
    // Its runtime is dead, too: what was claimed is lost, and has nobody.
    assert.ok(state === "open" || state === "lost", `${id} is ${state}`);
    assert.ok(wasKilled || state === "lost", "a claim that was not disturbed was written");
    assert.equal(attempt, state === "lost" ? 1 : 0, id);
    seen[state] += 1;
    const next = run("task", "claim", id);
    assert.deepEqual([next.code, next.answer.task.state, next.answer.task.attempt], [0, "claimed", attempt + 1], id);
    assert.equal(next.answer.task.gen, attempt + 1);
    assert.notEqual(next.answer.task.holder, holder);
  }
  assert.ok(seen.open > 0 && seen.lost > 1, JSON.stringify(seen));
  assert.equal(run("task", "list", "-n", "1000").answer.tasks.length, nth);
  // What the journal says, read here and nowhere else: of each task no number was given twice.
  const lines = readdirSync(stateDir)
    .filter((name) => /^journal(\.\d+)?\.jsonl$/.test(name))
    .flatMap((name) => readFileSync(join(stateDir, name), "utf8").split("\n"))
    .filter((line) => line !== "");
  const claims = lines
    .map((line) => JSON.parse(line) as { action: string; document?: { id: string; did: string; gen: number } })
    .filter(({ action, document }) => action === "task" && document?.did === "claimed")
    .map(({ document }) => `${document?.id} ${document?.gen}`);
  assert.equal(new Set(claims).size, claims.length);
  assert.equal(claims.length, seen.open + 2 * seen.lost);
});
