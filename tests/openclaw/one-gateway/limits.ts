// A limit is one for all sessions of the machine: here one of the gateway, one of Claude Code and one of Codex, whose hooks run as they do there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CALLOSUM } from "../harness/stage.ts";
import { exec } from "../harness/world.ts";
import { WINDOW_MS, world } from "./shared.ts";

let calls = 0;

/** Why a session of another runtime may not run this command; undefined where it may. */
function refusal(runtime: "claude-code" | "codex", session: string, command: string): string | undefined {
  calls += 1;
  const event = {
    session_id: session,
    cwd: world.dir,
    hook_event_name: "PreToolUse",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `call-${calls}`,
  };
  const env = { ...process.env, CALLOSUM_STATE_DIR: world.stateDir };
  const said = execFileSync(CALLOSUM, ["hook", runtime], { input: JSON.stringify(event), env, encoding: "utf8" });
  const { hookSpecificOutput } = JSON.parse(said === "" ? "{}" : said) as { hookSpecificOutput?: Record<string, string> };
  return hookSpecificOutput?.permissionDecision === "deny" ? hookSpecificOutput.permissionDecisionReason : undefined;
}

/** When there is room again, by the text of a refusal over this limit. */
function roomAgain(text: string | undefined, per: string): number {
  const said = new RegExp(
    String.raw`^\[Callosum\] The limit of the rule cap-per-${per} is reached: 2 calls in 20s .*There is room again in \d+s \((\S+)\) at the earliest; a retry does not help before\.`,
  );
  const [, time = ""] = said.exec(text ?? "") ?? [];
  assert.notEqual(time, "", text ?? "it was let through");
  return Date.parse(time);
}

describe("of three sessions, two of other runtimes, a limit of two calls lets the third one wait", { concurrency: true }, () => {
  for (const [per, command] of [
    ["rule", (to: string) => `echo per-rule ${to}`],
    ["key", () => "echo per-key all"],
  ] as const) {
    test(`for each ${per}: until the oldest counted call leaves the window, whoever retries`, async () => {
      const [first] = await world.play(`capped-${per}`, exec(command("ann")));
      assert.doesNotMatch(first ?? "", /Callosum/);
      assert.equal(refusal("claude-code", `claude-${per}`, command("bob")), undefined);

      const until = roomAgain(refusal("codex", `codex-${per}`, command("cid")), per);
      const counted = await world.journal({ tool: "exec", action: "intercept", key: `post:${per === "key" ? "all" : "ann"}` });
      assert.ok(Math.abs(until - (Date.parse(counted[0]?.timestamp ?? "") + WINDOW_MS)) < 1_000);
      for (const again of ["codex", "claude-code"] as const)
        assert.ok(Math.abs(roomAgain(refusal(again, `${again}-${per}`, command("cid")), per) - until) < 1_000);
      const [told] = await world.play(`capped-${per}`, exec(command("dan")));
      assert.ok(Math.abs(roomAgain(told, per) - until) < 1_000, told);
      // What another resource is for has room of its own.
      if (per === "key") assert.equal(refusal("codex", "codex-key", "echo per-key others"), undefined);

      await sleep(until - Date.now() + 100);
      assert.equal(refusal("codex", `codex-${per}`, command("cid")), undefined);
      const blocked = await world.journal({ action: "blocked", key: `post:${per === "key" ? "all" : "cid"}` });
      assert.ok(blocked.length >= 3 && blocked.every((row) => row.conflict === "limit"), JSON.stringify(blocked));
    });
  }
});
