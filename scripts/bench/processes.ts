// Calls of tier 1 by several native processes on one journal.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ask, program } from "./native.ts";
import { atLeast, type Row } from "./rows.ts";
import { median } from "./samples.ts";

const SECTION = "native calls of tier 1, all processes together";
const PROCESSES = [1, 2, 4, 8];
const LEAST_RATE = 100_000;
const LEAST_SHARE = 1 / 3;
/** Opening the gates takes them less. */
const START_US = 500_000;

interface Load {
  calls: number;
  lost: number;
  seconds: number;
}

export async function processRows(root: string, quick: boolean): Promise<Row[]> {
  const rounds = quick ? 3 : 5;
  const rates = new Map<number, number[]>(PROCESSES.map((processes) => [processes, []]));
  const shares = new Map<number, number[]>(PROCESSES.map((processes) => [processes, []]));
  const losses = new Map<number, number>();
  for (let round = 0; round < rounds; round += 1) {
    for (const processes of PROCESSES) {
      const loads = await race(root, processes, quick ? 500 : 1_000);
      // A call whose line found no place in the queue is not counted.
      const each = loads.map(({ calls, lost, seconds }) => (calls - lost) / seconds);
      rates.get(processes)?.push(each.reduce((sum, rate) => sum + rate));
      shares.get(processes)?.push(Math.min(...each) / Math.max(...each));
      losses.set(processes, (losses.get(processes) ?? 0) + loads.reduce((sum, { lost }) => sum + lost, 0));
    }
  }
  return PROCESSES.map((processes) => {
    const rate = median(rates.get(processes) ?? []);
    const share = median(shares.get(processes) ?? []);
    const lost = losses.get(processes) ?? 0;
    const isLast = processes === PROCESSES.at(-1);
    return {
      section: SECTION,
      name: `${processes === 1 ? "1 process" : `${processes} processes`}${lost === 0 ? "" : ` (${lost} lines lost)`}`,
      unit: "calls/s",
      p50: rate,
      targets: isLast
        ? [
            atLeast(LEAST_RATE, rate, "calls/s", `≥ ${LEAST_RATE.toLocaleString("en-US")} calls/s`),
            atLeast(LEAST_SHARE, share, "×", "slowest ≥ 1/3 of fastest"),
          ]
        : [],
    };
  });
}

async function race(root: string, processes: number, ms: number): Promise<Load[]> {
  mkdirSync(join(root, "races"), { recursive: true });
  const dir = mkdtempSync(join(root, "races", "race-"));
  const start = String(process.hrtime.bigint() / 1_000n + BigInt(START_US));
  const loads = await Promise.all(Array.from({ length: processes }, () => ask<Load>(program("load"), [dir, start, String(ms)])));
  rmSync(dir, { recursive: true });
  return loads;
}
