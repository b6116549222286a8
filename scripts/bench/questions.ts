// What the page's questions take, a piece at a time, on journals of several sizes.

import type { Journals } from "./journals.ts";
import { ask, program } from "./native.ts";
import { atMost, type Row } from "./rows.ts";
import { summary, type Times } from "./samples.ts";

const SECTION = "the page's questions, a piece of the answer";
const HOUR_MS = 3_600_000;
/** A piece ends after 30 ms or 8 MiB, and its answer is written then. */
const PIECE_MS = 60;
/** Nobody was mailed there: the whole journal is gone through. */
const RARE_KEY = "email:nobody-at-all@example.com";

export async function questionRows({ all }: Journals, quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { dir, name } of all) {
    const now = Date.now();
    const questions = {
      "timeline of 6 h": ["timeline", { from: now - 6 * HOUR_MS, to: now }],
      "tally of a day": ["tally", { from: now - 24 * HOUR_MS, to: now, bucketMs: HOUR_MS }],
      "journal, a rare key": ["journal", { key: RARE_KEY, budget: true }],
    };
    const args = [dir, quick ? "5" : "20"];
    const times = await ask<Record<string, Times>>(program("questions"), args, JSON.stringify(questions));
    for (const [question, taken] of Object.entries(times)) {
      const took = summary(taken);
      const target = atMost(PIECE_MS * 1_000, took.p99, "µs", `≤ ${PIECE_MS} ms a piece`);
      rows.push({ section: SECTION, name: `${question}, ${name}`, unit: "µs", ...took, targets: [target] });
    }
  }
  return rows;
}
