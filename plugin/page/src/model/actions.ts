// Calls, put together from the journal's events: a start, what came of it, and what it was shown.

import { msOf } from "./times.ts";
import type { JournalEvent, What } from "./wire.ts";

/** How a call stands. `begun`: let through, and nothing more is known here. */
export type Outcome = "begun" | "running" | "complete" | "failed" | "refused" | "unknown" | "paused" | "blocked";

/** One call with what became of it. */
export interface Action {
  /** Its first event. */
  event: JournalEvent;
  seq: number;
  /** When it began, wall-clock milliseconds. */
  start: number;
  /** When its outcome came; undefined while there is none. */
  end: number | undefined;
  outcome: Outcome;
  /** It would have been paused, but that is only observed. */
  observed: boolean;
  /** It had been shown what was done before. */
  retried: boolean;
  /** It went on in the background. */
  background: boolean;
  /** When the model had read the pause. */
  readAt: number | undefined;
  /** An operator ended its lease. */
  releasedAt: number | undefined;
  /** The event of its outcome. */
  ending: JournalEvent | undefined;
  /** It began before what is known here: all there is of it is its outcome. */
  loose: boolean;
  lane: string;
  keys: string[];
}

const ENDINGS: ReadonlySet<What> = new Set(["complete", "failed", "refused", "unknown"]);

/** The lane of an event: one session of one instance on one runtime. */
export function laneOf(event: { instance: string; session?: string; runtime?: string }): string {
  return JSON.stringify([event.instance, event.session ?? "", event.runtime ?? ""]);
}

/**
 * The calls among `events`, which stand in the order of their numbers. An outcome whose start is not among them is left out, or with
 * `loose` stands for its call, as long as no more is known.
 */
export function actionsOf(events: readonly JournalEvent[], loose = false): Action[] {
  const actions: Action[] = [];
  const bySeq = new Map<number, Action>();
  for (const event of events) {
    const abouts = (event.of ?? []).flatMap((seq) => bySeq.get(seq) ?? []);
    if (abouts.length > 0) for (const action of abouts) follow(action, event);
    else if (isCall(event) || (loose && ENDINGS.has(event.what))) {
      const action = begin(event);
      actions.push(action);
      bySeq.set(event.seq, action);
    }
  }
  return actions;
}

function isCall(event: JournalEvent): boolean {
  // What is about a call that lies before what was loaded is no call of its own.
  return (
    (event.of ?? []).length === 0 &&
    event.what !== "released" &&
    event.what !== "read" &&
    event.what !== "running" &&
    event.what !== "extended"
  );
}

function begin(event: JournalEvent): Action {
  const start = msOf(event.at);
  const blocked = event.what === "blocked" || event.what === "limited";
  const stopped = event.what === "paused" || blocked;
  const denied = event.what === "denied";
  const ended = stopped || denied || ENDINGS.has(event.what);
  return {
    event,
    seq: event.seq,
    start,
    end: ended ? start : undefined,
    outcome: denied ? "refused" : blocked ? "blocked" : ended ? (event.what as Outcome) : standing(event.stands),
    observed: event.what === "observed",
    retried: event.what === "retried",
    background: false,
    readAt: undefined,
    releasedAt: undefined,
    ending: undefined,
    loose: (event.of ?? []).length > 0,
    lane: laneOf(event),
    keys: event.contextKeys ?? [],
  };
}

/** The core's words for a lease that was taken without a call, when nobody holds it any more. */
const LEASE_OVER = "the lease is over";

/** What the core's words for an open call mean. */
function standing(words: string | null | undefined): Outcome {
  if (words === undefined || words === null) return "begun";
  if (words === LEASE_OVER) return "complete";
  return words.startsWith("still running") || words === "held" ? "running" : "unknown";
}

function follow(action: Action, event: JournalEvent): void {
  const at = msOf(event.at);
  if (event.what === "read") action.readAt ??= at;
  else if (event.what === "released") action.releasedAt = at;
  else if (event.what === "running") {
    action.background = true;
    if (action.outcome === "begun") action.outcome = "running";
  } else if (ENDINGS.has(event.what)) {
    // What was given back was a lease alone: nothing was refused.
    action.outcome = action.event.what === "leased" ? "complete" : (event.what as Outcome);
    action.end = Math.max(at, action.start);
    action.ending = event;
  }
}

/** A pause or a block with what it was shown and what came of it. */
export interface Stop {
  action: Action;
  /** The calls it was shown, as far as they are known here. */
  shown: Action[];
  /** The same session's later call on one of the same resources that was let through. */
  retry: Action | undefined;
}

/** The pauses and blocks among `actions`, newest first, at most `most`; and what was only observed, which would have been one. */
export function stopsOf(actions: readonly Action[], most: number): Stop[] {
  const bySeq = new Map(actions.map((action) => [action.seq, action]));
  const stops: Stop[] = [];
  for (let place = actions.length - 1; place >= 0 && stops.length < most; place -= 1) {
    const action = actions[place];
    if (action === undefined || (action.outcome !== "paused" && action.outcome !== "blocked" && !action.observed)) continue;
    const shown = (action.event.shown ?? []).flatMap((seq) => bySeq.get(seq) ?? []);
    stops.push({ action, shown, retry: action.observed ? undefined : retryOf(action, actions, place + 1) });
  }
  return stops;
}

/** How many of `stops` stopped a call: what was only observed went on. */
export function stopped(stops: readonly Stop[]): number {
  return stops.filter((stop) => !stop.action.observed).length;
}

function retryOf(stopped: Action, actions: readonly Action[], from: number): Action | undefined {
  const keys = new Set(stopped.keys);
  for (let place = from; place < actions.length; place += 1) {
    const later = actions[place];
    if (later?.lane !== stopped.lane || later.event.tool !== stopped.event.tool) continue;
    if (later.outcome !== "paused" && later.outcome !== "blocked" && later.keys.some((key) => keys.has(key))) return later;
  }
  return undefined;
}

/** How an outcome is called. */
export const OUTCOME_NAMES: Record<Outcome, string> = {
  begun: "started",
  running: "running",
  complete: "complete",
  failed: "failed",
  refused: "refused",
  unknown: "outcome unknown",
  paused: "paused",
  blocked: "blocked",
};
