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
  return ticks.map((tick) => {
    const ms = tick.getTime();
    const major = tick.getHours() === 0 && tick.getMinutes() === 0 && tick.getSeconds() === 0;
    const text = major || step >= DAY ? date(ms) : step < MINUTE ? clock(ms) : shortClock(ms);
    return { ms, x: scale(tick), text, major };
  });
}
