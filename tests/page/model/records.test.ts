import assert from "node:assert/strict";
import { test } from "node:test";
import { firstLine, knownAfter, type Loaded, newerThan, withNewer, withOlder } from "../../../plugin/page/src/model/records.ts";
import type { JournalPiece, JournalRecord } from "../../../plugin/page/src/model/wire.ts";

const at = (seq: number): JournalRecord => ({ seq, action: "intercept", timestamp: "2026-01-15T12:00:00.000Z" });
/** Records from `first` down to `last`. */
const down = (first: number, last: number) => Array.from({ length: first - last + 1 }, (_, place) => at(first - place));
const seqs = (records: readonly JournalRecord[]) => records.map((record) => record.seq);
const loaded = (first: number, last: number, next: number | null): Loaded => ({ records: down(first, last), next, begun: true });

/** A journal with the lines 1 to `last`, told in pieces of `size` at most. */
function journal(last: number, size: number) {
  const asked: Record<string, unknown>[] = [];
  const ask = async (request: Record<string, unknown>): Promise<JournalPiece> => {
    asked.push(request);
    const { after, before = last + 1 } = request as { after: number; before?: number };
    const from = Math.max(after + 1, before - size);
    return { entries: down(before - 1, from).toReversed(), next: from > after + 1 ? from : null };
  };
  return { ask, asked };
}

test("what is new pushes out the oldest, which can be loaded again", () => {
  assert.deepEqual(withNewer(loaded(3, 1, null), down(5, 4), 5), loaded(5, 1, null));
  assert.deepEqual(withNewer(loaded(3, 1, null), down(6, 4), 4), loaded(6, 3, 3));
  assert.deepEqual(withNewer(loaded(3, 1, null), down(9, 4), 4), loaded(9, 6, 6));
});

test("older ones join only the end that they were asked for", () => {
  const kept = loaded(9, 5, 5);
  const piece = { entries: [at(3), at(4)], next: 3 };
  assert.deepEqual(withOlder(kept, 5, piece), loaded(9, 3, 3));
  const cut = withNewer(kept, down(11, 10), 5);
  assert.deepEqual(withOlder(cut, 5, piece), cut, "there would be a gap");
});

test("all that is new is found, in as many pieces as it takes", async () => {
  const { ask, asked } = journal(25, 10);
  assert.deepEqual(seqs((await newerThan(2, ask)) ?? []), seqs(down(25, 3)));
  assert.deepEqual(
    asked.map(({ after, before }) => [after, before]),
    [
      [2, undefined],
      [2, 16],
      [2, 6],
    ],
  );
});

test("what is new and does not reach what is known is not taken for all of it", async () => {
  assert.equal(await newerThan(2, journal(25, 10).ask, 20), undefined);
  assert.equal((await newerThan(5, journal(25, 10).ask, 20))?.length, 20);
});

test("what was looked through is known, also where nothing matches", () => {
  assert.equal(knownAfter(0, 26, []), 25);
  assert.equal(knownAfter(25, 41, [at(30)]), 40);
  assert.equal(knownAfter(25, 26, [at(30)]), 30, "it came during the look");
  assert.equal(knownAfter(25, undefined, []), 25, "no news yet");
  assert.equal(knownAfter(0, 0, []), 0, "an empty journal");
});

test("with a filter that nothing matches, each line is looked at once", async () => {
  let known = 0;
  const after: unknown[] = [];
  for (const head of [26, 41, 41]) {
    const found = await newerThan(known, async (request) => {
      after.push(request.after);
      return { entries: [], next: null };
    });
    known = knownAfter(known, head, found ?? []);
  }
  assert.deepEqual(after, [0, 25, 40]);
});

test("of a command that was only logged its first line is told, and of nothing else", () => {
  const line = (tier: 0 | 1 | 3, params?: string) => firstLine({ ...at(1), tier, ...(params !== undefined && { params }) });
  assert.equal(line(1, '{"command":"cargo test …"}'), "cargo test …");
  assert.equal(line(1, '{"command":"cargo te…'), '{"command":"cargo te…');
  assert.equal(line(1), undefined);
  assert.equal(line(3, '{"command":"git push"}'), undefined);
});
