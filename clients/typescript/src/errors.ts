// Why a call did not run, and why the service could not be asked. Each message names the place and the remedy.

import type { RefusalReason, Verdict } from "./types.ts";

/** Any error of this client. */
export class CallosumError extends Error {
  override name = "CallosumError";
}

/** Nobody answered: the service is not there, broke off, or took too long. */
export class ServiceUnreachable extends CallosumError {
  override name = "ServiceUnreachable";
  /** Where the service was looked for. */
  readonly address: string;
  /** Whether the request may have arrived all the same, so that the service may have acted on it. */
  readonly mayHaveArrived: boolean;

  constructor(address: string, problem: string, remedy: string, mayHaveArrived: boolean, cause?: unknown) {
    super(`Callosum's service at ${address} can't be reached: ${problem}. ${remedy}`, { cause });
    this.address = address;
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** The service said no to the request itself: to the token, a field, the rate, or because it can't use its state. */
export class ServiceError extends CallosumError {
  override name = "ServiceError";
  /** The HTTP status. */
  readonly status: number;
  /** The code of the service's error document. */
  readonly code: string | undefined;
  /** When to ask again, where the service says so. */
  readonly retryAfterMs: number | undefined;
  /** What the model is to read, where the service could not decide about a call. */
  readonly text: string | undefined;
  /** The verdict on such a call: `refuse`. `guard` throws it as {@link Refused}. */
  readonly verdict: Verdict | undefined;

  constructor(message: string, status: number, code?: string, retryAfterMs?: number, text?: string, verdict?: Verdict) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.text = text;
    this.verdict = verdict;
  }
}

/** A guarded call that was not run. The message is what the model is to read. */
export class Refused extends CallosumError {
  override name = "Refused";
  /** What the model is to read. */
  readonly text: string;
  readonly verdict: Verdict["verdict"];
  /** Of the verdict `refuse` alone. */
  readonly reason: RefusalReason | undefined;
  readonly tier: number;
  readonly contextKeys: readonly string[];
  /** The id of the call: what `delivered` takes. */
  readonly call: string;
  readonly evidence: NonNullable<Verdict["evidence"]>;
  /** When the last of the others' leases ends (RFC 3339), where there is one. */
  readonly expiresAt: string | undefined;

  constructor(answer: Verdict) {
    const text = answer.text ?? `[Callosum] The call was not run: ${answer.verdict}.`;
    super(text);
    this.text = text;
    this.verdict = answer.verdict;
    this.reason = answer.reason;
    this.tier = answer.tier;
    this.contextKeys = answer.contextKeys;
    this.call = answer.call;
    this.evidence = answer.evidence ?? [];
    this.expiresAt = answer.expiresAt ?? lastLease(this.evidence);
  }
}

/**
 * Another session acted on the same resource (`pause`), or holds it (`block`). Give `text` to the model: it decides. After a pause the same session's
 * next try goes through, unless there is news; a block ends with the other call.
 */
export class Paused extends Refused {
  override name = "Paused";
}

/**
 * A call of the id that was chosen for it was allowed before: `guard` does not run it a second time. A new try needs an id of its own. Of tiers 0 and 1 the
 * service keeps no such calls.
 */
export class Repeated extends Refused {
  override name = "Repeated";
  /** How it stands: `running` (or it may be), `complete`, or `unknown` where nobody knows whether it was done. */
  readonly earlier: string;

  constructor(answer: Verdict, earlier: string) {
    const stands =
      { running: "may be running", complete: "is complete" }[earlier] ?? "nobody knows whether it was done: verify first";
    super({ ...answer, text: `[Callosum] This call was allowed before, and ${stands}. It was not run again.` });
    this.earlier = earlier;
  }
}

/** Times of the service are all in UTC and of one length, so the last of them is the greatest text. */
function lastLease(evidence: Refused["evidence"]): string | undefined {
  const ends = evidence.map(({ expiresAt }) => expiresAt).filter((end) => typeof end === "string");
  return ends.sort().at(-1);
}

/** What `guard` throws for a verdict other than `allow`. */
export function refusal(answer: Verdict): Refused {
  return answer.verdict === "pause" || answer.verdict === "block" ? new Paused(answer) : new Refused(answer);
}
