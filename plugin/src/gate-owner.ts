// Owns one gate for one instance of the plugin: opened at the first call, looked after while it lives, closed when the host disposes of the
// instance. The host registers the plugin several times in one process, so nothing here may be shared between instances.

import type { Answer } from "../native/binding.js";
import { type Caller, type Logger, messageOf } from "./host.ts";
import { failureLine, type Loaded, type LoadFailure, type NativeGate } from "./native.runtime.ts";

/** How often counts are written, the queue is drained and notices reach the log. */
const MAINTAIN_MS = 5_000;
/** How soon a queued line is written when the gate asks for it. */
const MAINTAIN_SOON_MS = 50;
/** How long disposal waits for work under way; the host's own clean-up budget is shared by all plugins. */
const CLOSE_MS = 4_000;
/** How long a session counts as one whose host found nobody to ask: as long as a pause may be answered. */
const NOBODY_MS = 10 * 60_000;
/** Sessions of which that is remembered. */
const MAX_NOBODY = 1_000;
/** Calls of which it is remembered that they were not allowed: until the host says how they ended, which is at once. */
const MAX_DENIED = 1_000;
/** Far below the 15 s after which the host itself blocks the call, and above the 3 s the core allows itself. */
const ANSWER_MS = 5_000;

/**
 * The gates that this process's hooks go to, newest last. The host sends hooks and gateway methods to different instances of the plugin, and
 * what could not be written is only known to the gate that was to write it. Each instance has its own copy of this module, so only the global
 * object reaches from one to the other.
 */
const HOOKED = Symbol.for("callosum.hooked");
type Peek = () => NativeGate | undefined;

function hooked(): Set<Peek> {
  const shared = globalThis as { [HOOKED]?: Set<Peek> };
  if (shared[HOOKED] === undefined) {
    const gates = new Set<Peek>();
    shared[HOOKED] = gates;
    // A process that exits waits for nobody to dispose: what is not written by then would be lost. One listener for all instances.
    process.once("exit", () => writeAtExit(gates));
  }
  return shared[HOOKED];
}

function writeAtExit(gates: Set<Peek>): void {
  for (const peek of gates) {
    try {
      peek()?.writeAtExit();
    } catch {
      // Nobody is left to be told.
    }
  }
}

export interface GateOwnerOptions {
  load: () => Loaded;
  logger: Logger;
  /** No call may go on without the gate. */
  closed: boolean;
  answerMs?: number;
}

/** Opens the gate of one instance of the plugin, looks after it, and closes it. */
export class GateOwner {
  readonly #options: GateOwnerOptions;
  readonly #pending = new Set<Promise<unknown>>();
  #loaded: Loaded | undefined;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #maintaining = false;
  #disposed = false;
  #isHooked = false;
  readonly #peek: Peek = () => this.peek();
  /** Sessions whose host found nobody to ask, and until when that counts. */
  readonly #nobody = new Map<string, number>();
  /** Calls that the host's question did not end well for, until their after-hook. */
  readonly #denied = new Set<string>();

  constructor(options: GateOwnerOptions) {
    this.#options = options;
  }

  /** True when a call must be refused while the gate can't be asked. */
  get closed(): boolean {
    return this.#options.closed;
  }

  get failure(): LoadFailure | undefined {
    return this.#loaded?.ok === false ? this.#loaded.failure : undefined;
  }

  /** The gate for a hook, opened now if it was not. Undefined when the addon can't be loaded or the instance is gone. */
  open(): NativeGate | undefined {
    if (this.#disposed) return undefined;
    if (!this.#isHooked) {
      hooked().add(this.#peek);
      this.#isHooked = true;
    }
    return this.#opened();
  }

  /** The gate for a look: the one that the hooks go to, wherever in this process; an own one only where none is open. */
  lookAt(): NativeGate | undefined {
    const gates = [...hooked()].map((peek) => peek()).filter((gate) => gate !== undefined);
    return gates.at(-1) ?? this.#opened();
  }

  #opened(): NativeGate | undefined {
    if (this.#disposed) return undefined;
    if (this.#loaded === undefined) {
      this.#loaded = this.#options.load();
      if (this.#loaded.ok) this.#watch();
      else this.#options.logger.error(failureLine(this.#loaded.failure, this.#options.closed));
    }
    return this.#loaded.ok ? this.#loaded.gate : undefined;
  }

  /** The gate if it is open: signals about calls that no gate saw are not worth opening one. */
  peek(): NativeGate | undefined {
    return !this.#disposed && this.#loaded?.ok ? this.#loaded.gate : undefined;
  }

  /** Waits for the answer that a ticket stands for, within the shim's own deadline. */
  async settle(gate: NativeGate, answer: Answer | null): Promise<Answer | null> {
    if (answer?.ticket === undefined || answer.ticket === null) return answer;
    const ticket = answer.ticket;
    const finished = this.#track(gate.finish(ticket));
    let late: NodeJS.Timeout | undefined;
    const deadline = new Promise<"late">((resolve) => {
      late = setTimeout(() => resolve("late"), this.#options.answerMs ?? ANSWER_MS);
    });
    try {
      const first = await Promise.race([finished, deadline]);
      return first === "late" ? gate.abandon(ticket) : first;
    } finally {
      clearTimeout(late);
    }
  }

  /** Does what an answer leaves to do when nobody waits for it: finishes its ticket in the background and has queued lines written. */
  followUp(gate: NativeGate, answer: Answer | null): void {
    if (answer === null) return;
    if (answer.ticket !== undefined && answer.ticket !== null) this.#track(gate.finish(answer.ticket));
    if (answer.maintain) this.#maintainSoon(gate);
  }

  /** Brings the gate's notices to the log. */
  report(gate: NativeGate): void {
    for (const { level, text } of gate.notices()) {
      const line = `callosum: ${text}`;
      if (level === "error") this.#options.logger.error(line);
      else if (level === "warn") this.#options.logger.warn(line);
      else this.#options.logger.info(line);
    }
  }

  /** Whether a person may be asked about a session's calls, as far as is known: only asking tells. */
  canAsk(session: string): boolean {
    const until = this.#nobody.get(session);
    return until === undefined || until < performance.now();
  }

  /** The host found nobody to ask about a session's call: the next ones are paused instead. */
  nobodyToAsk(session: string): void {
    if (this.#nobody.size >= MAX_NOBODY) this.#nobody.clear();
    this.#nobody.set(session, performance.now() + NOBODY_MS);
  }

  /** The host's question about a call ended without leave to run it: denied, unanswered, or its run was aborted meanwhile. */
  notAllowed(caller: Caller): void {
    if (caller.call === null) return;
    if (this.#denied.size >= MAX_DENIED) this.#denied.clear();
    this.#denied.add(idOf(caller));
  }

  /** Whether that is so of a call that has ended, or is asked about anew: it is forgotten then. */
  wasNotAllowed(caller: Caller): boolean {
    return this.#denied.size > 0 && this.#denied.delete(idOf(caller));
  }

  /** Warns whoever reads the log, in one line. */
  warn(text: string): void {
    this.#options.logger.warn(`callosum: ${text.replaceAll(/\s*\n\s*/g, " ")}`);
  }

  /** Tells whoever reads the log, in one line. */
  info(text: string): void {
    this.#options.logger.info(`callosum: ${text.replaceAll(/\s*\n\s*/g, " ")}`);
  }

  /** Logs what should never happen: an error inside the shim itself. */
  fault(where: string, thrown: unknown): void {
    try {
      this.#options.logger.error(`callosum: unexpected error in ${where}: ${messageOf(thrown)}`);
    } catch {
      // A logger that throws must not become a blocked tool call.
    }
  }

  /** Ends timers, lets work under way finish, writes what is left. After it every hook of this instance does nothing. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    const gate = this.peek();
    this.#disposed = true;
    hooked().delete(this.#peek);
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
    if (gate === undefined) return;
    const closing = Promise.allSettled([...this.#pending]).then(() => gate.close());
    await within(CLOSE_MS, closing);
    this.report(gate);
  }

  #watch(): void {
    this.#timer = setInterval(() => {
      const gate = this.peek();
      if (gate !== undefined) this.#maintain(gate);
    }, MAINTAIN_MS);
    // Never a reason for the process to stay alive.
    this.#timer.unref();
  }

  #maintainSoon(gate: NativeGate): void {
    if (this.#soon !== undefined || this.#disposed) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      if (!this.#disposed) this.#maintain(gate);
    }, MAINTAIN_SOON_MS);
    this.#soon.unref();
  }

  #maintain(gate: NativeGate): void {
    // One at a time: while the guard is held by somebody who has stopped, each waits on one of the host's few worker threads.
    if (this.#maintaining) return;
    this.#maintaining = true;
    this.#track(gate.maintain().then(() => this.report(gate)))
      .catch((thrown: unknown) => this.fault("maintain", thrown))
      .finally(() => {
        this.#maintaining = false;
      });
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const done = () => this.#pending.delete(work);
    work.then(done, done);
    return work;
  }
}

/** A call's name in this process. */
function idOf({ session, run, call }: Caller): string {
  return JSON.stringify([session, run, call]);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    late = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, deadline]);
  } finally {
    clearTimeout(late);
  }
}
