// The page's questions to the core. They wait for a worker thread of the host, which has four and needs them for its own: so few are asked at once,
// and the others wait here.

import { askForText, type CoreFailure, type Look, statusOf } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { messageOf } from "../host.ts";
import { offeredOn } from "../offered.ts";

/** What the page may ask, whoever has it open. */
const QUESTIONS = new Map<string, Look>();
for (const { name, right } of offeredOn("page")) if (right === "read") QUESTIONS.set(name, name);

const AT_ONCE = 2;
const MOST_WAITING = 64;

export type TextAnswer = { ok: true; text: string } | CoreFailure;

export class Questions {
  readonly #owner: GateOwner;
  readonly #version: string;
  readonly #placed: (call: unknown) => unknown;
  readonly #waiting: Array<() => void> = [];
  #asked = 0;

  /** `placed` gives a call to explain the folder that it would run in. */
  constructor(owner: GateOwner, version: string, placed: (call: unknown) => unknown) {
    this.#owner = owner;
    this.#version = version;
    this.#placed = placed;
  }

  /** Answers a question by its name; `request` is JSON text, or null. Never rejects. */
  async answer(question: string, request: string | null): Promise<TextAnswer> {
    const known = QUESTIONS.get(question);
    if (known === undefined) return { ok: false, code: "not-found", message: "the page has no such question" };
    let read: unknown;
    try {
      read = JSON.parse(request ?? "{}");
    } catch (thrown) {
      return { ok: false, code: "bad-request", message: `\`q\` is not JSON: ${messageOf(thrown)}` };
    }
    return await this.#inTurn(() => this.#ask(known, read));
  }

  async #ask(question: Look, request: unknown): Promise<TextAnswer> {
    if (question === "status") {
      const answer = await statusOf(this.#owner, this.#version);
      return answer.ok ? { ok: true, text: JSON.stringify(answer.payload) } : answer;
    }
    return await askForText(this.#owner, question, question === "explain" ? this.#placed(request) : request);
  }

  async #inTurn(step: () => Promise<TextAnswer>): Promise<TextAnswer> {
    if (this.#asked >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        return { ok: false, code: "busy", message: "too many questions at once; try again" };
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else {
      this.#asked += 1;
    }
    try {
      return await step();
    } finally {
      // Whoever waits longest takes over the place, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#asked -= 1;
      else next();
    }
  }
}
