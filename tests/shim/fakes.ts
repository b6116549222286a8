// Stand-ins for the native gate and the host, for tests of the shim alone.

import type { Answer, EndpointAnswer } from "../../plugin/native/binding.js";
import { GateOwner } from "../../plugin/src/gate-owner.ts";
import type { Loaded, NativeGate } from "../../plugin/src/native.runtime.ts";

export interface Call {
  method: string;
  args: unknown[];
}

/** A gate that answers what the test says and remembers how it was asked. */
export class FakeGate implements NativeGate {
  readonly calls: Call[] = [];
  answer: Answer | null = null;
  finished: Promise<Answer | null> = Promise.resolve(null);
  maintained: Promise<void> = Promise.resolve();
  /** What it answers to a question. */
  answers: Record<string, string> = {
    status: "{}",
    journal: '{"entries":[]}',
    recent: '{"leases":[],"actions":[],"text":""}',
    why: '{"key":"k","events":[],"text":""}',
    explain: "{}",
  };
  /** What it answers to requests about the shared context, one after another; the last one stays. */
  contexts: string[] = ['{"on":false}'];
  /** What it answers to requests about what is done together, as `contexts`. */
  teams: string[] = ['{"on":false,"tools":[]}'];
  releaseText = '{"key":"k","released":[]}';
  decided = '{"task":{"id":"t1"}}';
  endpointAnswer: EndpointAnswer = { status: 200, body: "{}" };
  endpointWaits: Promise<void> = Promise.resolve();
  pendingNotices: Array<{ level: string; text: string }> = [];
  throws: Error | undefined;

  before(...args: unknown[]): Answer | null {
    return this.#note("before", args);
  }
  after(...args: unknown[]): Answer | null {
    return this.#note("after", args);
  }
  processEnded(...args: unknown[]): Answer | null {
    return this.#note("processEnded", args);
  }
  resultPersisted(...args: unknown[]): Answer | null {
    return this.#note("resultPersisted", args);
  }
  modelCallStarted(...args: unknown[]): Answer | null {
    return this.#note("modelCallStarted", args);
  }
  finish(ticket: number): Promise<Answer | null> {
    this.#note("finish", [ticket]);
    return this.finished;
  }
  abandon(ticket: number): Answer | null {
    this.#note("abandon", [ticket]);
    return { refuse: "abandoned" };
  }
  maintain(): Promise<void> {
    this.#note("maintain", []);
    return this.maintained;
  }
  writeAtExit(): void {
    this.#note("writeAtExit", []);
  }
  notices() {
    return this.pendingNotices.splice(0) as ReturnType<NativeGate["notices"]>;
  }
  ask(question: string, request: string): Promise<string> {
    this.#note(question, [request]);
    return Promise.resolve(this.answers[question] ?? '{"error":{"code":"bad-request","message":"no such question"}}');
  }
  release(key: string, by: string): Promise<string> {
    this.#note("release", [key, by]);
    return Promise.resolve(this.releaseText);
  }
  async endpoint(request: unknown): Promise<EndpointAnswer> {
    this.#note("endpoint", [request]);
    await this.endpointWaits;
    return this.endpointAnswer;
  }
  context(request: string): Promise<string> {
    this.#note("context", [request]);
    return Promise.resolve(this.contexts.length > 1 ? (this.contexts.shift() ?? "") : (this.contexts[0] ?? ""));
  }
  team(request: string): Promise<string> {
    this.#note("team", [request]);
    const { surface, verb } = JSON.parse(request) as { surface?: string; verb?: string };
    if (surface === "page") return Promise.resolve(verb === "page" ? '{"on":true}' : this.decided);
    return Promise.resolve(this.teams.length > 1 ? (this.teams.shift() ?? "") : (this.teams[0] ?? ""));
  }
  close(): Promise<void> {
    this.#note("close", []);
    return Promise.resolve();
  }

  /** The methods called, in order. */
  get methods(): string[] {
    return this.calls.map((call) => call.method);
  }

  #note(method: string, args: unknown[]): Answer | null {
    this.calls.push({ method, args });
    if (this.throws) throw this.throws;
    return this.answer;
  }
}

export class FakeLogger {
  readonly lines: string[] = [];
  info(message: string): void {
    this.lines.push(`info ${message}`);
  }
  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }
  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}

export interface Bench {
  gate: FakeGate;
  logger: FakeLogger;
  owner: GateOwner;
  loads: () => number;
}

/** An owner of a fake gate; `loaded` replaces what loading it gives. */
export function bench(options: { closed?: boolean; loaded?: Loaded; answerMs?: number } = {}): Bench {
  const gate = new FakeGate();
  const logger = new FakeLogger();
  let loads = 0;
  const owner = new GateOwner({
    load: () => {
      loads += 1;
      return options.loaded ?? { ok: true, gate };
    },
    logger,
    closed: options.closed ?? false,
    ...(options.answerMs !== undefined && { answerMs: options.answerMs }),
  });
  return { gate, logger, owner, loads: () => loads };
}

export const NOT_LOADED: Loaded = {
  ok: false,
  failure: { cause: "no such file", remedy: ["Build it.", "Reload."], since: "2026-01-31T09:00:00Z" },
};
