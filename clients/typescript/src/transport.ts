// Requests to the service, over TCP or its Unix socket. Node's own HTTP, since `fetch` knows no Unix sockets.

import { Agent, type IncomingMessage, request as insecure } from "node:http";
import { Agent as SecureAgent, request as secure } from "node:https";
import type { Address } from "./address.ts";
import { CallosumError, ServiceError, ServiceUnreachable } from "./errors.ts";
import type { Verdict } from "./types.ts";

/** A request. */
export interface Ask {
  readonly method: "GET" | "POST" | "DELETE";
  /** From the service's root, with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the service acts once, however often it gets this very request. */
  readonly repeatable: boolean;
}

/** An answer, and what its head says. */
export interface Answer {
  readonly value: unknown;
  /** When the service gave it by its own clock, milliseconds since the epoch. */
  readonly servedAt: number | undefined;
  /** How a call stands that was allowed before. */
  readonly earlier: string | undefined;
}

/** The version of what the service and this client speak. */
const PROTOCOL = "1";
/** How long a connection without a request stays open. */
const IDLE_MS = 30_000;
/** Of an answer that can't be read, this much is shown. */
const SHOWN_CHARS = 200;
/** With these no connection came about, so nothing arrived. */
const NO_CONNECTION: Record<string, string> = {
  ENOENT: "there is no such socket",
  ECONNREFUSED: "nobody listens there",
  EACCES: "this user may not open the socket",
  ENOTFOUND: "the host's name is not known",
  EAI_AGAIN: "the host's name can't be looked up",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
};
const TRUST_IT = "Name the authority that signed it in `NODE_EXTRA_CA_CERTS`";
const START_IT = "Have a person start it with `callosum serve`, or name another address";

export class Transport {
  readonly #address: Address;
  readonly #token: string | undefined;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  constructor(address: Address, token: string | undefined, timeoutMs: number) {
    // Node would name the token in its error.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new CallosumError("the token is empty or holds a blank, a line break or another character that no token has");
    this.#address = address;
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#agent = new (address.secure ? SecureAgent : Agent)({ keepAlive: true, timeout: IDLE_MS });
  }

  /** Asks, and reads the answer as JSON. */
  async json(ask: Ask): Promise<Answer> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const response = await this.#open(ask, deadline);
    const text = await this.#text(response, deadline);
    this.#checkProtocol(response);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw this.#error(response, text);
    const { date = "", "x-callosum-earlier": earlier } = response.headers;
    const servedAt = Date.parse(date);
    const value = this.#parse(text, status);
    return { value, servedAt: Number.isNaN(servedAt) ? undefined : servedAt, earlier: earlier?.toString() };
  }

  /** Opens a stream of server-sent events. It breaks when nothing comes for `silenceMs`; `signal` ends it. */
  async stream(ask: Ask, silenceMs: number, signal: AbortSignal): Promise<IncomingMessage> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#timeoutMs);
    try {
      const response = await this.#open(ask, AbortSignal.any([late.signal, signal]), late.signal);
      this.#checkProtocol(response);
      if (response.statusCode !== 200 || !response.headers["content-type"]?.startsWith("text/event-stream"))
        throw this.#error(response, await this.#text(response, late.signal));
      response.socket.setTimeout(silenceMs, () => response.destroy(new Error(`nothing came for ${silenceMs} ms`)));
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connections that no request uses. */
  close(): void {
    this.#agent.destroy();
  }

  /**
   * Sends a request; gives the head of the answer. Where a connection that was kept open turns out to be closed, the request goes out again on a new
   * one; a request that must not arrive twice has a connection of its own from the start.
   */
  async #open(ask: Ask, signal: AbortSignal, late = signal): Promise<IncomingMessage> {
    const body = ask.body === undefined ? undefined : encode(ask.body);
    let stale = false;
    const send = (kept: boolean) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const { hostname, port, socketPath, prefix, secure: tls } = this.#address;
        const request = (tls ? secure : insecure)({
          ...(socketPath === undefined ? { hostname, port } : { socketPath, headers: { host: "localhost" } }),
          method: ask.method,
          path: `${prefix}${ask.path}`,
          agent: kept ? this.#agent : false,
          signal,
        });
        for (const [name, value] of Object.entries(ask.headers ?? {})) request.setHeader(name, value);
        if (this.#token !== undefined) request.setHeader("authorization", `Bearer ${this.#token}`);
        if (body !== undefined) {
          request.setHeader("content-type", "application/json");
          // Node leaves it out for DELETE, and the body with it.
          request.setHeader("content-length", Buffer.byteLength(body));
        }
        request.on("response", resolve);
        request.on("error", (error) => {
          stale = request.reusedSocket && !signal.aborted;
          reject(this.#unreachable(error, late));
        });
        request.end(body);
      });
    try {
      return await send(ask.repeatable);
    } catch (error) {
      if (!stale) throw error;
      // The others are as old.
      for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
      return await send(true);
    }
  }

  async #text(response: IncomingMessage, late: AbortSignal): Promise<string> {
    try {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      return Buffer.concat(pieces).toString("utf8");
    } catch (error) {
      throw this.#unreachable(error, late);
    }
  }

  #unreachable(error: unknown, late: AbortSignal): ServiceUnreachable {
    const { shown } = this.#address;
    if (late.aborted) {
      const problem = `it gave no answer within ${this.#timeoutMs} ms`;
      return new ServiceUnreachable(shown, problem, "See what it is busy with, or raise `timeoutMs`", true, error);
    }
    const code = codeOf(error);
    const known = code === undefined ? undefined : NO_CONNECTION[code];
    if (known !== undefined) return new ServiceUnreachable(shown, `${known} (${code})`, START_IT, false, error);
    const problem = error instanceof Error ? error.message : String(error);
    if (code !== undefined && /CERT|SIGNATURE/.test(code))
      return new ServiceUnreachable(shown, `its certificate is not trusted (${problem})`, TRUST_IT, false, error);
    return new ServiceUnreachable(shown, problem, "See the service's log, and ask again", true, error);
  }

  /** What another version means by an answer is anybody's guess: not even an `allow` is one. Whoever stands in between says no version. */
  #checkProtocol(response: IncomingMessage): void {
    const { "x-callosum-protocol": spoken } = response.headers;
    if (spoken === undefined || spoken === PROTOCOL) return;
    response.destroy();
    throw new ServiceError(
      `Callosum's service at ${this.#address.shown} speaks protocol ${excerpt(String(spoken))}, and this client speaks ${PROTOCOL}. Update the older of the two`,
      response.statusCode ?? 0,
      "protocol",
    );
  }

  #error(response: IncomingMessage, text: string): ServiceError {
    const status = response.statusCode ?? 0;
    const document = errorDocument(text);
    const field = document?.path ? `\`${document.path}\`: ` : "";
    const said = document?.message ?? (status === 401 ? "the token is missing, wrong, expired or revoked" : excerpt(text));
    const remedy = document?.remedy ?? (status === 401 ? "`callosum token list` shows the tokens that are good" : "");
    const seconds = Number(response.headers["retry-after"]);
    return new ServiceError(
      `Callosum's service at ${this.#address.shown} answered ${status}: ${field}${said}${remedy === "" ? "" : `. ${remedy}`}`,
      status,
      document?.code,
      response.headers["retry-after"] !== undefined && Number.isFinite(seconds) ? seconds * 1000 : undefined,
      document?.text,
      document?.verdict,
    );
  }

  #parse(text: string, status: number): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw new ServiceError(
        `what ${this.#address.shown} answered is no JSON: ${excerpt(text)}. See whether Callosum's service is what listens there`,
        status,
      );
    }
  }
}

/** The body of a request. A field that is `undefined` is left out. */
export function encode(body: unknown): string {
  try {
    return JSON.stringify(body, plain);
  } catch (error) {
    throw new CallosumError(
      `the parameters can't be written as JSON: ${error instanceof Error ? error.message : String(error)}; give plain values`,
      {
        cause: error,
      },
    );
  }
}

/**
 * A value as `JSON.stringify` takes it: what says by itself how it is written (a `Date`) has done so. What it would leave out or make less of is refused:
 * nobody could tell what the call acts on.
 */
function plain(this: unknown, name: string, value: unknown): unknown {
  const is = (what: string) => new TypeError(`\`${name}\` is ${what}`);
  switch (typeof value) {
    case "number":
      if (!Number.isFinite(value)) throw is(String(value));
      break;
    case "function":
    case "symbol":
      throw is(`a ${typeof value}`);
    case "undefined":
      if (Array.isArray(this) || (this as Record<string, unknown>)[name] !== undefined) throw is("undefined");
      break;
    case "object":
      if (value === null && (this as Record<string, unknown>)[name] !== null) throw is("written as null");
      if (value !== null && !Array.isArray(value) && !isPlain(value))
        throw is(`an object of the class ${String(value.constructor?.name)}`);
  }
  return value;
}

/** Whether an object is no more than its fields. A plain one's prototype has none itself, also one from another realm (a test runner's). */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

interface ErrorDocument {
  code?: string;
  message: string;
  remedy?: string;
  /** The field of the request that is wrong. */
  path?: string;
  /** What a model is to read. */
  text?: string;
  /** The verdict on a call that the service could not decide about. */
  verdict?: Verdict;
}

function errorDocument(text: string): ErrorDocument | undefined {
  try {
    const told = JSON.parse(text) as Partial<Verdict> & { error?: Partial<Record<keyof ErrorDocument, unknown>> };
    const { error, ...verdict } = told;
    const { code, message, remedy, path } = error ?? {};
    if (typeof message !== "string") return undefined;
    return {
      message,
      ...(typeof code === "string" && { code }),
      ...(typeof remedy === "string" && { remedy }),
      ...(typeof path === "string" && { path }),
      ...(typeof verdict.text === "string" && { text: verdict.text }),
      ...(isRefusal(verdict) && { verdict }),
    };
  } catch {
    return undefined;
  }
}

function isRefusal(told: Partial<Verdict>): told is Verdict {
  const { verdict, tier, contextKeys, call } = told;
  return verdict === "refuse" && typeof tier === "number" && Array.isArray(contextKeys) && typeof call === "string";
}

/** The beginning of what somebody else answered, on one line. */
function excerpt(text: string): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  return line === "" ? "an empty answer" : `"${line.slice(0, SHOWN_CHARS)}"`;
}

/** The code of a connection's error; of several addresses that were tried, the first one's. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
