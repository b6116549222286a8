// Before a tool runs: ask the gate. Whatever goes wrong here stays here, because the host blocks a call whose hook throws.

import type { Answer } from "../../native/binding.js";
import type { GateOwner } from "../gate-owner.ts";
import { callerOf, type Refusal, type ToolContext, type ToolEvent } from "../host.ts";
import type { NativeGate } from "../native.runtime.ts";

/** Finds the folder that an agent's relative paths start from. */
export type WorkspaceOf = (agent: string | null) => string | null;

/** Decides one tool call: at once whenever the gate can, otherwise as a promise. */
export function beforeToolCall(
  owner: GateOwner,
  workspaceOf: WorkspaceOf,
  event: ToolEvent,
  ctx: ToolContext,
): Refusal | undefined | Promise<Refusal | undefined> {
  try {
    const gate = owner.open();
    if (gate === undefined) return withoutGate(owner);
    const { agent, session, run, call } = callerOf(event, ctx);
    const kind = event.toolKind ?? ctx.toolKind ?? null;
    const answer = gate.before(event.toolName, kind, agent, session, run, call, workspaceOf(agent), event.params);
    if (answer === null) return undefined;
    if (typeof answer.ticket === "number") return decideLater(owner, gate, answer);
    return refusalOf(owner, gate, answer);
  } catch (thrown) {
    owner.fault("before_tool_call", thrown);
    return withoutGate(owner);
  }
}

async function decideLater(owner: GateOwner, gate: NativeGate, answer: Answer): Promise<Refusal | undefined> {
  try {
    return refusalOf(owner, gate, await owner.settle(gate, answer));
  } catch (thrown) {
    owner.fault("before_tool_call", thrown);
    return withoutGate(owner);
  }
}

function refusalOf(owner: GateOwner, gate: NativeGate, answer: Answer | null): Refusal | undefined {
  if (answer === null) return undefined;
  if (answer.maintain) owner.tidy(gate, { maintain: true });
  if (typeof answer.refuse !== "string") return undefined;
  owner.report(gate);
  return { block: true, blockReason: answer.refuse };
}

/** Without a gate no call can be classified: refusing all of them would stop the gateway, so only an operator who asked for that gets it. */
function withoutGate(owner: GateOwner): Refusal | undefined {
  if (!owner.closed) return undefined;
  const cause = owner.failure?.cause ?? "an unexpected error, see the gateway's log";
  return {
    block: true,
    blockReason: `[Callosum] This call was not checked and is refused, because onStateError is "closed". Cause: ${cause}. Ask the operator to look at \`openclaw gateway call callosum.status\`.`,
  };
}
