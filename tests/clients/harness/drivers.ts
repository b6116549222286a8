// The clients behind one face, so that every promise is shown for all of them: TypeScript, and Python with and without an event loop.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as callosum from "../../../clients/typescript/src/index.ts";
import { findPython } from "../../../scripts/python.ts";

export interface Settings {
  url: string;
  token?: string;
  timeoutMs?: number;
  instance?: string;
}

/** What a method gave, or why it did not. */
export interface Result {
  value?: unknown;
  error?: Failure;
}
export interface Failure {
  kind: string;
  message: string;
  text?: string;
  verdict?: string;
  reason?: string | null;
  tier?: number;
  call?: string;
  contextKeys?: string[];
  evidence?: unknown[];
  expiresAt?: string | null;
  status?: number;
  code?: string | null;
  retryAfterMs?: number | null;
  address?: string;
  mayHaveArrived?: boolean;
}

/** How the guarded function ends. */
export type Ending = { returns: unknown } | { raises: string; proved?: boolean };

/** A guarded call under way. */
export interface Guarded {
  /** When the function runs; it never comes for a call that is refused. */
  readonly started: Promise<void>;
  finish(how: Ending): void;
  readonly result: Promise<Result>;
}

export interface Stream {
  /** The next event, or why there is none. */
  next(): Promise<Result>;
}

export interface Client {
  call(method: string, args?: unknown[], options?: Record<string, unknown>): Promise<Result>;
  guard(tool: string, params: Record<string, unknown>, options?: Record<string, unknown>): Guarded;
  events(options?: Record<string, unknown>): Stream;
  /** What it printed for people, so far. */
  said(): string;
  close(): Promise<void>;
}

export interface Driver {
  readonly name: string;
  open(settings: Settings): Client;
}

class NotDone extends Error {}

/** Events that were not asked for yet, or who waits for one. */
class Inbox {
  readonly #waiting: Array<(result: Result) => void> = [];
  readonly #came: Result[] = [];

  push(result: Result): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#came.push(result);
    else waiting(result);
  }

  next(): Promise<Result> {
    const came = this.#came.shift();
    return came === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(came);
  }
}

function failure(error: unknown): Result {
  assert.ok(error instanceof Error, String(error));
  const { name: kind, message } = error;
  return { error: { ...error, kind, message } };
}

const warnings: string[] = [];
process.on("warning", ({ name, message }) => warnings.push(`${name}: ${message}`));

class TypeScriptClient implements Client {
  readonly #client: callosum.CallosumClient;
  readonly #warned = warnings.length;

  constructor(settings: Settings) {
    this.#client = new callosum.CallosumClient(settings);
  }

  async call(method: string, args: unknown[] = [], options?: Record<string, unknown>): Promise<Result> {
    try {
      const { [method]: run } = this.#client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      assert.ok(run !== undefined, method);
      return { value: await run.apply(this.#client, TypeScriptClient.#spelled(method, args, options)) };
    } catch (error) {
      return failure(error);
    }
  }

  /** Python takes by name what TypeScript takes as one object. */
  static #spelled(method: string, args: unknown[], options: Record<string, unknown> = {}): unknown[] {
    const [first, second] = args;
    if (method === "before") return [{ tool: first, params: second, ...options }];
    if (method === "after") return [{ call: first, outcome: second, ...options }];
    if (method === "delivered" || method === "extend") return [{ call: first, ...options }];
    return Object.keys(options).length === 0 ? args : [...args, options];
  }

  guard(tool: string, params: Record<string, unknown>, options: Record<string, unknown> = {}): Guarded {
    let start = () => {};
    let finish: (how: Ending) => void = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const ending = new Promise<Ending>((resolve) => {
      finish = resolve;
    });
    const run = async () => {
      start();
      const how = await ending;
      if ("raises" in how) throw how.proved === true ? new NotDone(how.raises) : new TypeError(how.raises);
      return how.returns;
    };
    const asked = { ...options, notDone: (error: unknown) => error instanceof NotDone };
    const result = this.#client.guard(tool, params, run, asked).then((value) => ({ value }), failure);
    return { started, finish: (how) => finish(how), result };
  }

  events(options: Record<string, unknown> = {}): Stream {
    const inbox = new Inbox();
    const read = async () => {
      for await (const event of this.#client.events(options)) inbox.push({ value: event });
      inbox.push({ value: "the stream ended" });
    };
    read().catch((error: unknown) => inbox.push(failure(error)));
    return inbox;
  }

  said(): string {
    return warnings.slice(this.#warned).join("\n");
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

interface Message extends Result {
  id: number;
  started?: boolean;
  event?: unknown;
}

const SCRIPT = fileURLToPath(new URL("driver.py", import.meta.url));
export const PYTHON_SOURCES = fileURLToPath(new URL("../../../clients/python/src", import.meta.url));

/** A Python that drives clients: one for all tests of a file, since a start of it takes longer than most of them. */
class PythonHost {
  readonly #child: ChildProcess;
  readonly #heard = new Map<number, (message: Message) => void>();
  #last = 0;
  said = "";

  constructor(python: string, kind: string) {
    this.#child = spawn(python, [SCRIPT, kind], {
      env: { ...process.env, PYTHONPATH: PYTHON_SOURCES, PYTHONDONTWRITEBYTECODE: "1" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.#child;
    assert.ok(stdout !== null && stderr !== null);
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.said += text;
    });
    createInterface({ input: stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      this.#heard.get(message.id)?.(message);
    });
    this.#child.once("close", () => {
      const error = { kind: "driver", message: `the driver ended: ${this.said}` };
      for (const heard of this.#heard.values()) heard({ id: 0, error });
    });
  }

  send(command: Record<string, unknown>, heard: (message: Message) => void): number {
    this.#last += 1;
    this.#heard.set(this.#last, heard);
    this.write({ id: this.#last, ...command });
    return this.#last;
  }

  write(message: Record<string, unknown>): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

class PythonClient implements Client {
  readonly #host: PythonHost;
  readonly #form: string;
  readonly #number: number;
  readonly #made: Promise<Result>;
  readonly #said: number;

  constructor(host: PythonHost, form: string, { timeoutMs, ...settings }: Settings) {
    this.#host = host;
    this.#form = form;
    this.#said = host.said.length;
    const options = { ...settings, ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }) };
    let heard: (message: Message) => void = () => {};
    this.#made = new Promise((resolve) => {
      heard = resolve;
    });
    this.#number = host.send({ do: "open", options }, (message) => heard(message));
  }

  /** Sends a command to the client once it is made; if it can't be, `heard` is told why. */
  async #send(command: Record<string, unknown>, heard: (message: Message) => void, sent: (id: number) => void = () => {}) {
    const made = await this.#made;
    if (made.error !== undefined) heard({ id: 0, ...made });
    else sent(this.#host.send({ client: this.#number, ...command }, heard));
  }

  call(method: string, args: unknown[] = [], options: Record<string, unknown> = {}): Promise<Result> {
    // `ask` takes a question's parameters by name.
    const [first, second] = args;
    const command = method === "ask" ? { do: method, args: [first], options: second ?? {} } : { do: method, args, options };
    return new Promise((resolve) => void this.#send(command, resolve));
  }

  guard(tool: string, params: Record<string, unknown>, options: Record<string, unknown> = {}): Guarded {
    let start = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    let id = 0;
    const result = new Promise<Result>((resolve) => {
      const command = { do: "guard", form: this.#form, args: [tool, params], options };
      const heard = (message: Message) => (message.started === true ? start() : resolve(message));
      void this.#send(command, heard, (sent) => {
        id = sent;
      });
    });
    return { started, finish: (how) => this.#host.write({ id, do: "finish", how }), result };
  }

  events(options: Record<string, unknown> = {}): Stream {
    const inbox = new Inbox();
    void this.#send({ do: "events", options }, (message) => inbox.push("event" in message ? { value: message.event } : message));
    return inbox;
  }

  said(): string {
    return this.#host.said.slice(this.#said);
  }

  async close(): Promise<void> {
    await this.call("close");
  }
}

const hosts = new Map<string, PythonHost>();

/** Ends the programs that clients were driven in. */
export async function endDrivers(): Promise<void> {
  await Promise.all([...hosts.values()].map((host) => host.end()));
}

/** The Python client, where this machine has a Python. */
function pythons(): Driver[] {
  const program = findPython();
  if (program === undefined) return [];
  const open = (kind: string, form: string) => (settings: Settings) => {
    const host = hosts.get(kind) ?? new PythonHost(program, kind);
    hosts.set(kind, host);
    return new PythonClient(host, form, settings);
  };
  return [
    { name: "Python, decorator", open: open("blocking", "decorator") },
    { name: "Python, with", open: open("blocking", "with") },
    { name: "Python, async decorator", open: open("async", "decorator") },
    { name: "Python, async with", open: open("async", "with") },
  ];
}

export const DRIVERS: Driver[] = [{ name: "TypeScript", open: (settings) => new TypeScriptClient(settings) }, ...pythons()];
