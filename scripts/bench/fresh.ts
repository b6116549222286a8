// What a fresh native process takes for its first decision, and a hook for its one, beside a program that does nothing.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gigabytes, type Journal, type Journals, KEEP_ALL } from "./journals.ts";
import { ask, installed, program } from "./native.ts";
import { atMost, type Row } from "./rows.ts";
import { summary, type Times } from "./samples.ts";

const SECTION = "first decision of a fresh native process, unflushed";
const HOOKS = "`callosum hook codex`, before a call, from start to end, unflushed";
const TIMES_NOTHING = 2;
/** What stands on a hook's standard input, once each `{round}`, and what another session's hook was told just before. */
const HOOKS_OF = {
  "tier 1": [event("bench", "cargo build")],
  "tier 3, sent": [event("bench", "gog gmail send --to {round}@example.com")],
  "tier 3, paused": [
    event("bench", "gog gmail send --to {round}@example.org"),
    event("another", "gog gmail send --to {round}@example.org"),
  ],
};

/** Rows of both sections; the programs are installed in `folder`. */
export async function freshRows({ all, gigabyte }: Journals, folder: string, quick: boolean): Promise<Row[]> {
  const journals = gigabyte === undefined ? all : [...all, gigabyte];
  const nothing = installed(folder, "nothing");
  const decisions = await decisionRows(journals, nothing, installed(folder, "first-decision"), quick);
  return [...decisions, ...(await hookRows(journals, nothing, installed(folder, "callosum"), quick))];
}

async function decisionRows(journals: Journal[], empty: string, decision: string, quick: boolean): Promise<Row[]> {
  const programs = [[empty], ...journals.map(({ dir }) => [decision, dir])];
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

/** Each of the hook's calls, on every journal. */
async function hookRows(journals: Journal[], empty: string, callosum: string, quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  const settings = JSON.stringify({ durability: "os", ...KEEP_ALL });
  for (const { dir } of journals) writeFileSync(join(dir, "settings.json"), settings);
  for (const [kind, [stdin, before]] of Object.entries(HOOKS_OF)) {
    const hooks = journals.map(({ dir }) => [callosum, "hook", "codex", "--state-dir", dir]);
    const programs = [[empty], ...hooks];
    const order = { rounds: quick ? 30 : 100, seconds: quick ? 10 : 30, programs, stdin, before };
    const [nothing = [], ...times] = await ask<Times[]>(program("spawn-times"), [JSON.stringify(order)]);
    const floor = summary(nothing);
    for (const [index, { name }] of journals.entries()) {
      const took = summary(times[index] ?? []);
      const target = atMost(TIMES_NOTHING, took.p50 / floor.p50, "×", `≤ ${TIMES_NOTHING}× the empty program`);
      rows.push({ section: HOOKS, name: `${kind}, ${name}`, unit: "µs", ...took, targets: [target] });
    }
  }
  return rows;
}

function event(session: string, command: string): string {
  const event = {
    session_id: session,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "{round}",
  };
  return JSON.stringify(event);
}
