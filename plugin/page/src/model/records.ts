// The journal's records as the page keeps them: newest first, without a gap, and no more than so many.

import type { JournalPiece, JournalRecord } from "./wire.ts";

/** More records are not kept: filters lead further back. */
export const MOST_RECORDS = 50_000;

/** What is kept of the journal. */
export interface Loaded {
  /** Newest first. */
  records: JournalRecord[];
  /** Older ones are those before it; null when there are none. */
  next: number | null;
  /** A first piece is there. */
  begun: boolean;
}

/** `newer` ones above those kept. What is too much goes at the old end, and can be loaded again. */
export function withNewer({ records, next, begun }: Loaded, newer: readonly JournalRecord[], most = MOST_RECORDS): Loaded {
  const all = newer.concat(records);
  if (all.length <= most) return { records: all, next, begun };
  const kept = all.slice(0, most);
  return { records: kept, next: kept.at(-1)?.seq ?? next, begun };
}

/** The `piece` that was asked for before `asked` below those kept; nothing new where the end that it was to follow has gone meanwhile. */
export function withOlder(loaded: Loaded, asked: number | null, piece: JournalPiece): Loaded {
  if (loaded.next !== asked) return loaded;
  return { records: loaded.records.concat(piece.entries.toReversed()), next: piece.next, begun: true };
}

/**
 * How far the journal is known after a look through all that is newer than `known`. `head` is the number that the next line had before
 * the look, `found` are the matching records. Where nothing matches, it is known all the same: not to be searched again for what is new.
 */
export function knownAfter(known: number, head: number | undefined, found: readonly JournalRecord[]): number {
  return Math.max(known, (head ?? 0) - 1, found[0]?.seq ?? 0);
}

/** What is kept of a command that was only logged. What a guarded call is about is told by its resources. */
export function firstLine({ tier, params }: JournalRecord): string | undefined {
  if (params === undefined || tier === undefined || tier >= 2) return undefined;
  try {
    const { command } = JSON.parse(params) as { command?: unknown };
    if (typeof command === "string") return command;
  } catch {
    // The setting cut it off.
  }
  return params;
}

type Ask = (request: Record<string, unknown>) => Promise<JournalPiece>;

/** All records after `seq`, newest first; undefined where they are more than would be kept, and do not reach it. */
export async function newerThan(seq: number, ask: Ask, most = MOST_RECORDS): Promise<JournalRecord[] | undefined> {
  let found: JournalRecord[] = [];
  let before: number | null = null;
  do {
    const piece = await ask({ after: seq, limit: 1_000, budget: true, ...(before === null ? {} : { before }) });
    found = found.concat(piece.entries.toReversed());
    before = piece.next;
    if (before !== null && found.length >= most) return undefined;
  } while (before !== null);
  return found;
}
