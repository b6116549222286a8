// The shared context in a gateway: whether there is one, and what prompts say of it. The host asks at moments when nobody may wait for a disk;
// so it is answered by what the last look found, and each prompt has a worker look again.

import { setTimeout as sleep } from "node:timers/promises";
import { answerOf, type CoreAnswer } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { isRecord } from "../host.ts";
import { type AskModel, askModel } from "./model.ts";

/** How long a prompt waits for a look: then it says what the last one found. */
const WAIT_MS = 1_000;

/** What the last look found. */
export interface Known {
  on: boolean;
  /** What prompts say. */
  text?: string | undefined;
  /** Another plugin has tools of the same names, and the log says so. */
  isYieldTold?: boolean;
}

/** The host prepares prompts, assembles tools and starts the gateway in different instances, each with its own copy of this module. */
const KNOWN = Symbol.for("callosum.shared-context");

function ofThisProcess(): Known {
  const shared = globalThis as { [KNOWN]?: Known };
  shared[KNOWN] ??= { on: false };
  return shared[KNOWN];
}

/** Who calls a tool, as the host says. */
export interface ToolCaller {
  agent: string | undefined;
  session: string | undefined;
  call: string;
  byOwner: boolean;
}

export class SharedContext {
  readonly #owner: GateOwner;
  readonly #isWanted: boolean;
  readonly #known: Known;
  readonly #hostModel: AskModel | undefined;

  /**
   * `isWanted` is true where the plugin's settings switch it on; otherwise it is on where the state directory knows a folder. `hostModel` asks
   * the host's model; without it none is asked.
   */
  constructor(owner: GateOwner, isWanted: boolean, known: Known = ofThisProcess(), hostModel?: AskModel) {
    this.#owner = owner;
    this.#isWanted = isWanted;
    this.#known = known;
    this.#hostModel = hostModel;
  }

  /** Whether there is one, as far as is known. */
  get isOn(): boolean {
    return this.#isWanted || this.#known.on;
  }

  /** What a prompt of a session says, the same as long as nothing has changed; nothing where nothing is known in time. Never rejects. */
  async promptLines(session: string | undefined, waitMs: number = WAIT_MS): Promise<string[]> {
    await Promise.race([this.look(session), sleep(waitMs, undefined, { ref: false })]);
    const { text } = this.#known;
    return text === undefined ? [] : [text, ""];
  }

  /** Has a worker look after the folder, and notes what it found. Never rejects. */
  async look(session?: string): Promise<void> {
    const answer = await this.#ask({ do: "prompt", session });
    if (!answer.ok || !isRecord(answer.payload)) return;
    const { on, text } = answer.payload;
    this.#known.on = on === true;
    if (!this.#known.on) this.#known.text = undefined;
    else if (text !== undefined) this.#known.text = typeof text === "string" ? text : undefined;
  }

  /** Has a worker do what a tool is called for; and asks a model, where the core wants to know something of one. */
  async call(tool: string, params: unknown, caller: ToolCaller): Promise<CoreAnswer> {
    const canAsk = this.#hostModel && { canAsk: true };
    const request = { do: "call", tool, params: isRecord(params) ? params : {}, runtime: "openclaw", ...caller, ...canAsk };
    const answer = await this.#ask(request);
    if (!answer.ok || !isRecord(answer.payload)) return answer;
    const { ask, ...payload } = answer.payload;
    if (ask === undefined) return answer;
    const semantic = await this.#withModel(ask);
    return { ok: true, payload: { ...payload, ...(semantic !== undefined && { semantic }) } };
  }

  /** What came of asking a model. After a question that it did not answer it is asked no other: a tool's call waits for this. */
  async #withModel(ask: unknown): Promise<unknown> {
    if (!isRecord(ask) || !Array.isArray(ask.questions) || this.#hostModel === undefined) return undefined;
    let semantic: unknown;
    for (const question of ask.questions.filter(isRecord)) {
      const { date, inputDigest, prompt } = question;
      const said = await askModel(this.#hostModel, ask.model, String(prompt), Number(ask.timeoutMs));
      const taken = await this.#ask({ do: "answered", date, inputDigest, ...said });
      if (taken.ok && isRecord(taken.payload)) semantic = taken.payload.semantic;
      if (said.answer === null) break;
    }
    return semantic;
  }

  /** The proposals that nobody has decided about. */
  proposals(): Promise<CoreAnswer> {
    return this.#ask({ do: "proposals" });
  }

  /** A person decides about a proposal. What prompts say changes by it at once. */
  async decide(id: string, accept: boolean): Promise<CoreAnswer> {
    const answer = await this.#ask({ do: "decide", id, accept });
    if (answer.ok) await this.look();
    return answer;
  }

  /** Says once in the log that the tools are another plugin's. */
  yieldTo(plugin: string): void {
    if (this.#known.isYieldTold) return;
    this.#known.isYieldTold = true;
    this.#owner.info(
      `the shared context's tools are off, because the plugin "${plugin}" has tools of the same names; prompts and looking after go on`,
    );
  }

  #ask(request: unknown): Promise<CoreAnswer> {
    return answerOf(this.#owner, (gate) => gate.context(JSON.stringify(request)));
  }
}
