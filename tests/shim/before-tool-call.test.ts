import assert from "node:assert/strict";
import { test } from "node:test";
import { afterToolCall } from "../../plugin/src/hooks/after-tool-call.ts";
import { beforeToolCall } from "../../plugin/src/hooks/before-tool-call.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

const event = { toolName: "exec", params: { command: "ls" }, runId: "run-1", toolCallId: "call-1" };
const ctx = { agentId: "main", sessionKey: "agent:main:a", sessionId: "sid", runId: "run-1", toolCallId: "call-1" };
const workspace = () => "/w";

test("the gate is asked with who, what and where", () => {
  const { gate, owner } = bench();
  assert.equal(beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.deepEqual(gate.calls, [
    { method: "before", args: ["exec", null, "main", "agent:main:a", "run-1", "call-1", "/w", event.params, true] },
  ]);
});

test("the parameters cross as they are, not as a copy", () => {
  const { gate, owner } = bench();
  beforeToolCall(owner, workspace, event, ctx);
  assert.equal(gate.calls[0]?.args[7], event.params);
});

test("a missing session key falls back to the session id, then the run", () => {
  const sessionOf = (context: object, run?: string) => {
    const { gate, owner } = bench();
    beforeToolCall(owner, workspace, { toolName: "exec", params: {}, runId: run }, context);
    return gate.calls[0]?.args[3];
  };
  assert.equal(sessionOf({ sessionId: "sid" }, "run-2"), "sid");
  assert.equal(sessionOf({}, "run-2"), "run-2");
  assert.equal(sessionOf({}), "unknown");
});

test("the tool's kind is passed on, from the event or the context", () => {
  const { gate, owner } = bench();
  beforeToolCall(owner, workspace, { ...event, toolKind: "code_mode_exec" }, ctx);
  beforeToolCall(owner, workspace, event, { ...ctx, toolKind: "code_mode_exec" });
  assert.deepEqual(
    gate.calls.map((call) => call.args[1]),
    ["code_mode_exec", "code_mode_exec"],
  );
});

test("a refusal blocks at once, without a promise, and its notices reach the log", () => {
  const { gate, logger, owner } = bench();
  gate.answer = { refuse: "[Callosum] already done" };
  gate.pendingNotices.push({ level: "info", text: "paused" });
  assert.deepEqual(beforeToolCall(owner, workspace, event, ctx), { block: true, blockReason: "[Callosum] already done" });
  assert.deepEqual(logger.lines, ["info callosum: paused"]);
});

test("a question becomes the host's own dialog, within what it shows, and offers no leave for good", async () => {
  const { gate, owner } = bench();
  const facts = `[Callosum] "k" was already acted on.\n${"x".repeat(600)}`;
  const asked = {
    title: "Callosum: run exec all the same?",
    description: facts.slice(0, 512),
    severity: "warning",
    timeoutMs: 120_000,
    allowedDecisions: ["allow-once", "deny"],
  };
  gate.answer = { ask: facts, askMs: 120_000 };
  assert.partialDeepStrictEqual(beforeToolCall(owner, workspace, event, ctx), { requireApproval: asked });
  gate.finished = Promise.resolve(gate.answer);
  gate.answer = { ticket: 7 };
  assert.partialDeepStrictEqual(await beforeToolCall(owner, workspace, event, ctx), { requireApproval: asked });
});

test("a call that was not allowed never ran, whatever the host says of its end; the next one of that id is another", () => {
  const { gate, owner } = bench();
  /** How the call ended, as the gate is told it. */
  const ended = (resolution: string) => {
    gate.answer = { ask: "facts", askMs: 120_000 };
    const question = beforeToolCall(owner, workspace, event, ctx);
    assert.ok(question !== undefined && "requireApproval" in question);
    question.requireApproval.onResolution(resolution);
    gate.answer = null;
    return () => {
      afterToolCall(owner, { ...event, result: { details: {} }, error: "Aborted" }, ctx);
      return gate.calls.at(-1)?.args[6];
    };
  };
  for (const resolution of ["deny", "timeout", "cancelled"]) {
    const after = ended(resolution);
    assert.deepEqual([after(), after()], ["refused", "aborted"], resolution);
  }
  for (const resolution of ["allow-once", "allow-always"]) assert.equal(ended(resolution)(), "aborted");
  const after = ended("deny");
  beforeToolCall(owner, workspace, event, ctx);
  assert.equal(after(), "aborted");
});

test("what a question tells is cut between characters, never within one", () => {
  const { gate, owner } = bench();
  const described = (facts: string) => {
    gate.answer = { ask: facts, askMs: 120_000 };
    const question = beforeToolCall(owner, workspace, event, ctx);
    assert.ok(question !== undefined && "requireApproval" in question);
    return question.requireApproval.description;
  };
  const whole = "\u{1f4e8}".repeat(512);
  assert.equal(described(whole), whole);
  assert.equal(described(`x${whole}`), `x${"\u{1f4e8}".repeat(511)}`);
});

test("a warning goes to the log in one line, and the call goes on", () => {
  const { gate, logger, owner } = bench();
  gate.answer = { warn: "[Callosum] done\n  - by home" };
  assert.equal(beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.deepEqual(logger.lines, ["warn callosum: [Callosum] done - by home"]);
});

test("where the host finds nobody to ask, that session's next calls are paused; others' are asked about", () => {
  const { gate, owner } = bench();
  const canAsk = (context: object) => {
    beforeToolCall(owner, workspace, event, context);
    return gate.calls.at(-1)?.args[8];
  };
  assert.equal(canAsk(ctx), true);
  const denied = {
    ...event,
    result: { details: { status: "error" } },
    error: "Denied by user. The tool call did not run.\nThis denial is final: the approval request is closed.",
  };
  afterToolCall(owner, denied, ctx);
  assert.equal(canAsk(ctx), true, "a person has answered");
  for (const error of ["Plugin approval unavailable (no approval route)", "Plugin approval required (gateway unavailable)"])
    afterToolCall(owner, { ...event, result: { details: { status: "error" } }, error }, ctx);
  assert.equal(canAsk(ctx), false);
  const worker = { ...ctx, sessionKey: "agent:main:b" };
  assert.equal(canAsk(worker), true);
  const details = { status: "blocked", deniedReason: "plugin-approval", reason: "approval_required" };
  afterToolCall(owner, { ...event, result: { details }, error: "approval_required" }, worker);
  assert.equal(canAsk(worker), false, "a run that the host asks nobody for");
  beforeToolCall(owner, workspace, { toolName: "exec", params: {} }, { sessionKey: "agent:main:c" });
  assert.equal(gate.calls.at(-1)?.args[8], false, "no run, nobody to ask");
});

test("a ticket is waited for, and its answer counts", async () => {
  const { gate, owner } = bench();
  gate.answer = { ticket: 7 };
  gate.finished = Promise.resolve({ refuse: "no" });
  assert.deepEqual(await beforeToolCall(owner, workspace, event, ctx), { block: true, blockReason: "no" });
  gate.finished = Promise.resolve(null);
  assert.equal(await beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.deepEqual(gate.methods, ["before", "finish", "before", "finish"]);
});

test("ticket number zero is a ticket", async () => {
  const { gate, owner } = bench();
  gate.answer = { ticket: 0 };
  gate.finished = Promise.resolve({ refuse: "no" });
  assert.deepEqual(await beforeToolCall(owner, workspace, event, ctx), { block: true, blockReason: "no" });
});

test("a worker that does not answer in time is abandoned", async () => {
  const { gate, owner } = bench({ answerMs: 20 });
  gate.answer = { ticket: 7 };
  gate.finished = new Promise(() => {});
  assert.deepEqual(await beforeToolCall(owner, workspace, event, ctx), { block: true, blockReason: "abandoned" });
  assert.deepEqual(gate.methods, ["before", "finish", "abandon"]);
});

test("an error inside never leaves the hook: it is logged and the call goes on", async () => {
  const { gate, logger, owner } = bench();
  gate.throws = new Error("boom");
  assert.equal(await beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.match(logger.lines.join(), /error callosum: unexpected error in before_tool_call: boom/);
});

test("a worker that rejects never leaves the hook either", async () => {
  const { gate, logger, owner } = bench();
  gate.answer = { ticket: 1 };
  gate.finished = Promise.reject(new Error("boom"));
  assert.equal(await beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.match(logger.lines.join(), /boom/);
});

test("without the addon every call goes on, and one line says why and what to do", () => {
  const { logger, owner, loads } = bench({ loaded: NOT_LOADED });
  for (let i = 0; i < 3; i += 1) assert.equal(beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.equal(loads(), 1);
  assert.equal(logger.lines.length, 1);
  assert.match(logger.lines[0] ?? "", /^error .*NO tool call is checked.*no such file.*1\. Build it\. 2\. Reload\./);
});

test("without the addon nothing goes on when the operator chose closed", () => {
  const { owner } = bench({ loaded: NOT_LOADED, closed: true });
  const refusal = beforeToolCall(owner, workspace, event, ctx);
  assert.ok(refusal !== undefined && "block" in refusal);
  assert.match(refusal.blockReason, /onStateError is "closed".*no such file/);
});

test("after disposal the hook does nothing", async () => {
  const { gate, owner } = bench();
  beforeToolCall(owner, workspace, event, ctx);
  await owner.dispose();
  gate.answer = { refuse: "no" };
  assert.equal(beforeToolCall(owner, workspace, event, ctx), undefined);
  assert.deepEqual(gate.methods, ["before", "close"]);
});
