// The marks of the time axis, in the reader's words.

import { scaleTime } from "d3-scale";
import type { Span } from "./lanes.ts";
import { clock, DAY, date, MINUTE, shortClock } from "./times.ts";

export interface Tick {
  ms: number;
  x: number;
  text: string;
  /** It begins a day. */
  major: boolean;
}

/** The ticks of `span` over `width` pixels, about one every `every` pixels. */
export function ticksOf(span: Span, width: number, every: number): Tick[] {
  const scale = scaleTime().domain([span.from, span.to]).range([0, width]);
  const ticks = scale.ticks(Math.max(2, Math.floor(width / every)));
  const step = (ticks[1]?.getTime() ?? 0) - (ticks[0]?.getTime() ?? 0);
  const marks = ticks.map((tick) => {
    const ms = tick.getTime();
    const major = tick.getHours() === 0 && tick.getMinutes() === 0 && tick.getSeconds() === 0;
    const text = major || step >= DAY ? date(ms) : step < MINUTE ? clock(ms) : shortClock(ms);
    return { ms, x: scale(tick), text, major };
  });
  // Days first: where two texts would lie on each other, the time of day gives way.
  const kept: Tick[] = [];
  for (const tick of marks.toSorted((one, other) => Number(other.major) - Number(one.major) || one.x - other.x))
    if (!kept.some((other) => wouldCover(other, tick))) kept.push(tick);
  return kept.sort((one, other) => one.x - other.x);
}

/** About the width of a letter, pixels. */
const LETTER = 7.4;

function wouldCover(one: Tick, other: Tick): boolean {
  const [left, right] = one.x < other.x ? [one, other] : [other, one];
  return right.x - left.x < left.text.length * LETTER + 10;
}
