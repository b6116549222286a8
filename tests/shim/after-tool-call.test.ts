import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { afterToolCall, modelCallStarted, toolResultPersisted } from "../../plugin/src/hooks/after-tool-call.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

const ctx = { agentId: "main", sessionKey: "agent:main:a", runId: "run-1", toolCallId: "call-1" };

test("the outcome crosses with the ids of the call", () => {
  const { gate, owner } = bench();
  const params = { command: "exit 7" };
  afterToolCall(owner, { toolName: "exec", params, result: { details: { status: "completed", exitCode: 7 } } }, ctx);
  assert.deepEqual(gate.calls, [
    { method: "after", args: ["exec", "main", "agent:main:a", "run-1", "call-1", params, "ok", 7, null] },
  ]);
});

test("a poll reports its own call and the process that it shows to have ended", () => {
  const { gate, owner } = bench();
  const result = { details: { status: "completed", sessionId: "a-b", exitCode: 0 } };
  afterToolCall(owner, { toolName: "process", params: { action: "poll" }, result }, ctx);
  assert.deepEqual(gate.methods, ["after", "processEnded"]);
  assert.deepEqual(gate.calls[1]?.args, ["a-b", "ok", 0]);
});

test("a ticket is finished in the background", async () => {
  const { gate, owner } = bench();
  gate.answer = { ticket: 3 };
  afterToolCall(owner, { toolName: "exec", params: {} }, ctx);
  await turn();
  assert.deepEqual(gate.methods, ["after", "finish"]);
});

test("errors stay inside", () => {
  const { gate, logger, owner } = bench();
  gate.throws = new Error("boom");
  owner.open();
  afterToolCall(owner, { toolName: "exec", params: {} }, ctx);
  toolResultPersisted(owner, { toolCallId: "call-1" }, ctx);
  modelCallStarted(owner, { runId: "run-1" });
  assert.equal(logger.lines.filter((line) => line.includes("boom")).length, 3);
});

test("a background failure is not an unhandled rejection", async () => {
  const { gate, owner } = bench();
  gate.answer = { ticket: 3 };
  gate.finished = Promise.reject(new Error("boom"));
  afterToolCall(owner, { toolName: "exec", params: {} }, ctx);
  await turn();
  // node:test fails a test during which a rejection went unhandled.
  assert.deepEqual(gate.methods, ["after", "finish"]);
});

test("delivery signals reach the gate", () => {
  const { gate, owner } = bench();
  modelCallStarted(owner, { runId: "run-1" });
  assert.equal(toolResultPersisted(owner, { toolCallId: "call-1" }, ctx), undefined);
  assert.deepEqual(gate.calls, [
    { method: "modelCallStarted", args: ["run-1"] },
    { method: "resultPersisted", args: ["agent:main:a", "call-1"] },
  ]);
});

test("the model call before the first tool call opens the gate; a persisted result alone does not", () => {
  const { owner, loads } = bench();
  toolResultPersisted(owner, { toolCallId: "call-1" }, ctx);
  assert.equal(loads(), 0);
  modelCallStarted(owner, { runId: "run-1" });
  assert.equal(loads(), 1);
});

test("a persisted result without a session or a call id is nobody's", () => {
  const { gate, owner } = bench();
  owner.open();
  toolResultPersisted(owner, {}, { sessionKey: "s" });
  toolResultPersisted(owner, { toolCallId: "c" }, {});
  modelCallStarted(owner, {});
  assert.deepEqual(gate.calls, []);
});

test("without the addon the after-hook does nothing", () => {
  const { owner, logger } = bench({ loaded: NOT_LOADED });
  afterToolCall(owner, { toolName: "exec", params: {} }, ctx);
  afterToolCall(owner, { toolName: "exec", params: {} }, ctx);
  assert.equal(logger.lines.length, 1);
});
