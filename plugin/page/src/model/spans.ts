// Stretches of time: what is on the screen, what is loaded, what is still to be asked for.

import type { Span } from "./lanes.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./times.ts";

/** What a view wants loaded: itself and some more, so that a small move needs nothing. */
export function wanted(view: Span, now: number): Span {
  const margin = (view.to - view.from) / 4;
  return { from: view.from - margin, to: Math.min(view.to + margin, now) };
}

/** What of `want` is not in `have`; when they don't touch, all of it, and `have` is to be forgotten. */
export function missing(have: Span | undefined, want: Span): { ranges: Span[]; joins: boolean } {
  if (have === undefined || want.to < have.from || want.from > have.to) return { ranges: [want], joins: false };
  const ranges: Span[] = [];
  if (want.to > have.to) ranges.push({ from: have.to, to: want.to });
  if (want.from < have.from) ranges.push({ from: want.from, to: have.from });
  return { ranges, joins: true };
}

/** The shortest and longest stretch a view may show. */
const SHORTEST = 10 * SECOND;
const LONGEST = 400 * DAY;

/** `view` made `factor` times as long around `at`, within what can be shown. */
export function zoomed(view: Span, factor: number, at: number): Span {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (view.to - view.from) * factor));
  const share = (at - view.from) / (view.to - view.from);
  const from = at - share * length;
  return { from, to: from + length };
}

/** `view` moved by `ms`. */
export function moved(view: Span, ms: number): Span {
  return { from: view.from + ms, to: view.to + ms };
}

/** How much of a following view lies to the right of now. */
export const AHEAD = 0.02;

/** A view as long as `length` that ends a little after `now`. */
export function following(length: number, now: number): Span {
  const to = now + length * AHEAD;
  return { from: to - length, to };
}

/** What rounding may move an end of a view by, milliseconds. */
const ROUNDING = 1;

/**
 * Whether a view that moves or zooms from `before` to `next` follows now from then on: only where it ends after now. A move to the past
 * lets go, however small, else many small ones would lead nowhere. A move forward takes it up again; a zoom leaves it as it was.
 */
export function followsAfter(before: Span, follows: boolean, next: Span, now: number): boolean {
  if (next.to < now || next.from >= now) return false;
  const first = next.from - before.from;
  const last = next.to - before.to;
  if (first < -ROUNDING && last < -ROUNDING) return false;
  return follows || (first > ROUNDING && last > ROUNDING);
}

const STEPS = [
  ...[SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND],
  ...[MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR],
  ...[DAY, 2 * DAY, 7 * DAY],
];

/** A round length of which about `count` fill `span`. */
export function bucketFor(span: Span, count: number): number {
  const exact = (span.to - span.from) / count;
  return STEPS.find((step) => step >= exact) ?? 7 * DAY;
}
