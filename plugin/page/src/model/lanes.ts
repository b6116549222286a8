// Where things lie on the timeline: lanes, rows within them, places in pixels.

import type { Action } from "./actions.ts";

/** A session's strip of the timeline. */
export interface Lane {
  id: string;
  instance: string;
  session: string;
  runtime: string;
  actions: Action[];
  /** When something last happened on it, wall-clock milliseconds. */
  last: number;
}

/** A stretch of time, wall-clock milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** A call's place within its lane. `x` and `width` are pixels. */
export interface Placed {
  action: Action;
  x: number;
  width: number;
  row: number;
}

/** How wide a call without an end is at least. */
export const MARK_WIDTH = 16;
/** Rows of a lane at most; what is more lies upon the last. */
export const MAX_ROWS = 4;

/** What a lane's id stands for. */
export function laneNames(id: string): { instance: string; session: string; runtime: string } {
  const [instance = "", session = "", runtime = ""] = JSON.parse(id) as string[];
  return { instance, session, runtime };
}

/** The lanes that have something in `span`, in the order of `order` (ids of lanes). */
export function lanesOf(actions: readonly Action[], others: ReadonlyMap<string, number>, span: Span, now: number): Lane[] {
  const lanes = new Map<string, Lane>();
  const laneAt = (id: string) => {
    const known = lanes.get(id) ?? { id, ...laneNames(id), actions: [], last: Number.NEGATIVE_INFINITY };
    lanes.set(id, known);
    return known;
  };
  for (const action of actions) {
    if (!isWithin(action, span, now)) continue;
    const lane = laneAt(action.lane);
    lane.actions.push(action);
    lane.last = Math.max(lane.last, action.start);
  }
  for (const [id, last] of others) {
    const lane = laneAt(id);
    lane.last = Math.max(lane.last, last);
  }
  return [...lanes.values()];
}

/** When a call ended, or now while it runs. */
export function endOf(action: Action, now: number): number {
  if (action.end !== undefined) return action.end;
  return action.outcome === "running" ? Math.max(now, action.start) : action.start;
}

/** Whether some of a call lies in `span`: a running one reaches up to now, wherever it began. */
export function isWithin(action: Action, span: Span, now: number): boolean {
  return action.start <= span.to && endOf(action, now) >= span.from;
}

/**
 * The order of the lanes: those known keep theirs, so that nothing jumps under the reader's eyes. What is newer than all known
 * comes on top, the rest below, the newest first.
 */
export function laneOrder(known: readonly string[], lanes: readonly Lane[]): string[] {
  const here = new Map(lanes.map((lane) => [lane.id, lane.last]));
  const newest = Math.max(...known.map((id) => here.get(id) ?? Number.NEGATIVE_INFINITY));
  const isKnown = new Set(known);
  const fresh = lanes
    .filter((lane) => !isKnown.has(lane.id))
    .sort((one, other) => other.last - one.last || (one.id < other.id ? -1 : 1));
  const above = known.length === 0 ? [] : fresh.filter((lane) => lane.last > newest);
  const below = known.length === 0 ? fresh : fresh.filter((lane) => lane.last <= newest);
  return [...above.map((lane) => lane.id), ...known, ...below.map((lane) => lane.id)];
}

/** Places the calls of one lane, in the order of their starts: each in the first row where it covers no other. */
export function place(actions: readonly Action[], span: Span, width: number, now: number): Placed[] {
  const perMs = width / (span.to - span.from);
  const xOf = (ms: number) => (ms - span.from) * perMs;
  const free: number[] = [];
  const sorted = actions.toSorted((one, other) => one.start - other.start || one.seq - other.seq);
  return sorted.map((action) => {
    const from = xOf(action.start) - MARK_WIDTH / 2;
    const length = Math.max(MARK_WIDTH, xOf(endOf(action, now)) - xOf(action.start) + MARK_WIDTH);
    const found = free.findIndex((until) => until <= from);
    const row = found >= 0 ? found : Math.min(free.length, MAX_ROWS - 1);
    free[row] = Math.max(free[row] ?? 0, from + length);
    return { action, x: from, width: length, row };
  });
}

/** Whether so many marks would be more than the screen and the eye can take. */
export function isTooMany(marks: number, lanes: number, width: number): boolean {
  return marks > Math.min(2_000, Math.max(200, (lanes * width) / 6));
}

/** The mark an arrow key leads to. `rows` are the lanes' calls, each in the order of their starts. */
export function neighbour(rows: readonly (readonly Action[])[], current: Action, key: string): Action | undefined {
  const row = rows.findIndex((actions) => actions.includes(current));
  const line = rows[row];
  if (line === undefined) return undefined;
  const at = line.indexOf(current);
  if (key === "ArrowRight") return line[at + 1];
  if (key === "ArrowLeft") return line[at - 1];
  if (key === "Home") return line[0];
  if (key === "End") return line.at(-1);
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  for (let next = row + step; step !== 0 && next >= 0 && next < rows.length; next += step) {
    const nearest = nearestTo(rows[next] ?? [], current.start);
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}

function nearestTo(actions: readonly Action[], at: number): Action | undefined {
  let best: Action | undefined;
  for (const action of actions) if (best === undefined || Math.abs(action.start - at) < Math.abs(best.start - at)) best = action;
  return best;
}
