// `callosum inject`: a line typed into the terminal of an idle session that runs in tmux, and everything that keeps it from being typed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../openclaw/harness/world.ts";
import { built } from "../programs.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-inject-"));
const stateDir = join(directory, "state");
const heard = join(directory, "heard");
/** tmux keeps its server's socket here: nobody else's is asked. */
const person = { PATH: process.env.PATH ?? "", HOME: directory, TMUX_TMPDIR: directory, LANG: "C.UTF-8" };
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const skip = hasTmux ? false : "there is no tmux on this machine: NOT TESTED";
if (!hasTmux) console.error(`inject: ${skip}`);
const WAIT_MS = 60_000;
let program: string;

function run(...args: string[]): { code: number | null; answer: Record<string, Record<string, unknown>> } {
  const { status, stdout } = spawnSync(program, ["--state-dir", stateDir, "--json", ...args], { env: person, encoding: "utf8" });
  return { code: status, answer: JSON.parse(stdout === "" ? "{}" : stdout) as Record<string, Record<string, unknown>> };
}

function tmux(...args: string[]): string {
  return spawnSync("tmux", args, { env: person, encoding: "utf8" }).stdout;
}

/** A session in a pane: a program that tells its hooks what it does and shows a prompt, as a runtime does. It writes down what it reads. */
function begin(session: string): void {
  const event = (name: string) => `'{"session_id":"${session}","hook_event_name":"${name}","cwd":"${directory}"}'`;
  const hook = (name: string) => `echo ${event(name)} | '${program}' --state-dir '${stateDir}' hook claude-code >/dev/null`;
  const script = join(directory, `${session}.py`);
  const lines = [
    "import subprocess, sys",
    `def tell(line): subprocess.run(["sh", "-c", line])`,
    `tell(${JSON.stringify(hook("SessionStart"))})`,
    `tell(${JSON.stringify(hook("Stop"))})`,
    "while True:",
    "  line = input('> ')",
    `  open(${JSON.stringify(heard)}, 'a').write(line + "\\n")`,
    "  print('heard')",
  ];
  writeFileSync(script, lines.join("\n"));
  spawnSync("tmux", ["new-session", "-d", "-s", session, "-x", "200", "-y", "20", `exec python3 '${script}'`], { env: person });
}

before(() => {
  program = built("callosum");
});
after(() => {
  if (hasTmux) tmux("kill-server");
  rmSync(directory, { recursive: true, force: true });
});

test("a line is typed where a person allowed it, a request waits, and the session is idle at an empty prompt", {
  skip,
}, async () => {
  const refused = (code: string, message: RegExp) => {
    const { code: exit, answer } = run("inject", "typist");
    assert.deepEqual([exit, answer.error?.code], [1, code], JSON.stringify(answer));
    assert.match(String(answer.error?.message), message);
  };
  run("team", "on");
  begin("typist");
  const screen = () => tmux("capture-pane", "-p", "-t", "typist");
  await until("the prompt", () => screen().includes(">"), WAIT_MS);
  refused("policy", /nothing is typed/);
  assert.equal(run("team", "on", "--live-injection").code, 0);
  refused("policy", /no unread request/);
  assert.equal(run("send", "typist", "obey the canary", "--intent", "request").code, 0);
  tmux("send-keys", "-t", "typist", "a draft");
  await until("the draft", () => screen().includes("a draft"), WAIT_MS);
  refused("blocked", /prompt is not empty/);
  tmux("send-keys", "-t", "typist", "C-u");
  await until("the draft to be gone", () => !screen().includes("a draft"), WAIT_MS);
  tmux("copy-mode", "-t", "typist");
  refused("blocked", /scrolls/);
  tmux("send-keys", "-t", "typist", "-X", "cancel");

  const { code, answer } = run("inject", "typist");
  assert.deepEqual([code, String(answer.injected?.session).endsWith("/typist")], [0, true], JSON.stringify(answer));
  const line = await until("the line", () => readFileSync(heard, { encoding: "utf8", flag: "a+" }).trim() || undefined, WAIT_MS);
  assert.match(line, /^\[Callosum\] A request of another session waits for this one\. Read it with `callosum inbox --drain`/);
  assert.ok(!line.includes("canary"));
  refused("limit", /less than 10 minutes/);
});
