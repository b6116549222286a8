// Without `callosum team on`, hooks answer byte for byte what the program answered that knew nothing of working together, but that pauses have come
// to name runtimes and projects. What it said is in `tests/golden/hooks.json`; CALLOSUM_RECORD=PROGRAM writes it anew, as that program answers.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { built } from "../programs.ts";

const GOLDEN = new URL("../golden/hooks.json", import.meta.url);
const RECORDED = process.env.CALLOSUM_RECORD;
const MAIL = "gog gmail send --to alice@example.com --subject Monday --body hello";
const RULE = { name: "mail", tier: 3, tool: "exec", command: ["gog gmail send"], contextKey: "email:{command.flag.to}" };
/** How long ago something was. */
const AGO = /\b\d+(ms|s|m)( \d+(ms|s))? ago/g;

const directory = mkdtempSync(join(tmpdir(), "callosum-silence-"));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The names of a runtime's events and tools. */
const RUNTIMES = {
  "claude-code": {
    before: "PreToolUse",
    after: "PostToolUse",
    prompt: "UserPromptSubmit",
    others: ["Stop", "StopFailure", "PreCompact", "SubagentStart", "SubagentStop", "PostCompact"],
    shell: "Bash",
    write: "Write",
  },
  codex: {
    before: "PreToolUse",
    after: "PostToolUse",
    prompt: "UserPromptSubmit",
    others: ["Stop", "PermissionRequest", "PreCompact", "SubagentStart", "SubagentStop", "PostCompact"],
    shell: "Bash",
    write: "apply_patch",
  },
  gemini: {
    before: "BeforeTool",
    after: "AfterTool",
    prompt: "BeforeAgent",
    others: ["AfterAgent", "PreCompress"],
    shell: "run_shell_command",
    write: "write_file",
  },
};

interface Answer {
  runtime: string;
  session: string;
  event: string;
  stdout: string;
}

/** What the hooks of two sessions of each runtime say in a day's work. */
function answers(program: string): Answer[] {
  const stateDir = join(directory, "state");
  rmSync(stateDir, { recursive: true, force: true });
  mkdirSync(stateDir, { mode: 0o700 });
  writeFileSync(join(stateDir, "settings.json"), JSON.stringify({ instanceId: "home" }));
  // Rules of its own: those that are shipped change for reasons of their own.
  writeFileSync(join(stateDir, "tiers.json"), JSON.stringify({ rules: [RULE] }));
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const project = join(directory, "shop");
  mkdirSync(project, { recursive: true });
  const told: Answer[] = [];
  for (const [runtime, { before, after: end, prompt, others, shell, write }] of Object.entries(RUNTIMES)) {
    const hook = (session: string, event: string, more: object = {}) => {
      const input = JSON.stringify({ session_id: session, hook_event_name: event, cwd: project, ...more });
      const { status, stdout } = spawnSync(program, ["--state-dir", stateDir, "hook", runtime], { env, input, encoding: "utf8" });
      assert.equal(status, 0, `${runtime} ${event}`);
      told.push({ runtime, session, event, stdout: stdout.replaceAll(AGO, "N ago").replaceAll(directory, "/there") });
    };
    const call = (session: string, id: string, tool: string, input: object, hasEnd = true) => {
      const of = { tool_name: tool, tool_input: input, ...(runtime !== "gemini" && { tool_use_id: id }) };
      hook(session, before, of);
      if (hasEnd) hook(session, end, { ...of, tool_response: runtime === "gemini" ? { llmContent: "done" } : "done" });
    };
    const patch = `*** Begin Patch\n*** Add File: page.txt\n+one\n*** End Patch\n`;
    const page = runtime === "codex" ? { command: patch } : { file_path: join(project, "page.txt"), content: "one" };
    const [one, other] = [`${runtime}-1`, `${runtime}-2`];
    hook(one, "SessionStart", { source: "startup" });
    hook(one, prompt, { prompt: "send it" });
    call(one, "a", shell, { command: "ls" });
    call(one, "b", shell, { command: MAIL });
    call(one, "c", write, page);
    hook(other, "SessionStart", { source: "startup" });
    hook(other, prompt, { prompt: "send it" });
    call(other, "d", write, page);
    call(other, "e", shell, { command: MAIL }, false);
    call(other, "f", "mcp__notes__read_note", { id: "1" });
    for (const event of others) hook(other, event);
    hook(other, "Notification", { notification_type: "idle_prompt", message: "waiting" });
    hook(other, "SessionEnd", { reason: "clear" });
    hook(`${runtime}-3`, "SessionStart", { source: "clear" });
    hook(one, others[0] ?? "", {});
    hook(one, "SessionEnd", { reason: "exit" });
  }
  return told;
}

test("without `team on` hooks answer what they answered before there was any", () => {
  if (RECORDED !== undefined && RECORDED !== "1") writeFileSync(GOLDEN, `${JSON.stringify(answers(RECORDED), null, 2)}\n`);
  const golden = JSON.parse(readFileSync(GOLDEN, "utf8")) as Answer[];
  // It is no comparison of silence with silence.
  assert.ok(golden.filter(({ stdout }) => stdout !== "").length > 6);
  assert.deepEqual(answers(built("callosum")), golden);
});
