// What the core answers to a question: JSON text, which for a failure is an object with `error`. It never rejects, and neither does this.

import type { GateOwner } from "./gate-owner.ts";
import { isRecord, messageOf } from "./host.ts";
import type { NativeGate } from "./native.runtime.ts";

export type CoreAnswer = { ok: true; payload: unknown } | { ok: false; message: string };

/** Asks the gate that the hooks go to a question of the core, by its name. */
export function ask(owner: GateOwner, question: string, request: unknown = {}): Promise<CoreAnswer> {
  return answerOf(owner, (gate) => gate.ask(question, JSON.stringify(request)));
}

/** What the gate that the hooks go to answers. */
export async function answerOf(owner: GateOwner, step: (gate: NativeGate) => Promise<string>): Promise<CoreAnswer> {
  try {
    const gate = owner.lookAt();
    if (gate === undefined) return failed(owner.failure?.cause ?? "this instance of the plugin has been closed");
    const payload: unknown = JSON.parse(await step(gate));
    if (isRecord(payload) && isRecord(payload.error)) return failed(String(payload.error.message ?? payload.error.code));
    return { ok: true, payload };
  } catch (thrown) {
    return failed(messageOf(thrown));
  }
}

/** The `text` of an answer, which the core wrote for people and models. */
export function textIn(payload: unknown): string {
  return isRecord(payload) && typeof payload.text === "string" ? payload.text.trimEnd() : "";
}

function failed(message: string): CoreAnswer {
  return { ok: false, message };
}
