// What the table consists of: rows with their targets.

export type Unit = "µs" | "calls/s" | "MB";

export interface Target {
  /** What is asked for, as the table says it. */
  text: string;
  limit: number;
  measured: number;
  unit: "×" | Unit;
  met: boolean;
}

export interface Row {
  section: string;
  name: string;
  unit: Unit;
  p50: number;
  p99?: number;
  /** The floor, and the SQLite gate, at the median. */
  floor?: number;
  sqlite?: number;
  targets: Target[];
}

export function atMost(limit: number, measured: number, unit: Target["unit"], text: string): Target {
  return { text, limit, measured, unit, met: measured <= limit };
}

export function atLeast(limit: number, measured: number, unit: Target["unit"], text: string): Target {
  return { text, limit, measured, unit, met: measured >= limit };
}

/** As many digits as mean something. */
export function digits(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
