// Counts of calls: pieces are summed, parts of a window too.

import { laneOf } from "./actions.ts";
import type { Bucket, RuleCount, Tier } from "./wire.ts";

/** Counted calls. */
export interface Tally {
  buckets: Bucket[];
  rules: RuleCount[];
}

/** The sum of counts: of the pieces of one stretch, or of stretches side by side. */
export function sum(parts: readonly Tally[]): Tally {
  const buckets = new Map<string, Bucket>();
  const rules = new Map<string | null, RuleCount>();
  for (const part of parts) {
    for (const bucket of part.buckets) {
      const id = `${bucket.at} ${bucket.tier} ${laneOf(bucket)}`;
      const known = buckets.get(id);
      if (known === undefined) buckets.set(id, { ...bucket });
      else {
        known.calls += bucket.calls;
        known.paused += bucket.paused;
      }
    }
    for (const rule of part.rules) {
      const known = rules.get(rule.rule);
      if (known === undefined) rules.set(rule.rule, { ...rule });
      else {
        known.calls += rule.calls;
        known.paused += rule.paused;
        known.blocked += rule.blocked;
        known.last = Math.max(known.last, rule.last);
      }
    }
  }
  return { buckets: [...buckets.values()], rules: [...rules.values()] };
}

/** What is to be counted: whole buckets from `from` up to `to`, and where it is live what came after them too. */
export interface Stretch {
  from: number;
  to: number;
  bucketMs: number;
  isLive: boolean;
}

/** What was counted of a stretch. */
export interface Counts extends Stretch {
  past: Tally;
  /** What came after `to`: counted anew as often as the journal grows. */
  tail: Tally;
  /** False: only the newest part of it. */
  whole: boolean;
}

/**
 * Whether `counts` are all of `wanted`: then no part of a new count takes their place. What is live moves along by a bucket each time,
 * and its tail reaches up to now.
 */
export function isCounted(counts: Counts | undefined, wanted: Stretch): boolean {
  if (counts?.whole !== true || counts.bucketMs !== wanted.bucketMs || counts.isLive !== wanted.isLive) return false;
  if (!wanted.isLive) return counts.from === wanted.from && counts.to === wanted.to;
  return counts.from <= wanted.from && wanted.from - counts.from <= wanted.bucketMs;
}

/** A lane's calls in one stretch of time. */
export interface Column {
  at: number;
  /** Calls by tier. */
  tiers: [number, number, number, number, number];
  paused: number;
}

/** The columns of each lane, by the lane's id, each oldest first. */
export function columnsOf(buckets: readonly Bucket[]): Map<string, Column[]> {
  const lanes = new Map<string, Map<number, Column>>();
  for (const bucket of buckets) {
    const id = laneOf(bucket);
    const columns = lanes.get(id) ?? new Map<number, Column>();
    lanes.set(id, columns);
    const column = columns.get(bucket.at) ?? { at: bucket.at, tiers: [0, 0, 0, 0, 0], paused: 0 };
    columns.set(bucket.at, column);
    column.tiers[bucket.tier] += bucket.calls;
    column.paused += bucket.paused;
  }
  return new Map([...lanes].map(([id, columns]) => [id, [...columns.values()].sort((one, other) => one.at - other.at)]));
}

/** Calls of tier 2 and above. */
export function significant(column: Column): number {
  return column.tiers[2] + column.tiers[3] + column.tiers[4];
}

/** The figures over a window. */
export interface Figures {
  sessions: number;
  calls: number;
  significant: number;
  paused: number;
}

/** The figures of `buckets`, those that begin at `from` or later. */
export function figures(buckets: readonly Bucket[], from: number): Figures {
  const sessions = new Set<string>();
  const found: Figures = { sessions: 0, calls: 0, significant: 0, paused: 0 };
  for (const bucket of buckets) {
    if (bucket.at < from) continue;
    sessions.add(laneOf(bucket));
    found.calls += bucket.calls;
    if (isSignificant(bucket.tier)) found.significant += bucket.calls;
    found.paused += bucket.paused;
  }
  return { ...found, sessions: sessions.size };
}

function isSignificant(tier: Tier): boolean {
  return tier >= 2;
}
