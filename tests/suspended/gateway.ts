// A gateway's event loop: hooks of all tiers at a steady rate, as long as it is told, and how long each held the loop. Prints one line of JSON.

import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";
import { type Answer, Gate } from "../../plugin/native/binding.js";

/** Percentiles of microseconds. */
export interface Row {
  count: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

export interface Measured {
  calls: number;
  answered: number;
  /** Paused or blocked. */
  refused: number;
  /** Refused because the state could not be used in time. */
  unchecked: number;
  /** Calls that took a worker, and those that were put off. */
  tickets: number;
  queued: number;
  problems: string[];
  /** Of each hook, from its call to its return: what it held the event loop for. */
  hooks: Row;
  /** Of a loop of the same length that touches nothing: what the machine alone does to such a measurement. */
  control: Row;
  /** How late the event loop was, whoever's fault it was: everybody's garbage and every other process is in it. */
  delay: Row;
  waiting: { queued: number; lost: number; unwritten: number };
}

interface Order {
  config: Record<string, unknown>;
  callsPerSecond: number;
  seconds: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as Order;
const gate = new Gate({ config: JSON.stringify(order.config), runtime: "gateway", hostName: "stops", hostStateDir: "/gateway" });

/** How often the loop turns to hooks, milliseconds. */
const BEAT_MS = 10;
/** The host's time for a hook, as the shim has it. */
const MAINTENANCE_MS = 5_000;

const hooks = createHistogram();
const control = createHistogram();
const delay = monitorEventLoopDelay({ resolution: 1 });
const done: Omit<Measured, "hooks" | "control" | "delay" | "waiting"> = {
  calls: 0,
  answered: 0,
  refused: 0,
  unchecked: 0,
  tickets: 0,
  queued: 0,
  problems: [],
};
const open = new Set<Promise<void>>();

/** Calls a hook and notes how long it took. */
function held(hook: () => Answer | null): Answer | null {
  const began = process.hrtime.bigint();
  const answer = hook();
  const took = process.hrtime.bigint() - began;
  hooks.record(took > 0n ? took : 1n);
  spin(took);
  return answer;
}

/** Does nothing for so long, and notes how long that took: the most of it is what was asked for, the rest the machine's. */
function spin(ns: bigint): void {
  // No longer than hooks mostly are: a hook that was interrupted is no measure.
  const wanted = ns < 100_000n ? ns : 100_000n;
  const began = process.hrtime.bigint();
  let took = 0n;
  while (took < wanted) took = process.hrtime.bigint() - began;
  control.record(took > 0n ? took : 1n);
}

const TOOLS = ["look", "side-1", "side-2", "send", "look", "side-1", "side-2", "pay"];

function one(): void {
  const number = done.calls;
  done.calls += 1;
  const tool = TOOLS[number % TOOLS.length] ?? "look";
  const [id, session] = [`c-${number}`, `s-${number % 7}`];
  const params = { name: session, to: `to-${number % 400}@example.com`, body: "x".repeat(200) };
  const answer = held(() => gate.before(tool, null, "main", session, "run", id, null, params));
  const settled = settle(answer)
    .then((verdict) => {
      done.answered += 1;
      const { refuse } = verdict ?? {};
      if (refuse?.includes("Can't check")) done.unchecked += 1;
      else if (refuse !== undefined) done.refused += 1;
      const ended = refuse === undefined ? "ok" : "refused";
      return settle(held(() => gate.after(tool, "main", session, "run", id, params, ended, 0, null)));
    })
    .catch((thrown: unknown) => {
      done.problems.push(String(thrown));
    })
    .then(() => {
      open.delete(settled);
    });
  open.add(settled);
}

async function settle(answer: Answer | null): Promise<Answer | null> {
  if (answer?.maintain) {
    done.queued += 1;
    maintain();
  }
  if (answer?.ticket === undefined) return answer;
  done.tickets += 1;
  return gate.finish(answer.ticket);
}

let maintaining: Promise<void> | undefined;
/** As the shim: one at a time. */
function maintain(): void {
  maintaining ??= gate.maintain().then(() => {
    maintaining = undefined;
  });
}

function row(histogram: Pick<RecordableHistogram, "count" | "percentile" | "max">, offset = 0): Row {
  const us = (ns: number) => (histogram.count === 0 ? 0 : Math.max(0, Math.round((ns - offset) / 100) / 10));
  const at = (percent: number) => us(histogram.percentile(percent));
  return { count: histogram.count, p50: at(50), p99: at(99), p999: at(99.9), max: us(histogram.max) };
}

// The first calls open the files, and make the machine code.
for (let warm = 0; warm < 200; warm += 1) one();
await Promise.all(open);
for (const histogram of [hooks, control]) histogram.reset();
delay.enable();

const began = performance.now();
const first = done.calls;
const maintenanceTimer = setInterval(maintain, MAINTENANCE_MS);
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const elapsed = performance.now() - began;
    if (elapsed > order.seconds * 1_000) {
      clearInterval(timer);
      resolve();
      return;
    }
    // What was missed is made up for, a little at a time.
    const due = first + Math.floor((elapsed / 1_000) * order.callsPerSecond);
    for (let burst = 0; burst < 10 && done.calls < due; burst += 1) one();
  }, BEAT_MS);
});
delay.disable();
clearInterval(maintenanceTimer);
await Promise.all(open);
await maintaining;
await gate.maintain();
const { waiting } = JSON.parse(await gate.ask("status", "")) as Pick<Measured, "waiting">;
await gate.close();
const measured: Measured = {
  ...done,
  hooks: row(hooks),
  control: row(control),
  // The monitor's own timer is in its figures.
  delay: row(delay, 1_000_000),
  waiting,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
