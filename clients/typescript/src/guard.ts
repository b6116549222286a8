// A call behind the gate: ask, run, tell how it ended.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Repeated, refusal, ServiceError, ServiceUnreachable } from "./errors.ts";
import type { CallName, Outcome, ToolCall, Verdict } from "./types.ts";

/** What else a guarded call may tell. */
export interface GuardOptions extends Omit<ToolCall, "tool" | "params"> {
  /**
   * Whether an error of the function proves that nothing was done, so that the call counts as failed. Without it every error leaves the outcome
   * unknown: calls often take effect and then report an error.
   */
  readonly notDone?: (error: unknown) => boolean;
}

/** What a guarded call needs of the client. */
export interface Gate {
  readonly timeoutMs: number;
  /** Asks; a call that is not `repeatable` is asked about once, however its connection ends. */
  before(
    call: ToolCall,
    repeatable: boolean,
  ): Promise<{ verdict: Verdict; leaseMs: number | undefined; earlier: string | undefined }>;
  after(outcome: Outcome): Promise<void>;
  /** Renews a lease; gives how long it lasts now. */
  extend(name: CallName): Promise<number | undefined>;
}

/** A lease is never renewed more often than this, whatever the clocks say. */
const SOONEST_RENEWAL_MS = 1_000;
/** The longest wait that a timer takes. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
const FIRST_RESEND_MS = 100;
/** Of what an error says, this much is told. */
const ERROR_CHARS = 1_000;

/** Runs `run` if the gate allows it. */
export async function guard<T>(
  gate: Gate,
  tool: string,
  params: ToolCall["params"],
  run: (verdict: Verdict) => T | PromiseLike<T>,
  options: GuardOptions,
): Promise<T> {
  const { notDone, ...who } = options;
  const call = who.call ?? randomUUID();
  const { verdict, leaseMs, earlier } = await gate
    .before({ ...who, tool, params, call }, who.call === undefined)
    .catch((error: unknown) => {
      // The service may have let a call through that will never run. Under an id that somebody chose another program may be running it.
      if (who.call === undefined && mayBeLetThrough(error))
        gate.after({ ...named(call, who.session), outcome: "refused" }).catch(() => undefined);
      throw error instanceof ServiceError && error.verdict !== undefined ? refusal(error.verdict) : error;
    });
  // Of an id that was made here it is this very request, which went out again.
  if (who.call !== undefined && earlier !== undefined) {
    // Nobody runs it any more, and it got its lease again.
    if (earlier === "unknown" && leaseMs !== undefined && verdict.verdict === "allow")
      gate.after({ ...named(call, who.session), outcome: "unknown" }).catch(() => undefined);
    throw new Repeated(verdict, earlier);
  }
  if (verdict.verdict !== "allow") throw refusal(verdict);

  const name = named(verdict.call, who.session);
  const stop = keepLease(gate, name, leaseMs);
  let result: T;
  try {
    result = await run(verdict);
  } catch (error) {
    stop();
    await report(gate, { ...name, outcome: proves(notDone, error) ? "failed" : "unknown", error: describe(error) });
    throw error;
  }
  stop();
  await report(gate, { ...name, outcome: "complete" });
  return result;
}

/** Whether the service may have let a call through that was asked about in vain: the answer is lost, or was not waited for. */
function mayBeLetThrough(error: unknown): boolean {
  if (error instanceof ServiceUnreachable) return error.mayHaveArrived;
  return error instanceof ServiceError && error.status >= 500 && error.code !== "busy" && error.text === undefined;
}

function named(call: string, session: string | undefined): CallName {
  return session === undefined ? { call } : { call, session };
}

/** A call of `notDone` that throws proves nothing. */
function proves(notDone: GuardOptions["notDone"], error: unknown): boolean {
  try {
    return notDone?.(error) === true;
  } catch {
    return false;
  }
}

/** The beginning of what an error says. */
export function describe(error: unknown): string {
  try {
    // A character that the end cuts into halves is none that JSON has a place for.
    return String(error).slice(0, ERROR_CHARS).toWellFormed();
  } catch {
    return "an error that has no text";
  }
}

/**
 * Tells how a call ended. It ran, so an error here must not look like one of the call: whoever repeats the call for it does it twice. An outcome that
 * did not arrive is told again for a while, which changes nothing if it did; then the lease ends by itself, and the outcome counts as unknown.
 */
async function report(gate: Gate, outcome: Outcome): Promise<void> {
  const end = performance.now() + gate.timeoutMs;
  for (let wait = FIRST_RESEND_MS; ; wait *= 2) {
    try {
      await gate.after(outcome);
      return;
    } catch (error) {
      const pause = Math.max(wait, (error instanceof ServiceError && error.retryAfterMs) || 0);
      if (passes(error) && performance.now() + pause < end) {
        await sleep(pause);
        continue;
      }
      const said = error instanceof Error ? error.message : String(error);
      process.emitWarning(`the outcome "${outcome.outcome}" of the call ${outcome.call} could not be told: ${said}`, {
        type: "CallosumWarning",
        code: "CALLOSUM_OUTCOME_UNTOLD",
        detail: "It counts as unknown once its lease has ended.",
      });
      return;
    }
  }
}

/** Whether the same request may succeed in a moment: so say the service, and whoever stands in between. */
export function passes(error: unknown): boolean {
  return error instanceof ServiceUnreachable || (error instanceof ServiceError && [429, 502, 503, 504].includes(error.status));
}

/** Renews the lease of a call while it runs; gives what ends that. */
function keepLease(gate: Gate, name: CallName, leaseMs: number | undefined): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const schedule = (leaseMs: number | undefined) => {
    if (leaseMs === undefined || stopped) return;
    const wait = Math.min(Math.max(leaseMs / 2, SOONEST_RENEWAL_MS), LONGEST_TIMER_MS);
    // The call keeps the process alive, if anything does.
    timer = setTimeout(() => {
      // A lease that could not be renewed is tried again in half the time that is left of it.
      gate.extend(name).then(schedule, (error: unknown) => schedule(passes(error) ? leaseMs / 2 : undefined));
    }, wait).unref();
  };
  schedule(leaseMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
