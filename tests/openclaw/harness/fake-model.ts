// A model that plays a script instead of thinking: an OpenAI-compatible chat-completions server on loopback. The user's message holds the
// script, so one server serves any number of sessions at once, and the request bodies it keeps show exactly what each session was told.

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

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
  tool_call_id?: string;
}

/** A request body as the host sent it, reduced to what tests look at. */
export interface ModelRequest {
  /** The turn's name from the script, or undefined for a request that no script asked for. */
  turn?: string;
  messages: Message[];
  tools: string[];
  at: number;
}

const SCRIPT = /<<play (\{.*\})>>/s;
/** How a user message begins that the host adds by itself, behind the person's one. */
const HOST_CONTEXT = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";
/** In a call's arguments: replaced by the first group of this pattern in the last tool result of the conversation. */
const FROM_RESULT = /^\{\{result (.+)\}\}$/s;

/** The user's message that makes the fake model play these steps. */
export function script(turn: string, steps: Step[]): string {
  return `<<play ${JSON.stringify({ turn, steps })}>>`;
}

/** The text of a message whose content is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export class FakeModel {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  readonly #released = new Set<string>();
  readonly #waiting = new Map<string, Array<() => void>>();
  #calls = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500);
        response.end(String(error));
      });
    });
  }

  static async start(): Promise<FakeModel> {
    const model = new FakeModel();
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject);
      model.#server.listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1`;
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
    const last = this.turn(turn).at(-1);
    if (last === undefined) return [];
    const from = last.messages.findLastIndex((message) => message.role === "user" && SCRIPT.test(textOf(message.content)));
    return last.messages
      .slice(from + 1)
      .filter((message) => message.role === "tool")
      .map((message) => textOf(message.content));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== "POST" || !request.url?.endsWith("/chat/completions")) {
      response.writeHead(404).end();
      return;
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (!isRecord(body)) throw new Error("the request is not an object");
    const messages = (Array.isArray(body.messages) ? body.messages : []) as Message[];
    const from = messages.findLastIndex(
      (message) => message.role === "user" && !textOf(message.content).startsWith(HOST_CONTEXT),
    );
    const played = SCRIPT.exec(textOf(messages[from]?.content));
    const plan = played?.[1] === undefined ? undefined : (JSON.parse(played[1]) as { turn: string; steps: Step[] });
    const toolNames = (Array.isArray(body.tools) ? body.tools : []).map((tool: unknown) =>
      isRecord(tool) && isRecord(tool.function) ? String(tool.function.name) : "?",
    );
    this.requests.push({ ...(plan && { turn: plan.turn }), messages, tools: toolNames, at: Date.now() });

    const done = messages.slice(from + 1).filter((message) => message.role === "assistant" && message.tool_calls).length;
    const step = plan?.steps[done];
    if (step?.hold !== undefined) await this.#held(step.hold);
    const lastResult = textOf(messages.findLast((message) => message.role === "tool")?.content);
    stream(
      response,
      step === undefined ? { text: "Done." } : { calls: step.calls.map((call) => this.#toolCall(call, lastResult)) },
    );
  }

  #held(name: string): Promise<void> {
    if (this.#released.has(name)) return Promise.resolve();
    return new Promise((resume) => {
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), resume]);
    });
  }

  #toolCall(call: ScriptedCall, lastResult: string): { id: string; name: string; args: string } {
    this.#calls += 1;
    const args = Object.fromEntries(
      Object.entries(call.args).map(([name, value]) => {
        const pattern = typeof value === "string" ? FROM_RESULT.exec(value)?.[1] : undefined;
        return [name, pattern === undefined ? value : (new RegExp(pattern).exec(lastResult)?.[1] ?? "(not in the last result)")];
      }),
    );
    return { id: call.id ?? `call_${this.#calls}`, name: call.name, args: JSON.stringify(args) };
  }
}

interface Reply {
  text?: string;
  calls?: Array<{ id: string; name: string; args: string }>;
}

function stream(response: ServerResponse, reply: Reply): void {
  const send = (delta: unknown, finish: string | null) => {
    const chunk = {
      id: "fake",
      object: "chat.completion.chunk",
      created: 0,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason: finish }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ role: "assistant", content: reply.text ?? "" }, null);
  const calls = reply.calls ?? [];
  if (calls.length > 0) {
    send(
      {
        tool_calls: calls.map((call, index) => ({
          index,
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: call.args },
        })),
      },
      null,
    );
  }
  send({}, calls.length > 0 ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  response.write(`data: ${JSON.stringify({ id: "fake", object: "chat.completion.chunk", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}
