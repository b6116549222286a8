// A model that plays a script instead of thinking: a model server on loopback, in the dialect of whoever asks it. The user's message holds the
// script, so one server serves any number of sessions at once, and the requests it keeps show exactly what each session was told.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One tool call of a scripted assistant message. */
export interface ScriptedCall {
  name: string;
  args: Record<string, unknown>;
  /** The call id the model gives; models do reuse them. Without one it is unique. */
  id?: string;
}

/** One assistant message with tool calls. `hold` keeps it back until the test calls `release(hold)`. */
export interface Step {
  calls: ScriptedCall[];
  hold?: string;
}

/** What a request for the model's next message says, as far as a script needs to know. */
export interface Conversation {
  /** The person's last message. */
  said: string;
  /** How many messages with tool calls the model has written since. */
  done: number;
  /** The results of these calls, in order. */
  results: string[];
}

/** What the model answers. */
export type Reply = { text: string } | { calls: Array<{ id: string; name: string; args: Record<string, unknown> }> };

/** How one kind of client talks with its model. */
export interface Dialect {
  /** Whether a POST to this path asks for the model's next message. */
  asks(path: string): boolean;
  read(body: Record<string, unknown>): Conversation;
  /** Streams the whole reply and ends the response. */
  write(response: ServerResponse, reply: Reply): void;
}

/** A request for the model's next message. */
export interface ModelRequest {
  /** The turn's name from the script, or undefined for a request that no script asked for. */
  turn?: string;
  /** The results of the turn's calls so far, in order. */
  results: string[];
  /** The whole request, as it was sent. */
  body: string;
}

const SCRIPT = /<<play (\{.*\})>>/s;
/** In a call's arguments: replaced by the first group of this pattern in the last of the turn's results that has it. */
const FROM_RESULT = /^\{\{result (.+)\}\}$/s;

/** The user's message that makes the fake model play these steps. */
export function script(turn: string, steps: Step[]): string {
  return `<<play ${JSON.stringify({ turn, steps })}>>`;
}

/** The text of a message whose content is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (typeof part.text === "string" ? part.text : ""))
    .join("");
}

/** The objects of what should be a list of them. */
export function listOf(value: unknown): Array<Record<string, unknown>> {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export class FakeModel {
  readonly requests: ModelRequest[] = [];
  /** What it does on a message without a script, which nobody's test wrote: the turn that it plays then, or the text that it says. */
  improvise: (said: string) => { turn: string; steps: Step[] } | string | undefined = () => undefined;
  readonly #dialects: Dialect[];
  readonly #server: Server;
  readonly #released = new Set<string>();
  readonly #waiting = new Map<string, Array<() => void>>();
  #calls = 0;

  private constructor(dialects: Dialect[]) {
    this.#dialects = dialects;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500);
        response.end(String(error));
      });
    });
  }

  static async start(dialects: Dialect[]): Promise<FakeModel> {
    const model = new FakeModel(dialects);
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject);
      model.#server.listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  /** Where the server listens. */
  get origin(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  async stop(): Promise<void> {
    for (const name of [...this.#waiting.keys()]) this.release(name);
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Lets the steps held under this name go on, now and later. */
  release(name: string): void {
    this.#released.add(name);
    for (const resume of this.#waiting.get(name) ?? []) resume();
    this.#waiting.delete(name);
  }

  /** The requests of one turn, oldest first. */
  turn(name: string): ModelRequest[] {
    return this.requests.filter((request) => request.turn === name);
  }

  /** What the model was given as the results of its tool calls in this turn, in order. */
  toolResults(turn: string): string[] {
    return this.turn(turn).at(-1)?.results ?? [];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = ""] = (request.url ?? "").split("?");
    const dialect = request.method === "POST" ? this.#dialects.find((known) => known.asks(path)) : undefined;
    if (dialect === undefined) {
      response.writeHead(404).end();
      return;
    }
    const body = Buffer.concat(chunks).toString("utf8");
    const parsed: unknown = JSON.parse(body);
    if (!isRecord(parsed)) throw new Error("the request is not an object");
    const { said, done, results } = dialect.read(parsed);
    const played = SCRIPT.exec(said)?.[1];
    const improvised = played === undefined ? this.improvise(said) : undefined;
    const scripted = played === undefined ? undefined : (JSON.parse(played) as { turn: string; steps: Step[] });
    const plan = typeof improvised === "object" ? improvised : scripted;
    this.requests.push({ ...(plan && { turn: plan.turn }), results, body });

    const step = plan?.steps[done];
    if (step?.hold !== undefined) await this.#held(step.hold);
    const reply =
      step === undefined
        ? { text: typeof improvised === "string" ? improvised : "Done." }
        : { calls: step.calls.map((call) => this.#toolCall(call, results)) };
    dialect.write(response, reply);
  }

  #held(name: string): Promise<void> {
    if (this.#released.has(name)) return Promise.resolve();
    return new Promise((resume) => {
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), resume]);
    });
  }

  #toolCall(call: ScriptedCall, results: string[]): { id: string; name: string; args: Record<string, unknown> } {
    this.#calls += 1;
    const args = Object.fromEntries(
      Object.entries(call.args).map(([name, value]) => {
        const pattern = typeof value === "string" ? FROM_RESULT.exec(value)?.[1] : undefined;
        if (pattern === undefined) return [name, value];
        const found = results.map((result) => new RegExp(pattern).exec(result)?.[1]);
        return [name, found.findLast((group) => group !== undefined) ?? "(in no result)"];
      }),
    );
    return { id: call.id ?? `call_${this.#calls}`, name: call.name, args };
  }
}
