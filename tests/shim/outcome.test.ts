import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endedProcesses, outcomeOf } from "../../plugin/src/hooks/outcome.ts";

/** An event of `after_tool_call` with these details, in the shape that the host gives. */
function after(details: unknown, error?: string, toolName = "exec", params: unknown = { command: "x" }) {
  return { toolName, params, result: { content: [{ type: "text", text: "…" }], details }, error };
}

describe("how a call ended, by what the host was seen to say", () => {
  const cases: Array<[string, ReturnType<typeof after>, string, number | null]> = [
    ["exec ok", after({ status: "completed", exitCode: 0, exitSignal: null, noOutputTimedOut: false }), "ok", 0],
    ["exec exits 7: no error, the core judges", after({ status: "completed", exitCode: 7, exitSignal: null }), "ok", 7],
    [
      "program not found",
      after({ status: "failed", exitCode: 127, failureKind: "shell-command-not-found" }, "sh: x: not found"),
      "ok",
      127,
    ],
    [
      "timed out",
      after({ status: "failed", exitCode: null, exitSignal: "SIGTERM", timedOut: true }, "failed"),
      "timed-out",
      null,
    ],
    [
      "ended by a signal",
      after({ status: "failed", exitCode: null, exitSignal: "SIGKILL", timedOut: false }, "failed"),
      "killed",
      null,
    ],
    ["background", after({ status: "running", sessionId: "gentle-mist", pid: 1 }), "running", null],
    ["waits for approval", after({ status: "approval-pending" }), "running", null],
    [
      "refused by a hook",
      after({ status: "blocked", deniedReason: "plugin-before-tool-call", reason: "no" }, "no"),
      "refused",
      null,
    ],
    ["refused by an approval", after({ status: "blocked", deniedReason: "plugin-approval" }, "denied"), "refused", null],
    ["run aborted", after({}, "Aborted"), "aborted", null],
    ...[
      "Plugin approval unavailable: non-interactive CLI runs have no approval-capable initiating surface.",
      "Plugin approval unavailable (no approval route)",
      "Approval timed out",
      "Denied by user. The tool call did not run.\nThis denial is final: the approval request is closed.",
      "Approval cancelled (run aborted)",
      "Tool call blocked because before_tool_call hook failed",
    ].map((error): [string, ReturnType<typeof after>, string, null] => [
      error,
      after({ status: "error", error }, error),
      "refused",
      null,
    ]),
    [
      "arguments that do not fit, with a list of those that do",
      after(
        { status: "error" },
        'Invalid arguments for tool "gateway": action. Expected input: { timeoutMs?: number }.',
        "gateway",
      ),
      "error",
      null,
    ],
    ["a session that may not be spawned", after({ status: "forbidden", error: "no" }, "no", "sessions_spawn"), "error", null],
    ["tool throws", after({ status: "error", error: "Channel is required" }, "Channel is required", "message"), "error", null],
    ["error in the details only", after({ status: "error", error: "no such job" }, undefined, "automations"), "error", null],
    ["connection lost on the way", after({ status: "error" }, "read ECONNRESET", "message"), "maybe", null],
    ["request timed out", after({ status: "error" }, "request timed out after 30000 ms", "message"), "maybe", null],
    ["server gave up", after({ status: "error" }, "HTTP 502 from the API", "mail__send"), "maybe", null],
    ["socket hang up", after({}, "socket hang up", "mail__send"), "maybe", null],
    ["operation aborted", after({}, "The operation was aborted", "message"), "maybe", null],
    ["stopped waiting for a reply", after({ status: "timeout" }, undefined, "sessions_send"), "maybe", null],
    ["write ok, details without a status", after({ changed: true }, undefined, "write"), "ok", null],
  ];
  for (const [name, event, ended, exitCode] of cases) {
    test(name, () => {
      const outcome = outcomeOf(event);
      assert.equal(outcome.ended, ended);
      assert.equal(outcome.exitCode, exitCode);
    });
  }

  test("an MCP tool's failure is told by its text, because its error is just a word", () => {
    const mcp = (text: string) => ({
      toolName: "mail__send",
      params: {},
      result: { content: [{ type: "text", text }], details: { mcpServer: "mail", status: "error" } },
      error: "error",
    });
    assert.equal(outcomeOf(mcp("no such mailbox")).ended, "error");
    assert.equal(outcomeOf(mcp("read ECONNRESET")).ended, "maybe");
    // What lies beyond the first few thousand characters is not read.
    assert.equal(outcomeOf(mcp(`${"x".repeat(5_000)} ECONNRESET`)).ended, "error");
  });

  test("a running command names its process session", () => {
    assert.equal(outcomeOf(after({ status: "running", sessionId: "gentle-mist" })).processSession, "gentle-mist");
  });

  test("results of any other shape are taken as they come", () => {
    for (const result of [undefined, null, "text", 7, [], { details: null }, { details: "x" }, {}]) {
      assert.equal(outcomeOf({ toolName: "t", params: null, result }).ended, "ok");
      assert.equal(outcomeOf({ toolName: "t", params: null, result, error: "bad" }).ended, "error");
    }
  });
});

describe("what the process tool shows of background commands", () => {
  const shown = (details: unknown, params: unknown = { action: "poll" }, error?: string) =>
    endedProcesses(after(details, error, "process", params));

  test("ended", () => {
    assert.deepEqual(shown({ status: "completed", sessionId: "a-b", exitCode: 7 }), [
      { processSession: "a-b", ended: "ok", exitCode: 7 },
    ]);
  });
  test("still running", () => {
    assert.deepEqual(shown({ status: "running", sessionId: "a-b" }), []);
  });
  test("timed out", () => {
    const details = { status: "failed", sessionId: "a-b", exitSignal: "SIGTERM", exitReason: "overall-timeout", timedOut: true };
    assert.deepEqual(shown(details, undefined, "failed"), [{ processSession: "a-b", ended: "timed-out", exitCode: null }]);
  });
  test("killed: the host calls that completed", () => {
    const details = {
      status: "completed",
      sessionId: "a-b",
      exitSignal: "SIGTERM",
      exitReason: "manual-cancel",
      timedOut: false,
    };
    assert.deepEqual(shown(details), [{ processSession: "a-b", ended: "killed", exitCode: null }]);
  });
  test("the kill itself names the session in its parameters only", () => {
    const kill = { action: "kill", sessionId: "a-b" };
    assert.deepEqual(shown({ status: "completed", name: "sleep 30" }, kill), [
      { processSession: "a-b", ended: "killed", exitCode: null },
    ]);
    assert.deepEqual(
      shown({ status: "failed", error: "No active session found for a-b" }, kill, "No active session found for a-b"),
      [],
    );
  });
  test("a list settles each one that ended", () => {
    const sessions = [
      { sessionId: "a-b", status: "running" },
      { sessionId: "c-d", status: "completed", exitCode: 0 },
      { sessionId: "e-f", status: "failed", exitSignal: "SIGKILL" },
    ];
    assert.deepEqual(shown({ status: "completed", sessions }, { action: "list" }), [
      { processSession: "c-d", ended: "ok", exitCode: 0 },
      { processSession: "e-f", ended: "killed", exitCode: null },
    ]);
  });
  test("an unknown session, a log, another tool: nothing", () => {
    assert.deepEqual(
      shown({ status: "failed", error: "No session found for a-b" }, { action: "poll", sessionId: "a-b" }, "No session found"),
      [],
    );
    assert.deepEqual(shown({ status: "running", sessionId: "a-b", output: "" }, { action: "log" }), []);
    assert.deepEqual(endedProcesses(after({ status: "completed", sessionId: "a-b", exitCode: 0 }, undefined, "exec")), []);
  });
});
