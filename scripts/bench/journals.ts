// The journals that are measured, made anew for each run, and SQLite's tables of the same size.

import { mkdirSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { TaskError } from "../run.ts";
import { ask, program } from "./native.ts";
import { SqliteGate } from "./sqlite-gate.ts";

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
/** Within the window of an hour, and still within it when the run is over. */
const IN_WINDOW_MS = 0.75 * HOUR_MS;
/** What a line takes, and a row of SQLite's, at most. */
const LINE_BYTES = 350;

/** Settings under which nothing is pruned: the size of the journal is what is measured. */
export const KEEP_ALL = { journalMaxBytes: 2 ** 50, journalMaxAgeMs: 315_360_000_000 };

export interface Journal {
  name: string;
  /** How close its lines follow each other. */
  perHour: number;
  dir: string;
  lines: number;
  bytes: number;
  /** SQLite's tables with as many lines. */
  database: string;
}

export interface Journals {
  /** Those that calls are measured on, the empty one first. */
  all: Journal[];
  empty: Journal;
  /** The largest, its lines spread over a month; and the same with all lines within the window. */
  large: Journal;
  inWindow: Journal;
  /** As large as the issue names it for fresh processes; none in a quick run. */
  gigabyte: Journal | undefined;
}

export const count = (lines: number) => lines.toLocaleString("en-US");

export async function makeJournals(root: string, largest: number, progress: (text: string) => void): Promise<Journals> {
  const needed = 3 * largest * LINE_BYTES + 2e9;
  const { bavail, bsize } = statfsSync(root);
  if (bavail * bsize < needed) {
    throw new TaskError(
      `${root} has ${gigabytes(bavail * bsize)} free, ${gigabytes(needed)} are needed: take another folder with --dir, or --quick.`,
    );
  }
  const make = async (id: string, name: string, lines: number, spanMs: number): Promise<Journal> => {
    const dir = join(root, id);
    mkdirSync(dir, { mode: 0o700 });
    if (lines > 0) await ask(program("make-journal"), [dir, String(lines), String(spanMs)]);
    const perHour = spanMs === 0 ? 0 : Math.round((lines / spanMs) * HOUR_MS);
    return { name, perHour, dir, lines, bytes: sizeOf(dir), database: join(root, `${lines}.db`) };
  };
  const empty = await make("empty", "empty journal", 0, 0);
  const small = await make("small", "100,000 lines", 100_000, MONTH_MS);
  progress(`making journals of ${count(largest)} lines …`);
  const lines = `${count(largest)} lines`;
  const making = Promise.all([
    make("large", lines, largest, MONTH_MS),
    make("in-window", `${lines}, all in the window`, largest, IN_WINDOW_MS),
  ]);
  for (const size of [empty.lines, small.lines, largest]) {
    const database = new SqliteGate(join(root, `${size}.db`), "os");
    if (size > 0) database.fill(size, MONTH_MS);
    database.close();
  }
  const [large, inWindow] = await making;
  const perGigabyte = Math.round((1e9 / small.bytes) * small.lines);
  const gigabyte =
    largest > perGigabyte ? await make("gigabyte", `${count(perGigabyte)} lines`, perGigabyte, MONTH_MS) : undefined;
  return { all: [empty, small, large, inWindow], empty, large, inWindow, gigabyte };
}

export function sizeOf(dir: string): number {
  return readdirSync(dir).reduce((bytes, name) => bytes + (name.endsWith(".jsonl") ? statSync(join(dir, name)).size : 0), 0);
}

export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;
