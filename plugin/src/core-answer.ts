// What the core answers to a question: JSON text, which for a failure is an object with `error`. It never rejects, and neither does this.

import type { GateOwner } from "./gate-owner.ts";
import { isRecord, messageOf } from "./host.ts";
import type { NativeGate } from "./native.runtime.ts";
import type { Question } from "./questions.ts";

/** Why the core did not answer. */
export interface CoreFailure {
  ok: false;
  /** For programs: the core's own, or `unavailable` when it could not be asked. */
  code: string;
  message: string;
}

/** What the core answered, as a value. */
export type CoreAnswer = { ok: true; payload: unknown } | CoreFailure;

/** What can be asked of the core by its name alone: the rest is done in somebody's name. */
export type Look = Extract<Question, { right: "read" }>["name"];

/** How every failure of the core begins, and no answer. */
const FAILURE = '{"error":{';

/** Asks the gate that the hooks go to a question of the core, by its name. */
export function ask(owner: GateOwner, question: Look, request: unknown = {}): Promise<CoreAnswer> {
  return answerOf(owner, (gate) => gate.ask(question, JSON.stringify(request)));
}

/** As `ask`, with the answer as the core wrote it: a long one need not be read here only to be written again. */
export function askForText(
  owner: GateOwner,
  question: Look,
  request: unknown,
): Promise<{ ok: true; text: string } | CoreFailure> {
  return textOf(owner, (gate) => gate.ask(question, JSON.stringify(request)));
}

/** What the gate that the hooks go to answers. */
export async function answerOf(owner: GateOwner, step: (gate: NativeGate) => Promise<string>): Promise<CoreAnswer> {
  const answer = await textOf(owner, step);
  if (!answer.ok) return answer;
  try {
    return { ok: true, payload: JSON.parse(answer.text) };
  } catch (thrown) {
    return failed(messageOf(thrown));
  }
}

/** The status; without the addon that tells as much itself. */
export async function statusOf(owner: GateOwner, version: string): Promise<CoreAnswer> {
  if (owner.lookAt() === undefined) return { ok: true, payload: { version, degraded: degradedBy(owner) } };
  return await ask(owner, "status");
}

/** The `text` of an answer, which the core wrote for people and models. */
export function textIn(payload: unknown): string {
  return isRecord(payload) && typeof payload.text === "string" ? payload.text.trimEnd() : "";
}

/** As `answerOf`, with the answer as the core wrote it. */
export async function textOf(
  owner: GateOwner,
  step: (gate: NativeGate) => Promise<string>,
): Promise<{ ok: true; text: string } | CoreFailure> {
  try {
    const gate = owner.lookAt();
    if (gate === undefined) return failed(owner.failure?.cause ?? "this instance of the plugin has been closed");
    const text = await step(gate);
    if (!text.startsWith(FAILURE)) return { ok: true, text };
    const { error } = JSON.parse(text) as { error: Record<string, unknown> };
    const remedy = typeof error.remedy === "string" ? `; ${error.remedy}` : "";
    return failed(`${error.message ?? error.code}${remedy}`, String(error.code));
  } catch (thrown) {
    return failed(messageOf(thrown));
  }
}

/** In the shape in which the core tells why it is degraded. */
function degradedBy(owner: GateOwner): unknown {
  if (owner.failure === undefined)
    return { code: "closed", cause: "this instance of the plugin was closed", remedy: "Ask again in a moment." };
  const { cause, remedy, since } = owner.failure;
  return { code: "addon-not-loaded", cause, remedy: remedy.join(" "), since };
}

function failed(message: string, code = "unavailable"): CoreFailure {
  return { ok: false, code, message };
}
