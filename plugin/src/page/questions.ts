// The page's questions to the core.

import { askForText, type CoreFailure, type Look, statusOf, textOf } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { messageOf } from "../host.ts";
import type { Turns } from "../http/turns.ts";
import { offeredOn } from "../offered.ts";

/** What the page may ask, whoever has it open. */
const QUESTIONS = new Map<string, Look>();
for (const { name, right } of offeredOn("page")) if (right === "read") QUESTIONS.set(name, name);

export type TextAnswer = { ok: true; text: string } | CoreFailure;

export class Questions {
  readonly #owner: GateOwner;
  readonly #version: string;
  readonly #placed: (call: unknown) => unknown;
  readonly #turns: Turns;

  /** `placed` gives a call to explain the folder that it would run in. */
  constructor(owner: GateOwner, turns: Turns, version: string, placed: (call: unknown) => unknown) {
    this.#owner = owner;
    this.#turns = turns;
    this.#version = version;
    this.#placed = placed;
  }

  /** Answers a question by its name; `request` is JSON text, or null. Never rejects. */
  async answer(question: string, request: string | null): Promise<TextAnswer> {
    const known = QUESTIONS.get(question);
    const isTogether = question === "team" || question === "context";
    if (known === undefined && !isTogether) return { ok: false, code: "not-found", message: "the page has no such question" };
    let read: unknown;
    try {
      read = JSON.parse(request ?? "{}");
    } catch (thrown) {
      return { ok: false, code: "bad-request", message: `\`q\` is not JSON: ${messageOf(thrown)}` };
    }
    const busy = { ok: false, code: "busy", message: "too many questions at once; try again" } as const;
    return await this.#turns.take(() => {
      if (known !== undefined) return this.#ask(known, read);
      if (question === "team") return textOf(this.#owner, (gate) => gate.team(askedAtPage("page", read)));
      return textOf(this.#owner, (gate) => gate.context('{"do":"overview"}'));
    }, busy);
  }

  async #ask(question: Look, request: unknown): Promise<TextAnswer> {
    if (question === "status") {
      const answer = await statusOf(this.#owner, this.#version);
      return answer.ok ? { ok: true, text: JSON.stringify(answer.payload) } : answer;
    }
    return await askForText(this.#owner, question, question === "explain" ? this.#placed(request) : request);
  }
}

/** A request for a verb of the team, by a person at the page. */
export function askedAtPage(verb: string, params: unknown): string {
  return JSON.stringify({ do: "ask", surface: "page", verb, params });
}
