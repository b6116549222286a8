// Times as they were taken, and what is told of them.

/** Nanoseconds, as many as there were calls. */
export type Times = number[];

export interface Summary {
  p50: number;
  p99: number;
}

export function quantile(times: Times, share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

export const median = (values: Times): number => quantile(values, 0.5);

/** In microseconds. */
export function summary(times: Times): Summary {
  return { p50: median(times) / 1_000, p99: quantile(times, 0.99) / 1_000 };
}

/** Nanoseconds that `step` keeps this thread busy. */
export function timed(step: () => void): number {
  const started = process.hrtime.bigint();
  step();
  return Number(process.hrtime.bigint() - started);
}

/** Nanoseconds until the promise of `step` is kept. */
export async function awaited(step: () => Promise<unknown>): Promise<number> {
  const started = process.hrtime.bigint();
  await step();
  return Number(process.hrtime.bigint() - started);
}
