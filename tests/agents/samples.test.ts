// What the runtimes tell their hooks, recorded from the real ones and compared with `samples/`, which the unit tests of `callosum hook` read.
// CALLOSUM_RECORD=1 writes the samples instead.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { FakeModel, type ScriptedCall, type Step, script } from "../openclaw/harness/fake-model.ts";
import { Agent, type RuntimeName } from "./harness/agent.ts";
import { generateContent } from "./harness/generate-content.ts";
import { DENIED, type HookEvent, Recorder } from "./harness/recorder.ts";
import { responses } from "./harness/responses.ts";

const SAMPLES = new URL("./samples", import.meta.url).pathname;
const MCP_SERVER = new URL("../openclaw/harness/mcp-server.js", import.meta.url).pathname;
const RECORDING = process.env.CALLOSUM_RECORD === "1";

/** A tool call, and whether the runtime then tells of its end. */
interface Case {
  call: ScriptedCall;
  /** A second call that the first one needs to come to its end. */
  waitedFor?: ScriptedCall;
  after: boolean;
}

const mail = { to: "alice@example.com", body: "hello" };

const CASES: Record<RuntimeName, (agent: Agent) => Record<string, Case>> = {
  codex: (agent) => ({
    shell: { call: agent.shell("echo sent"), after: true },
    "shell-exit-7": { call: agent.shell("exit 7"), after: true },
    "shell-killed": { call: agent.shell("kill -9 $$"), after: true },
    "shell-denied": { call: agent.shell(`echo ${DENIED}`), after: false },
    "shell-left-running": {
      call: { name: "exec_command", args: { cmd: "sleep 30", yield_time_ms: 250 } },
      after: false,
    },
    "shell-waited-for": {
      call: { name: "exec_command", args: { cmd: "sleep 1; exit 3", yield_time_ms: 250, workdir: "/usr" } },
      waitedFor: { name: "write_stdin", args: { session_id: "{{result session ID (\\d+)}}", yield_time_ms: 20_000 } },
      after: true,
    },
    "apply-patch": {
      call: { name: "apply_patch", args: { input: "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n" } },
      after: true,
    },
    "apply-patch-impossible": {
      call: { name: "apply_patch", args: { input: "*** Begin Patch\n*** Delete File: missing.txt\n*** End Patch\n" } },
      after: false,
    },
    mcp: { call: { name: "mcp__mailer/send_email", args: mail }, after: true },
    "mcp-failing": { call: { name: "mcp__mailer/send_email", args: { ...mail, fail: "no route" } }, after: false },
  }),
  gemini: (agent) => {
    const file = join(agent.project, "a.txt");
    return {
      shell: { call: agent.shell("echo sent"), after: true },
      "shell-exit-7": { call: agent.shell("exit 7"), after: true },
      "shell-killed": { call: agent.shell("kill -9 $$"), after: true },
      "shell-denied": { call: agent.shell(`echo ${DENIED}`), after: false },
      "shell-background": {
        call: { name: "run_shell_command", args: { command: "sleep 1; exit 3", is_background: true } },
        after: true,
      },
      "write-file": { call: { name: "write_file", args: { file_path: file, content: "hello\n" } }, after: true },
      replace: {
        call: { name: "replace", args: { file_path: file, instruction: "change it", old_string: "hello", new_string: "bye" } },
        after: true,
      },
      "replace-impossible": {
        call: { name: "replace", args: { file_path: file, instruction: "change it", old_string: "none", new_string: "bye" } },
        after: true,
      },
      mcp: { call: { name: "mcp_mailer_send_email", args: mail }, after: true },
      "mcp-failing": { call: { name: "mcp_mailer_send_email", args: { ...mail, fail: "no route" } }, after: true },
    };
  },
};

const BEFORE = ["PreToolUse", "BeforeTool"];
const AFTER = ["PostToolUse", "AfterTool"];

for (const runtime of ["codex", "gemini"] as const) {
  describe(runtime, () => {
    test("tells its hooks what the samples say", async () => {
      const dir = mkdtempSync(join(tmpdir(), "callosum-agents-"));
      const model = await FakeModel.start([responses, generateContent]);
      const recorder = new Recorder(dir, runtime);
      const agent = new Agent(runtime, {
        dir,
        modelOrigin: model.origin,
        path: dir,
        hook: (event) => recorder.hook(event),
        mcp: { name: "mailer", command: process.execPath, args: [MCP_SERVER, join(dir, "outbox.txt")] },
      });
      try {
        const cases = CASES[runtime](agent);
        const steps: Step[] = Object.values(cases).flatMap(({ call, waitedFor }) => [
          { calls: [call] },
          ...(waitedFor ? [{ calls: [waitedFor] }] : []),
        ]);
        const { exitCode, output } = await agent.run(script("samples", steps));
        assert.equal(exitCode, 0, output);
        assert.equal(model.toolResults("samples").length, steps.length, output);
        const samples = named(recorder.events(), cases);
        const neutral = Object.fromEntries(
          Object.entries(samples).map(([name, event]) => [`${runtime}.${name}.json`, neutralised(event, dir, agent)]),
        );
        if (RECORDING) record(runtime, neutral);
        const stored = readdirSync(SAMPLES).filter((name) => name.startsWith(`${runtime}.`));
        assert.deepEqual(Object.keys(neutral).sort(), stored.sort());
        for (const name of stored) {
          assert.deepEqual(neutral[name], JSON.parse(readFileSync(join(SAMPLES, name), "utf8")), name);
        }
      } finally {
        agent.stop();
        await model.stop();
        rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      }
    });
  });
}

/** Events by the names of their samples. The calls come one after the other, so the nth before is the nth case's. */
function named(events: HookEvent[], cases: Record<string, Case>): Record<string, HookEvent> {
  const names = Object.keys(cases);
  const before = events.filter((event) => BEFORE.includes(event.hook_event_name));
  assert.equal(before.length, names.length, JSON.stringify(before, null, 1));
  const samples: Record<string, HookEvent> = {};
  let at = -1;
  for (const event of events) {
    const name = event.hook_event_name;
    if (BEFORE.includes(name)) at += 1;
    const sample = BEFORE.includes(name) ? `${names[at]}.before` : AFTER.includes(name) ? `${names[at]}.after` : kebab(name);
    assert.ok(!(sample in samples), `${sample} came twice`);
    samples[sample] = event;
  }
  for (const [name, { after }] of Object.entries(cases)) {
    assert.equal(`${name}.after` in samples, after, `the end of ${name}`);
  }
  return samples;
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** The same with what differs from run to run and from machine to machine in place of it. */
function neutralised(event: HookEvent, dir: string, agent: Agent): unknown {
  const text = JSON.stringify(event)
    .replaceAll(agent.project, "/home/me/app")
    .replaceAll(join(dir, "home"), "/home/me")
    .replaceAll(dir, "/home/me")
    .replaceAll(MCP_SERVER, "/home/me/mailer.ts")
    .replaceAll(process.execPath, "/usr/bin/node")
    .replaceAll(event.session_id, "0e9c2f1a-session")
    .replaceAll(/(?<=sessions\/)\d+\/\d+\/\d+\/rollout-[^"]*(?=-0e9c)/g, "2026/01/02/rollout-2026-01-02T03-04-05")
    .replaceAll(/(?<=chats\/session-)[^"]*(?=\.jsonl)/g, "2026-01-02T03-04-0e9c2f1a")
    .replaceAll(/(?<=PGID: |PID: )\d+/g, "4321");
  const neutral = JSON.parse(text) as Record<string, unknown>;
  if ("turn_id" in neutral) neutral.turn_id = "5b7d-turn";
  if ("timestamp" in neutral) neutral.timestamp = "2026-01-02T03:04:05.678Z";
  if ("prompt" in neutral) neutral.prompt = "Mail Alice";
  return neutral;
}

function record(runtime: RuntimeName, samples: Record<string, unknown>): void {
  mkdirSync(SAMPLES, { recursive: true });
  for (const name of readdirSync(SAMPLES)) if (name.startsWith(`${runtime}.`)) rmSync(join(SAMPLES, name));
  for (const [name, event] of Object.entries(samples)) {
    writeFileSync(join(SAMPLES, name), `${JSON.stringify(event, null, 2)}\n`);
  }
}
