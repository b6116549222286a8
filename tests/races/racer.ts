// A Node process for the races: does the rounds it is told on standard input, one JSON object a line, and answers each with what it did.
// The racer example of the command line is the same as a native process.

import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, Gate } from "../../plugin/native/binding.js";
import type { Did, Order } from "./protocol.ts";

const [name = "nobody"] = process.argv.slice(2);
const RUN = "race";
let gate: Gate | undefined;

/** The clock that all processes of a machine share. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Sleeps until a moment; the event loop's timers are too coarse for a common start. */
function sleepUntil(us: number): void {
  const ms = (us - monotonicUs()) / 1000;
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function close(): Promise<void> {
  await gate?.close();
  gate = undefined;
}

async function finish(open: Gate, answer: Answer | null): Promise<Answer | null> {
  return answer?.ticket === undefined ? answer : open.finish(answer.ticket);
}

async function before(open: Gate, tool: string, call: string, params: unknown) {
  const answer = open.before(tool, null, null, name, RUN, call, null, params);
  const waited = answer?.ticket !== undefined;
  return { waited, text: (await finish(open, answer))?.refuse ?? null };
}

async function after(open: Gate, tool: string, call: string, params: unknown): Promise<void> {
  await finish(open, open.after(tool, null, name, RUN, call, params, "ok", 0, null));
}

async function race(open: Gate, order: Extract<Order, { do: "race" }>): Promise<Did> {
  const side = [];
  for (let index = 0; index < order.side; index += 1) {
    const tier = 1 + (index % 2);
    const call = `${name}-${order.round}-${index}`;
    const verdict = await before(open, `side-${tier}`, call, { name });
    await after(open, `side-${tier}`, call, { name });
    side.push({ call, tier, allowed: verdict.text === null });
  }
  sleepUntil(order.startUs);
  const call = `${name}-${order.round}`;
  const params = { to: order.to };
  const fromUs = monotonicUs();
  const { text, waited } = await before(open, "send", call, params);
  const toUs = monotonicUs();
  if (text === null) {
    await sleep(order.workUs / 1000);
    await after(open, "send", call, params);
  }
  const notices = open.notices().map((notice) => notice.text);
  const { round } = order;
  return {
    did: "race",
    name,
    pid: process.pid,
    round,
    call,
    session: name,
    allowed: text === null,
    text,
    waited,
    fromUs,
    toUs,
    side,
    notices,
  };
}

async function obey(order: Order): Promise<Did> {
  if (order.do === "open") {
    await close();
    gate = new Gate({ config: JSON.stringify(order.config), runtime: "node", hostName: "race", hostStateDir: "/race" });
    return { did: "open" };
  }
  if (order.do === "close") {
    await close();
    return { did: "close" };
  }
  if (gate === undefined) throw new Error("no gate is open");
  if (order.do === "race") return race(gate, order);
  await gate.maintain();
  return { did: "maintain" };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await obey(JSON.parse(line) as Order))}\n`);
}
