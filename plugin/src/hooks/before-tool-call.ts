// Before a tool runs: ask the gate. Whatever goes wrong here stays here, because the host blocks a call whose hook throws.

import type { Answer } from "../../native/binding.js";
import type { GateOwner } from "../gate-owner.ts";
import { type Caller, callerOf, type Question, type Refusal, type ToolContext, type ToolEvent } from "../host.ts";
import type { NativeGate } from "../native.runtime.ts";

/** Finds the folder that an agent's relative paths start from. */
export type WorkspaceOf = (agent: string | null) => string | null;

/** What the host does with a call that may not simply run. */
type Verdict = Refusal | Question;

/** Makes the question about one call, of its facts and for how long it may be thought about. */
type Ask = (facts: string, timeoutMs: number) => Question;

/** The host refuses a call instead of asking about it where these are longer, in code points. */
const TITLE_CHARS = 80;
const DESCRIPTION_CHARS = 512;

/** Decides one tool call: at once whenever the gate can, otherwise as a promise. */
export function beforeToolCall(
  owner: GateOwner,
  workspaceOf: WorkspaceOf,
  event: ToolEvent,
  ctx: ToolContext,
): Verdict | undefined | Promise<Verdict | undefined> {
  try {
    const gate = owner.open();
    if (gate === undefined) return withoutGate(owner);
    const caller = callerOf(event, ctx);
    const { agent, session, run, call } = caller;
    // Models use ids again: what became of an earlier call of this name does not count any more.
    owner.wasNotAllowed(caller);
    const kind = event.toolKind ?? ctx.toolKind ?? null;
    // Nobody is there to be asked about what no run of an agent does.
    const canAsk = run !== null && owner.canAsk(session);
    const answer = gate.before(event.toolName, kind, agent, session, run, call, workspaceOf(agent), event.params, canAsk);
    if (answer === null) return undefined;
    const ask = asking(owner, caller, event.toolName);
    if (typeof answer.ticket === "number") return decideLater(owner, gate, answer, ask);
    return verdictOf(owner, gate, answer, ask);
  } catch (thrown) {
    owner.fault("before_tool_call", thrown);
    return withoutGate(owner);
  }
}

async function decideLater(owner: GateOwner, gate: NativeGate, answer: Answer, ask: Ask): Promise<Verdict | undefined> {
  try {
    return verdictOf(owner, gate, await owner.settle(gate, answer), ask);
  } catch (thrown) {
    owner.fault("before_tool_call", thrown);
    return withoutGate(owner);
  }
}

function verdictOf(owner: GateOwner, gate: NativeGate, answer: Answer | null, ask: Ask): Verdict | undefined {
  if (answer === null) return undefined;
  if (answer.maintain) owner.followUp(gate, { maintain: true });
  if (typeof answer.warn === "string") owner.warn(answer.warn);
  if (typeof answer.ask === "string") return ask(answer.ask, answer.askMs ?? 0);
  if (typeof answer.refuse !== "string") return undefined;
  owner.report(gate);
  return { block: true, blockReason: answer.refuse };
}

/** The host's own dialog. Leave for good is not offered: each time the facts are others. */
function asking(owner: GateOwner, caller: Caller, tool: string): Ask {
  return (facts, timeoutMs) => ({
    requireApproval: {
      title: firstOf(`Callosum: run ${tool} all the same?`, TITLE_CHARS),
      description: firstOf(facts, DESCRIPTION_CHARS),
      severity: "warning",
      timeoutMs,
      allowedDecisions: ["allow-once", "deny"],
      onResolution: (resolution) => {
        if (!resolution.startsWith("allow")) owner.notAllowed(caller);
      },
    },
  });
}

/** The first code points of a text: half of one is shown by its number, which is longer. */
function firstOf(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(0, most).join("");
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
