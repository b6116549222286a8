import assert from "node:assert/strict";
import { test } from "node:test";
import { coverageOf, isLacking } from "../../../plugin/page/src/model/coverage.ts";
import { tell } from "../../../plugin/page/src/model/story.ts";
import { type Counts, columnsOf, figures, isCounted, significant, sum } from "../../../plugin/page/src/model/tally.ts";
import type { Bucket } from "../../../plugin/page/src/model/wire.ts";
import { event } from "./events.ts";

function bucket(at: number, tier: Bucket["tier"], calls: number, paused = 0, session = "one"): Bucket {
  return { at, instance: "laptop", session, runtime: "openclaw", tier, calls, paused };
}

test("pieces of one bucket and counts of one rule are summed", () => {
  const rule = { rule: "email-send", calls: 2, paused: 1, blocked: 0, last: 5 };
  const pieces = [
    { buckets: [bucket(0, 3, 2, 1), bucket(0, 0, 5)], rules: [rule, { ...rule, rule: null }] },
    { buckets: [bucket(0, 3, 4, 2), bucket(0, 3, 1, 0, "two")], rules: [{ ...rule, calls: 3, last: 4 }] },
  ];
  const total = sum(pieces);
  assert.deepEqual(total.buckets, [bucket(0, 3, 6, 3), bucket(0, 0, 5), bucket(0, 3, 1, 0, "two")]);
  assert.deepEqual(total.rules[0], { rule: "email-send", calls: 5, paused: 2, blocked: 0, last: 5 });
  assert.equal(total.rules.length, 2);
  assert.equal(pieces[0]?.buckets[0]?.calls, 2, "the pieces themselves are changed");
});

test("a lane's columns stand in order, tiers apart", () => {
  const columns = [...columnsOf([bucket(60, 4, 1), bucket(0, 2, 2, 1), bucket(0, 0, 9)]).values()].flat();
  assert.deepEqual(
    columns.map((column) => [column.at, column.tiers, column.paused, significant(column)]),
    [
      [0, [9, 0, 2, 0, 0], 1, 2],
      [60, [0, 0, 0, 0, 1], 0, 1],
    ],
  );
  assert.deepEqual(figures([bucket(0, 0, 9), bucket(60, 3, 2, 1)], 60), { sessions: 1, calls: 2, significant: 2, paused: 1 });
});

test("counts are whole only of the stretch that they are of, which moves along with now", () => {
  const nothing = { buckets: [], rules: [] };
  const hour = { from: 0, to: 3_600, bucketMs: 60, isLive: true };
  const counts: Counts = { ...hour, past: nothing, tail: nothing, whole: true };
  assert.equal(isCounted(undefined, hour), false);
  assert.equal(isCounted({ ...counts, whole: false }, hour), false, "only a part of it");
  assert.equal(isCounted(counts, hour), true);
  assert.equal(isCounted(counts, { ...hour, from: 60, to: 3_660 }), true, "a bucket later");
  assert.equal(isCounted(counts, { ...hour, from: 1_800 }), false, "a shorter stretch");
  assert.equal(isCounted(counts, { ...hour, from: -60 }), false, "a longer one");
  assert.equal(isCounted(counts, { ...hour, bucketMs: 30 }), false, "other buckets");
  const past = { ...hour, isLive: false };
  assert.equal(isCounted(counts, past), false, "without what came after it");
  assert.equal(isCounted({ ...counts, ...past }, past), true);
  assert.equal(isCounted({ ...counts, ...past }, { ...past, to: 3_660 }), false);
});

test("a runtime never seen is listed with how it joins, one not known is listed as it is", () => {
  const counts = {
    before: 5,
    after: 5,
    paused: 0,
    covered: true,
    first: "2026-01-15T12:00:00.000Z",
    last: "2026-01-15T13:00:00.000Z",
  };
  const runtimes = coverageOf({ openclaw: { read: counts, exec: { ...counts, before: 50 } }, homemade: { exec: counts } });
  assert.deepEqual(
    runtimes.map((runtime) => runtime.id),
    ["openclaw", "homemade", "claude-code", "codex", "gemini"],
  );
  assert.deepEqual(
    runtimes[0]?.tools.map((tool) => tool.tool),
    ["exec", "read"],
  );
  assert.equal(runtimes[1]?.join, undefined);
  assert.equal(runtimes[2]?.join, "callosum install claude-code");
});

test("a few calls without an end are no lack, a fifth of many is", () => {
  assert.equal(isLacking({ before: 3, after: 0 }), false);
  assert.equal(isLacking({ before: 100, after: 95 }), false);
  assert.equal(isLacking({ before: 100, after: 79 }), true);
  // A call that was paused never began, and most runtimes have no after-hook for it.
  assert.equal(isLacking({ before: 100, after: 40, paused: 60 }), false);
  assert.equal(isLacking({ before: 100, after: 5, paused: 95 }), false);
  assert.equal(isLacking({ before: 100, after: 100, paused: 60 }), false, "in some it has one");
  assert.equal(isLacking({ before: 100, after: 20, paused: 60 }), true);
});

test("a story counts its calls, and says to whom each was shown", () => {
  const told = tell({
    key: "k",
    earlier: false,
    leases: [],
    events: [
      event(10, 0, "started"),
      event(11, 1, "complete", { of: [10] }),
      event(12, 2, "paused", { shown: [10, 3] }),
      event(13, 3, "read", { of: [12] }),
    ],
  });
  assert.deepEqual(
    told.map((call) => [call.number, call.shown, call.elsewhere, call.shownTo, call.sequels.map((sequel) => sequel.what)]),
    [
      [1, [], 0, [2], ["complete"]],
      [2, [1], 1, [], ["read"]],
    ],
  );
});
