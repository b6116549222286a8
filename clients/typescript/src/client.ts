// The client of the service that `callosum serve` starts.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultUrl, parseAddress } from "./address.ts";
import { CallosumError, ServiceError } from "./errors.ts";
import { EventStreamParser } from "./event-stream.ts";
import { describe, type GuardOptions, guard, LONGEST_TIMER_MS, passes } from "./guard.ts";
import { type Answer, type Ask, encode, isPlain, Transport } from "./transport.ts";
import type {
  CallName,
  Done,
  InterceptAnswer,
  LockAnswer,
  Outcome,
  Params,
  StatusAnswer,
  StreamEvent,
  ToolCall,
  Verdict,
} from "./types.ts";

/** Longer than the 15 s that the service gives a request, so that its own answer comes first. */
const TIMEOUT_MS = 20_000;
/** A stream that says nothing for as long is taken for dead. */
const SILENCE_MS = 60_000;
/** A result is sent as it is up to this size, and with so many lists and objects in it. */
const MAX_RESULT_CHARS = 65_536;
const MAX_NESTED = 100;
const FIRST_RECONNECT_MS = 250;
const LAST_RECONNECT_MS = 5_000;

/** Where the service has what is done together. */
const TEAM_PATHS = {
  tasks: ["GET", "/v1/tasks"],
  task: ["GET", "/v1/tasks/{id}"],
  add: ["POST", "/v1/tasks"],
  claim: ["POST", "/v1/tasks/claim"],
  done: ["POST", "/v1/tasks/{id}/done"],
  fail: ["POST", "/v1/tasks/{id}/fail"],
  handoff: ["POST", "/v1/tasks/{id}/handoff"],
  release: ["POST", "/v1/tasks/{id}/release"],
  input: ["POST", "/v1/tasks/{id}/input"],
  beat: ["POST", "/v1/tasks/{id}/beat"],
  cancel: ["POST", "/v1/tasks/{id}/cancel"],
  accept: ["POST", "/v1/tasks/{id}/accept"],
  reject: ["POST", "/v1/tasks/{id}/reject"],
  send: ["POST", "/v1/messages"],
  inbox: ["GET", "/v1/messages"],
  shown: ["POST", "/v1/messages/shown"],
  publish: ["POST", "/v1/events"],
} as const satisfies Record<string, readonly ["GET" | "POST", string]>;

/** What {@link CallosumClient.team} can do. */
export type TeamVerb = keyof typeof TEAM_PATHS;

/** Where the service is, and who asks it. */
export interface ClientOptions {
  /**
   * Where the service is: `unix:/PATH/serve.sock`, `http://127.0.0.1:7411` or `https://HOST:PORT`. Without it, the socket in the state directory
   * (`CALLOSUM_STATE_DIR`, else `~/.callosum`).
   */
  readonly url?: string;
  /** What `callosum token add` printed. The socket needs none. */
  readonly token?: string;
  /** How long an answer may take, in milliseconds; 20,000 if not given. */
  readonly timeoutMs?: number;
  /**
   * Who acts. The methods of the five endpoints (`intercept`, `complete`, `lock`, `unlock`) need it, and so does a token that speaks for several
   * instances.
   */
  readonly instance?: string;
}

/** Which events a stream brings, from where on, and when it ends. */
export interface EventsOptions {
  /** Only topics that match, as in `task.*`. */
  readonly topic?: string;
  /** Only what is about this resource; `*` at its end stands for all that begin so. */
  readonly key?: string;
  /** The `cursor` of the last event that is known; without it, from now on. */
  readonly after?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
}

/**
 * A client of Callosum's service.
 *
 * Methods reject with {@link ServiceUnreachable} when nobody answers, and with {@link ServiceError} when the service says no to the request. A verdict
 * is an answer and never an error, except in {@link CallosumClient.guard}.
 */
export class CallosumClient {
  readonly #transport: Transport;
  readonly #timeoutMs: number;
  readonly #instance: string | undefined;
  readonly #closing = new AbortController();

  constructor(options: ClientOptions = {}) {
    const { url = defaultUrl(), token, timeoutMs = TIMEOUT_MS, instance } = options;
    if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
      throw new CallosumError(`\`timeoutMs\` is ${timeoutMs}; give a number above 0`);
    this.#transport = new Transport(parseAddress(url), token, timeoutMs);
    this.#timeoutMs = timeoutMs;
    this.#instance = instance;
  }

  /**
   * Asks for a verdict and runs `run` only if it is `allow`, then tells how that ended. Anything else throws {@link Refused}, mostly as
   * {@link Paused}: give its text to the model. It never repeats a call by itself, and does not run one again whose `call` id
   * was allowed before ({@link Repeated}).
   *
   * An error of `run` comes out as it is, and leaves the outcome unknown unless `notDone` says that it proves the opposite. While `run` is at it, the
   * call's lease is renewed.
   */
  guard<T>(tool: string, params: Params, run: (verdict: Verdict) => T | PromiseLike<T>, options: GuardOptions = {}): Promise<T> {
    const gate = {
      timeoutMs: this.#timeoutMs,
      before: async (call: ToolCall, repeatable: boolean) => {
        const answer = await this.#before(call, repeatable);
        const verdict = answer.value as Verdict;
        return { verdict, leaseMs: left(verdict.expiresAt, answer), earlier: answer.earlier };
      },
      // The call is under way: what is to be told of it is told by a client that was closed meanwhile, too.
      after: async (outcome: Outcome) => {
        await this.#transport.json({ method: "POST", path: "/v1/after", body: outcome, repeatable: true });
      },
      extend: async (name: CallName) => {
        const answer = await this.#transport.json({ method: "POST", path: "/v1/extend", body: name, repeatable: true });
        return left((answer.value as { expiresAt?: string }).expiresAt, answer);
      },
    };
    return guard(gate, tool, params, run, options);
  }

  /** Asks what the gate says of a call. Who gets `allow` makes the call and tells how it ended with {@link CallosumClient.after}. */
  async before(call: ToolCall): Promise<Verdict> {
    return (await this.#before(call)).value as Verdict;
  }

  /** Tells how a call ended. Telling it again changes nothing. */
  async after(outcome: Outcome): Promise<void> {
    await this.#post("/v1/after", outcome);
  }

  /** Tells that the model has read why a call was paused, so that its next try is a retry. Without it, that is assumed after half a second. */
  async delivered(name: CallName): Promise<void> {
    await this.#post("/v1/delivered", { call: name.call, session: name.session });
  }

  /** Renews the lease of a call that takes long; gives when it ends now (RFC 3339). */
  async extend(name: CallName): Promise<string | undefined> {
    return ((await this.#post("/v1/extend", { call: name.call, session: name.session })).value as { expiresAt?: string })
      .expiresAt;
  }

  /** Asks one of the questions of `callosum NAME --json`, such as `journal` or `why`, with its parameters. */
  async ask(question: string, parameters: Params = {}): Promise<unknown> {
    checkPlain("parameters", parameters);
    // As one document: an address has only texts.
    const asked = Object.keys(parameters).length === 0 ? {} : { q: encode(parameters) };
    const path = `/v1/${encodeURIComponent(question)}${query(asked)}`;
    return (await this.#asks({ method: "GET", path, repeatable: true })).value;
  }

  /**
   * Does something together with other sessions, or looks at it: `tasks`, `task`, `add`, `claim`, `done`, `send`, `inbox` …, with what the service
   * takes for it. Name the `session` that does it. What may be done only once is never sent twice: after {@link ServiceUnreachable} look first.
   */
  async team(verb: TeamVerb, request: Params = {}): Promise<unknown> {
    checkPlain("request", request);
    const { id, ...rest } = this.#instance === undefined ? request : { instance: this.#instance, ...request };
    const [method, place] = TEAM_PATHS[verb];
    if (place.includes("{id}") && typeof id !== "string") throw new CallosumError(`\`${verb}\` needs the \`id\` of a task`);
    const path = place.replace("{id}", () => encodeURIComponent(String(id)));
    const body = place.includes("{id}") || id === undefined ? rest : { id, ...rest };
    if (method === "POST") return (await this.#post(path, body, { repeatable: false })).value;
    const given = Object.entries(body).filter(([, value]) => value !== undefined);
    const asked = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
    return (await this.#asks({ method, path: `${path}${query(asked)}`, repeatable: true })).value;
  }

  /**
   * What happens, as it happens. A connection that breaks is made anew where it ended, for as long as it takes: no event is lost or told twice, and what
   * was pruned in between comes as one event with `gap`. It ends with `signal`, or when the loop over it does. It throws if the first connection can't
   * be made, or if the service says no.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<StreamEvent, void, void> {
    this.#checkOpen();
    const { topic, key, after } = options;
    const filter = { ...(topic !== undefined && { topic }), ...(key !== undefined && { key }) };
    const closing = this.#closing.signal;
    const signal = options.signal === undefined ? closing : AbortSignal.any([closing, options.signal]);
    let parser = new EventStreamParser("");
    let wait = FIRST_RECONNECT_MS;
    for (let connected = false; !signal.aborted; ) {
      let asked = 0;
      try {
        const resumed = parser.lastEventId !== "";
        const path = `/v1/events${query({ ...filter, ...(after && !resumed && { after }) })}`;
        const headers = { accept: "text/event-stream", ...(resumed && { "last-event-id": parser.lastEventId }) };
        const response = await this.#transport.stream({ method: "GET", path, headers, repeatable: true }, SILENCE_MS, signal);
        connected = true;
        parser = new EventStreamParser(parser.lastEventId);
        for await (const piece of response) {
          wait = Math.max(parser.retryMs ?? 0, FIRST_RECONNECT_MS);
          for (const event of parser.feed(piece as Buffer)) yield streamEvent(event.id, event.data);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!connected || !breaks(error)) throw error;
        asked = (error instanceof ServiceError && error.retryAfterMs) || 0;
      }
      await sleep(Math.min(Math.max(wait, asked), LONGEST_TIMER_MS), undefined, { signal }).catch(() => undefined);
      wait = Math.min(wait * 2, LAST_RECONNECT_MS);
    }
  }

  /**
   * `POST /intercept`: whether `instance` may go on. At tier 3 it may, with a `warning`; at tier 4 it may not while another instance acts, or has
   * just acted, on the same resource. With `enforce`, tier 3 says no as well.
   */
  async intercept(
    tool: string,
    action: string,
    params: Params,
    options: { readonly enforce?: boolean } = {},
  ): Promise<InterceptAnswer> {
    checkPlain("params", params);
    const body = { instance: this.#who("intercept"), tool, action, params, ...options };
    const headers = { "idempotency-key": randomUUID() };
    return (await this.#post("/intercept", body, { headers })).value as InterceptAnswer;
  }

  /**
   * `POST /complete`: what `intercept` let through has ended: the call `id`, or the oldest that is open on the key. A result with `error` counts as
   * unknown: calls often take effect and then report an error.
   */
  async complete(contextKey: string, result: unknown, options: { readonly id?: string } = {}): Promise<Done> {
    const body = { instance: this.#who("complete"), contextKey, result: told(result), ...options };
    return (await this.#post("/complete", body, { repeatable: false })).value as Done;
  }

  /** `POST /lock`: takes the lease of a resource, for five minutes; for a `session`, whose own calls then go through. */
  async lock(contextKey: string, tier: number, options: { readonly session?: string } = {}): Promise<LockAnswer> {
    const body = { instance: this.#who("lock"), contextKey, tier, ...options };
    return (await this.#post("/lock", body, { repeatable: false })).value as LockAnswer;
  }

  /** `DELETE /lock/:key`: gives back one's own lease; name the `session` if `lock` did. */
  async unlock(contextKey: string, options: { readonly session?: string } = {}): Promise<Done> {
    const path = `/lock/${encodeURIComponent(contextKey)}`;
    const body = { instance: this.#who("unlock"), ...options };
    return (await this.#asks({ method: "DELETE", path, body, repeatable: true })).value as Done;
  }

  /** `GET /status`: the leases and the recent actions, of one resource or of all. */
  async status(contextKey?: string): Promise<StatusAnswer> {
    const path = `/status${query(contextKey === undefined ? {} : { contextKey })}`;
    return (await this.#asks({ method: "GET", path, repeatable: true })).value as StatusAnswer;
  }

  /**
   * Closes all connections; streams of events end. Nothing can be asked any more, but how guarded calls end that are under way is told all the same.
   * Connections without a request close by themselves after a while, too.
   */
  close(): void {
    this.#closing.abort();
    this.#transport.close();
  }

  async #before(call: ToolCall, repeatable = true): Promise<Answer> {
    checkPlain("params", call.params);
    const instance = this.#instance === undefined ? {} : { instance: this.#instance };
    return this.#post("/v1/before", { ...call, ...instance, call: call.call ?? randomUUID() }, { repeatable });
  }

  #post(path: string, body: unknown, how: Partial<Pick<Ask, "headers" | "repeatable">> = {}): Promise<Answer> {
    return this.#asks({ method: "POST", path, body, repeatable: true, ...how });
  }

  async #asks(ask: Ask): Promise<Answer> {
    this.#checkOpen();
    return this.#transport.json(ask);
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new CallosumError("this client is closed: make another one");
  }

  #who(method: string): string {
    if (this.#instance === undefined)
      throw new CallosumError(`\`${method}\` says who acts: give the client its \`instance\`, a name that no other agent has`);
    return this.#instance;
  }
}

/**
 * What came of a call, as far as the service takes it. The call is over: whatever it gave, its end has to be told, and whether that is an error, which is
 * all that the service looks for.
 */
function told(result: unknown): unknown {
  try {
    const text = encode(result) ?? "";
    const nested = text.match(/[[{]/g)?.length ?? 0;
    if (text.length <= MAX_RESULT_CHARS && nested <= MAX_NESTED && !/\\ud[89a-f]/i.test(text)) return result;
  } catch {
    // It is no JSON.
  }
  try {
    const error = result instanceof Error ? result : (result as { error?: unknown } | undefined)?.error;
    return error === undefined || error === null ? {} : { error: describe(error) };
  } catch (error) {
    return { error: describe(error) };
  }
}

/** How long a lease lasts, in milliseconds, by the service's own clock where the answer has it. */
function left(expiresAt: string | undefined, { servedAt }: Answer): number | undefined {
  if (expiresAt === undefined) return undefined;
  const end = Date.parse(expiresAt);
  return Number.isNaN(end) ? undefined : end - (servedAt ?? Date.now());
}

/** Whether an error says no more than that a stream broke, so that the next connection may succeed. */
function breaks(error: unknown): boolean {
  return passes(error) || !(error instanceof CallosumError);
}

function query(parameters: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(parameters).toString();
  return text === "" ? "" : `?${text}`;
}

function streamEvent(cursor: string, data: string): StreamEvent {
  let told: unknown;
  try {
    told = JSON.parse(data);
  } catch {
    throw new CallosumError(`the event ${cursor} is no JSON: ${data.slice(0, 200)}`);
  }
  return { ...(told as object), cursor };
}

/** Of a `Map` or an instance of a class nobody could tell what the call acts on. */
function checkPlain(name: string, params: unknown): void {
  if (typeof params === "object" && params !== null && isPlain(params) && !("toJSON" in params)) return;
  throw new CallosumError(`\`${name}\` has to be a plain object`);
}
