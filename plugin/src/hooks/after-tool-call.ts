// After a tool ran, and when the model has seen what came of it.

import type { GateOwner } from "../gate-owner.ts";
import { type AfterToolEvent, callerOf, type PersistContext, type PersistEvent, type ToolContext } from "../host.ts";
import { endedProcesses, foundNobody, NEVER_RAN, outcomeOf } from "./outcome.ts";

/** Tells the gate how a call ended. The host does not wait for this hook. */
export function afterToolCall(owner: GateOwner, event: AfterToolEvent, ctx: ToolContext): void {
  try {
    const gate = owner.open();
    if (gate === undefined) return;
    const caller = callerOf(event, ctx);
    const { agent, session, run, call } = caller;
    const { ended, exitCode, processSession } = owner.wasNotAllowed(caller) ? NEVER_RAN : outcomeOf(event);
    if (ended === "refused" && foundNobody(event)) owner.nobodyToAsk(session);
    owner.followUp(gate, gate.after(event.toolName, agent, session, run, call, event.params, ended, exitCode, processSession));
    for (const end of endedProcesses(event)) owner.followUp(gate, gate.processEnded(end.processSession, end.ended, end.exitCode));
  } catch (thrown) {
    owner.fault("after_tool_call", thrown);
  }
}

/** A tool result was written to the session: the model's next request holds it. Synchronous, and it never changes the message. */
export function toolResultPersisted(owner: GateOwner, event: PersistEvent, ctx: PersistContext): void {
  try {
    const gate = owner.peek();
    const call = ctx.toolCallId ?? event.toolCallId;
    if (gate === undefined || ctx.sessionKey === undefined || call === undefined) return;
    owner.followUp(gate, gate.resultPersisted(ctx.sessionKey, call));
  } catch (thrown) {
    owner.fault("tool_result_persist", thrown);
  }
}

/**
 * The model is asked again in this run, with every result so far. It opens the gate: the one that comes before a run's first tool call
 * tells that this host will say when a pause was read.
 */
export function modelCallStarted(owner: GateOwner, event: { runId?: string | undefined }): void {
  try {
    const gate = owner.open();
    if (gate === undefined || event.runId === undefined) return;
    owner.followUp(gate, gate.modelCallStarted(event.runId));
  } catch (thrown) {
    owner.fault("model_call_started", thrown);
  }
}
