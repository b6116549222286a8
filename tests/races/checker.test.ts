// The checker itself: it accepts a good race and rejects what a broken gate, a broken journal or a lying process would leave.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { check, type Segment } from "./checker.ts";
import type { RaceLog } from "./protocol.ts";
import { recipient } from "./race.ts";

type Fields = Record<string, unknown>;
interface Race {
  logs: RaceLog[];
  segments: Segment[];
}

/** Writes a journal by hand, with the offsets that belong to it. */
class Pen {
  readonly segments: Segment[] = [];
  #base = 0;
  #text = "";

  constructor() {
    this.row({ action: "opened", base: 0 });
  }

  row(fields: Fields): number {
    const seq = this.#base + Buffer.byteLength(this.#text);
    this.#text += `${JSON.stringify({ v: 1, timestamp: "2026-01-31T09:00:00.000Z", instance: "race", ...fields })}\n`;
    return seq;
  }

  rotate(): void {
    // The closing line says where it ends itself: its own length counts.
    const end = (base: number) => {
      const line = JSON.stringify({ v: 1, timestamp: "2026-01-31T09:00:00.000Z", instance: "race", action: "closed", base });
      return this.#base + Buffer.byteLength(this.#text) + line.length + 1;
    };
    const next = end(end(end(0)));
    this.row({ action: "closed", base: next });
    this.segments.push({ name: `journal.${this.#base}.jsonl`, bytes: Buffer.from(this.#text) });
    this.#base = next;
    this.#text = "";
    this.row({ action: "opened", base: next });
  }

  done(): Segment[] {
    return [...this.segments, { name: "journal.jsonl", bytes: Buffer.from(this.#text) }];
  }
}

/** The rows of one call. */
function rows(name: string, round: number) {
  const common = { session: name, call: `${name}-${round}`, tier: 3, tool: "send", contextKeys: [`email:${recipient(round)}`] };
  return {
    intercept: (more: Fields = {}) => ({ action: "intercept", ...common, ...more }),
    complete: (of: number) => ({ action: "complete", ...common, of: [of] }),
    blocked: (conflict: string, evidence: Fields[]) => ({ action: "blocked", ...common, conflict, evidence }),
  };
}

function log(name: string, round: number, allowed: boolean, more: Partial<RaceLog> = {}): RaceLog {
  return {
    did: "race",
    name,
    pid: name.length,
    round,
    call: `${name}-${round}`,
    session: name,
    allowed,
    text: allowed ? null : `[Callosum] "email:${recipient(round)}" is being acted on by another call.`,
    waited: false,
    fromUs: round * 1_000,
    toUs: round * 1_000 + 100,
    side: [],
    notices: [],
    ...more,
  };
}

/** Two rounds of three processes, with side calls, a pause before and one after the outcome, and a rotation. */
function good(): Race {
  const pen = new Pen();
  pen.row({ action: "rules", windowMs: 3_600_000 });
  const side = { session: "ann", tier: 2, tool: "side-2", call: "ann-0-1", contextKeys: ["side:ann"] };
  const started = pen.row({ action: "intercept", ...side });
  pen.row({ action: "complete", ...side, of: [started] });
  const first = pen.row(rows("ann", 0).intercept());
  pen.row(rows("bob", 0).blocked("inFlight", [{ seq: first }]));
  pen.rotate();
  const ended = pen.row(rows("ann", 0).complete(first));
  pen.row(rows("cid", 0).blocked("recent", [{ seq: first, outcome: ended }]));
  const second = pen.row(rows("bob", 1).intercept());
  pen.row(rows("ann", 1).blocked("inFlight", [{ seq: second }]));
  pen.row(rows("cid", 1).blocked("inFlight", [{ seq: second }]));
  pen.row(rows("bob", 1).complete(second));
  const logs = [
    log("ann", 0, true, { side: [{ call: "ann-0-1", tier: 2, allowed: true }] }),
    log("bob", 0, false),
    log("cid", 0, false),
    log("ann", 1, false),
    log("bob", 1, true),
    log("cid", 1, false),
  ];
  return { logs, segments: pen.done() };
}

const judge = ({ logs, segments }: Race) => check(logs, segments, recipient);

/** The good race with one segment's lines changed. */
function edited(index: number, edit: (lines: string[]) => string[]): Race {
  const { logs, segments } = good();
  const changed = segments.map((segment, at) => {
    if (at !== index) return segment;
    const lines = segment.bytes.toString("utf8").split("\n").slice(0, -1);
    return { ...segment, bytes: Buffer.from(`${edit(lines).join("\n")}\n`) };
  });
  return { logs, segments: changed };
}

/** The good race with one word of the journal changed to another of the same length, so that all offsets still fit. */
function forged(from: string, to: string): Race {
  assert.equal(from.length, to.length);
  const { logs, segments } = good();
  let found = false;
  const changed = segments.map((segment) => {
    const text = segment.bytes.toString("utf8");
    if (found || !text.includes(from)) return segment;
    found = true;
    return { ...segment, bytes: Buffer.from(text.replace(from, to)) };
  });
  assert.ok(found, from);
  return { logs, segments: changed };
}

function relogged(change: (logs: RaceLog[]) => RaceLog[]): Race {
  const { logs, segments } = good();
  return { logs: change(logs), segments };
}

/** The end of a race that a gate without the guard leaves: both looked before either wrote. */
function unguarded(secondSaysPaused: boolean): Race {
  const pen = new Pen();
  const [first, second] = [pen.row(rows("ann", 0).intercept()), pen.row(rows("bob", 0).intercept())];
  pen.row(rows("ann", 0).complete(first));
  pen.row(rows("bob", 0).complete(second));
  return { logs: [log("ann", 0, true), log("bob", 0, !secondSaysPaused)], segments: pen.done() };
}

test("a good race is accepted", () => {
  assert.deepEqual(judge(good()), []);
});

describe("rejected is", () => {
  const cases: Array<[string, () => Race, RegExp]> = [
    ["a round with two allowed", () => unguarded(false), /^round 0: 2 allowed \(ann, bob\)/],
    [
      "an action that nobody admits",
      () => unguarded(true),
      /^call bob-0: the journal says "intercept, complete", its process says "blocked"/,
    ],
    ["a second action on a resource", () => unguarded(true), /allowed although email:race-0@example.com was acted on before/],
    [
      "a round with nobody allowed",
      () => relogged((logs) => logs.map((log) => ({ ...log, allowed: false, text: "is being acted on" }))),
      /^round 0: 0 allowed/,
    ],
    [
      "a verdict without its row",
      () => edited(1, (lines) => lines.filter((line) => !/blocked.*cid-1|cid-1.*blocked/.test(line))),
      /^call cid-1: the journal says ""/,
    ],
    [
      "an action without its outcome",
      () => edited(1, (lines) => lines.slice(0, -1)),
      /^call bob-1: the journal says "intercept", /,
    ],
    ["a row without its verdict", () => relogged((logs) => logs.slice(0, -1)), /blocked of call cid-1, which no process knows/],
    ["a verdict that is logged twice", () => relogged((logs) => [...logs, ...logs.slice(-1)]), /^call cid-1: logged twice/],
    [
      "a row that is there twice",
      () => edited(1, (lines) => [...lines, ...lines.slice(-1)]),
      /^call bob-1: .*"intercept, complete, complete"/,
    ],
    [
      "a pause for another reason",
      () => relogged((logs) => logs.map((log) => (log.allowed ? log : { ...log, text: "disk full" }))),
      /was refused otherwise: disk full/,
    ],
    [
      "a side call that was refused",
      () => relogged((logs) => logs.map((log) => ({ ...log, side: log.side.map((side) => ({ ...side, allowed: false })) }))),
      /^call ann-0-1: tier 2 was refused/,
    ],
    [
      "another tier or resource",
      () => forged('"call":"ann-0","tier":3', '"call":"ann-0","tier":4'),
      /not of session ann, tier 3 and email:race-0@example.com/,
    ],
    [
      "two rows in each other's place",
      () => edited(1, (lines) => lines.toSpliced(3, 2, ...lines.slice(3, 5).reverse())),
      /is no earlier action on email:race-1@example.com/,
    ],
    [
      "a process's rows in another order than its deeds",
      () => relogged((logs) => [...logs.slice(3), ...logs.slice(0, 3)]),
      /^session ann: did ann-1 where the journal has ann-0-1/,
    ],
    [
      "a later verdict before an earlier one",
      () => relogged((logs) => logs.map((log) => (log.call === "ann-0" ? { ...log, fromUs: 9_000, toUs: 9_100 } : log))),
      /bob-0 was over before ann-0 began, but stands behind it/,
    ],
    [
      "evidence of nothing",
      () => edited(1, (lines) => lines.map((line) => line.replace(/"evidence":\[.*?\]/, '"evidence":[]'))),
      /a pause without evidence/,
    ],
    [
      "evidence that hides an outcome",
      () => edited(1, (lines) => lines.map((line) => line.replace(/,"outcome":\d+/, ""))),
      /shows outcome undefined of \d+, but the journal says \d+/,
    ],
    [
      "a pause that names another state",
      () => forged('"conflict":"inFlight"', '"conflict":"recent.."'),
      /says recent\.\., which is not what stood there/,
    ],
    [
      "an outcome of something else",
      () => edited(1, (lines) => lines.map((line) => line.replace(/"of":\[\d+\]/, '"of":[7]'))),
      /does not point at its start/,
    ],
    [
      "a record that has no place here",
      () => forged('"action":"rules"', '"action":"other"'),
      /other has no place in a race|of call undefined/,
    ],
    [
      "a torn line",
      () => edited(0, (lines) => lines.map((line, at) => (at === 3 ? line.slice(0, 40) : line))),
      /^journal\.0\.jsonl:\d+: no JSON object/,
    ],
    ["an unfinished last line", () => cutShort(), /^journal\.jsonl:\d+: the last line has no end/],
    ["an empty line", () => edited(1, (lines) => lines.toSpliced(2, 0, "")), /no JSON object/],
    ["another format", () => forged('"v":1', '"v":2'), /no record of format 1/],
    [
      "a segment that is missing",
      () => ({ ...good(), segments: good().segments.slice(1) }),
      /does not begin with an opened line of base 0/,
    ],
    [
      "a segment that was not closed",
      () => edited(0, (lines) => lines.slice(0, -1)),
      /is followed by another segment, but not closed/,
    ],
    [
      "a gap between segments",
      () => edited(0, (lines) => lines.map((line) => line.replace("3600000", "360"))),
      /does not begin with an opened line of base \d+/,
    ],
    [
      "another name",
      () => ({
        ...good(),
        segments: good().segments.map((segment) => ({ ...segment, name: segment.name.replace(".0.", ".1.") })),
      }),
      /has another base in its name/,
    ],
  ];
  for (const [what, make, expected] of cases)
    test(what, () => {
      const problems = judge(make());
      assert.ok(
        problems.some((problem) => expected.test(problem)),
        problems.join("\n") || "it was accepted",
      );
    });
});

function cutShort(): Race {
  const { logs, segments } = good();
  return {
    logs,
    segments: segments.map((segment, at) => (at === 1 ? { ...segment, bytes: segment.bytes.subarray(0, -1) } : segment)),
  };
}
