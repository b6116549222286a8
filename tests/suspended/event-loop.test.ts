// What hooks hold a gateway's event loop for, while other processes fill the same journal as fast as they can.
// CALLOSUM_TORTURE=1 makes it long, and holds it to its promise: a hook returns within 1 ms, at the 99.9th percentile. Otherwise only what is
// answered counts: a machine that is busy with something else proves nothing about speed.
// CALLOSUM_TORTURE_SECONDS, _RATE (calls a second) and _HAMMERS change it (without any: what the machine alone does).

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { FULL_SIZE, sized } from "../full-size.ts";
import { readSegments } from "../races/checker.ts";
import type { Measured, Row } from "./gateway.ts";
import { type Hammer, nativeHammer, nodeHammer, prepare, Told } from "./processes.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-loop-"));
const hammers: Hammer[] = [];
after(() => {
  for (const { told } of hammers) told.signal("SIGKILL");
  rmSync(directory, { recursive: true });
});

function setting(name: string, fallback: number): number {
  const number = Number(process.env[`CALLOSUM_TORTURE_${name}`] ?? fallback);
  assert.ok(Number.isSafeInteger(number) && number >= 0, `CALLOSUM_TORTURE_${name} must be a whole number`);
  return number;
}

const seconds = setting("SECONDS", sized(3, 60));
const callsPerSecond = setting("RATE", 500);
const others = setting("HAMMERS", sized(2, 4));

interface Entry {
  instance: string;
  action: string;
  call?: string;
  of?: number[];
}

/** What is written when a call comes: it was let through, paused, or refused because it could not be checked. */
const isVerdict = ({ action, of }: Entry) =>
  ["intercept", "blocked"].includes(action) || (action === "refused" && of === undefined);

/** What a hook may hold the event loop for, microseconds. */
const PROMISE_US = 1_000;

test(`${callsPerSecond} calls a second for ${seconds} s, beside ${others} processes that never pause`, async (t) => {
  const { stateDir, config } = prepare(directory);
  for (let index = 0; index < others; index += 1) {
    const start = index % 2 === 0 ? nodeHammer : nativeHammer;
    hammers.push(await start(`hammer-${index}`, { ...config, instanceId: `hammer-${index}`, durability: "os" }));
  }
  const order = { config: { ...config, instanceId: "gateway" }, callsPerSecond, seconds };
  const gateway = join(dirname(fileURLToPath(import.meta.url)), "gateway.ts");
  const told = new Told("the gateway", process.execPath, [gateway, JSON.stringify(order)]);
  const measured = await told.answer<Measured>();
  const done = await Promise.all(hammers.map((hammer) => hammer.end()));
  for (const { told } of hammers) told.child.stdin?.end();

  const show = (what: string, { count, p50, p99, p999, max }: Row) =>
    t.diagnostic(`${what.padEnd(26)} ${String(count).padStart(7)} × p50 ${p50} p99 ${p99} p99.9 ${p999} max ${max} µs`);
  show("hook, by the clock", measured.hooks);
  show("a loop of that length", measured.control);
  show("delay of the event loop", measured.delay);
  const { calls, answered, refused, unchecked, tickets, queued, problems, waiting } = measured;
  t.diagnostic(
    `${calls} calls, ${refused} paused or blocked, ${unchecked} unchecked, ${tickets} on a worker, ${queued} put off; the others made ${done.map((one) => one.calls)}`,
  );
  const kept = measured.hooks.p999 <= PROMISE_US;
  // Where a loop that touches nothing is held up for longer than that, it is other processes that hold it.
  const judged = measured.control.p999 < PROMISE_US;
  const verdict = kept ? "PASS" : judged ? "MISS" : "NOT JUDGED, the machine is too busy";
  t.diagnostic(`${verdict}: p99.9 of a hook is ${measured.hooks.p999} µs, promised are ${PROMISE_US}`);

  assert.deepEqual(problems, []);
  assert.equal(answered, calls);
  assert.deepEqual(waiting, { queued: 0, lost: 0, unwritten: waiting.unwritten });
  assert.ok(refused + unchecked < calls);
  // Else nobody was met.
  assert.ok(others === 0 || done.every((one) => one.calls > 100), JSON.stringify(done));
  const rows = readSegments(stateDir).flatMap(({ bytes }) => bytes.toString("utf8").trimEnd().split("\n"));
  const mine = rows.map((row) => JSON.parse(row) as Entry);
  const starts = mine.filter((row) => row.instance === "gateway" && isVerdict(row));
  assert.equal(new Set(starts.map((row) => row.call)).size, calls, "each call stands in the journal");
  assert.equal(starts.length, calls, "and once");
  if (FULL_SIZE) assert.ok(kept || !judged, "see the rows above");
});
