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
  return marks.filter((tick, place) => tick.major || !marks.some((other, at) => covers(other, tick, at - place)));
}

/** About the width of a letter, pixels. */
const LETTER = 7.4;

/** Whether the text of `other`, which stands `steps` further, and that of `tick` would lie on each other, and `tick` has to give way. */
function covers(other: Tick, tick: Tick, steps: number): boolean {
  if (steps === 0 || (steps > 0 && !other.major)) return false;
  const [left, right] = other.x < tick.x ? [other, tick] : [tick, other];
  return other.major && right.x - left.x < left.text.length * LETTER + 10;
}
