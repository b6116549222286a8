// The first decision of a fresh native process, beside a program that does nothing.

import { gigabytes, type Journal, type Journals } from "./journals.ts";
import { ask, program } from "./native.ts";
import { atMost, type Row } from "./rows.ts";
import { summary, type Times } from "./samples.ts";

const SECTION = "first decision of a fresh native process, unflushed";
const TIMES_NOTHING = 2;

export async function freshRows({ all, gigabyte }: Journals, quick: boolean): Promise<Row[]> {
  const journals = gigabyte === undefined ? all : [...all, gigabyte];
  const programs = [[program("nothing")], ...journals.map(({ dir }) => [program("first-decision"), dir])];
  const order = { rounds: quick ? 40 : 100, seconds: quick ? 15 : 40, programs };
  const [nothing = [], ...decisions] = await ask<Times[]>(program("spawn-times"), [JSON.stringify(order)]);
  const floor = summary(nothing);
  const rowOf = (journal: Journal, index: number): Row => {
    const times = summary(decisions[index] ?? []);
    const name = journal.lines === 0 ? journal.name : `${journal.name}, ${gigabytes(journal.bytes)}`;
    const target = atMost(TIMES_NOTHING, times.p50 / floor.p50, "×", `≤ ${TIMES_NOTHING}× the empty program`);
    return { section: SECTION, name, unit: "µs", ...times, targets: [target] };
  };
  return [
    { section: SECTION, name: "the empty program: it does nothing", unit: "µs", ...floor, targets: [] },
    ...journals.map(rowOf),
  ];
}
