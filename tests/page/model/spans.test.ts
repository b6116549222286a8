import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketFor, following, followsAfter, missing, moved, wanted, zoomed } from "../../../plugin/page/src/model/spans.ts";
import { ticksOf } from "../../../plugin/page/src/model/ticks.ts";
import { ago, countdown, duration, rfc3339 } from "../../../plugin/page/src/model/times.ts";

test("only what is not loaded yet is asked for", () => {
  const have = { from: 100, to: 200 };
  assert.deepEqual(missing(undefined, have), { ranges: [have], joins: false });
  assert.deepEqual(missing(have, { from: 120, to: 180 }), { ranges: [], joins: true });
  assert.deepEqual(missing(have, { from: 50, to: 180 }), { ranges: [{ from: 50, to: 100 }], joins: true });
  assert.deepEqual(missing(have, { from: 50, to: 250 }).ranges, [
    { from: 200, to: 250 },
    { from: 50, to: 100 },
  ]);
  assert.deepEqual(missing(have, { from: 10, to: 20 }), { ranges: [{ from: 10, to: 20 }], joins: false });
});

test("nothing that is still to come is asked for", () => {
  assert.deepEqual(wanted({ from: 0, to: 400 }, 350), { from: -100, to: 350 });
});

test("zooming keeps the moment under the pointer, within bounds", () => {
  assert.deepEqual(zoomed({ from: 0, to: 1_000_000 }, 0.5, 250_000), { from: 125_000, to: 625_000 });
  const closest = zoomed({ from: 0, to: 12_000 }, 0.01, 6_000);
  assert.equal(closest.to - closest.from, 10_000);
  assert.deepEqual(moved({ from: 0, to: 10 }, 5), { from: 5, to: 15 });
  const view = following(1_000, 5_000);
  assert.ok(view.to > 5_000 && view.to - view.from === 1_000);
});

test("a move to the past lets go of now however small, and only a move forward takes it up again", () => {
  const now = 1_000_000;
  const view = following(100_000, now);
  const back = moved(view, -100);
  assert.ok(back.to > now);
  assert.equal(followsAfter(view, true, back, now), false);
  assert.equal(followsAfter(back, false, moved(back, -100), now), false);
  assert.equal(followsAfter(back, false, moved(back, 50), now), true);
  assert.equal(followsAfter(back, false, moved(back, -50_000), now), false);
  assert.equal(followsAfter(view, true, moved(view, 200_000), now), false, "now is not in it");
});

test("a zoom goes on following, and does not begin to", () => {
  const now = 1_000_000;
  const view = following(100_000, now);
  for (const factor of [0.5, 2])
    for (const follows of [true, false]) assert.equal(followsAfter(view, follows, zoomed(view, factor, now), now), follows);
  assert.equal(followsAfter(view, true, zoomed(view, 0.2, view.from), now), false, "it ends before now");
});

test("buckets have round lengths", () => {
  assert.equal(bucketFor({ from: 0, to: 3_600_000 }, 100), 60_000);
  assert.equal(bucketFor({ from: 0, to: 86_400_000 }, 120), 900_000);
});

test("the axis has no two texts upon each other", () => {
  const from = Date.UTC(2026, 0, 15, 7);
  for (const days of [0.02, 0.25, 1, 7, 60])
    for (const width of [380, 1_015, 1_750]) {
      const ticks = ticksOf({ from, to: from + days * 86_400_000 }, width, 92);
      assert.ok(ticks.length >= 2, `${days} days on ${width} pixels have ${ticks.length} ticks`);
      for (const [place, tick] of ticks.entries()) {
        const next = ticks[place + 1];
        if (next !== undefined)
          assert.ok(next.x - tick.x >= tick.text.length * 7, `${tick.text} and ${next.text} of ${days} days`);
      }
    }
});

test("lengths of time are short", () => {
  assert.equal(duration(350), "350 ms");
  assert.equal(duration(3_240), "3.2 s");
  assert.equal(duration(59_999), "59 s");
  assert.equal(duration(125_000), "2 min 5 s");
  assert.equal(duration(7_200_000), "2 h");
  assert.equal(duration(200_000_000), "2 d 7 h");
  assert.equal(duration(Number.NaN), "unknown");
  assert.equal(ago(2_000), "just now");
  assert.equal(ago(-60_000), "just now");
  assert.equal(ago(3_700_000), "1 h ago");
  assert.equal(countdown(299_001), "5:00");
  assert.equal(countdown(3_723_000), "1:02:03");
  assert.equal(countdown(-5), "0:00");
});

test("what is no time breaks nothing", () => {
  assert.equal(rfc3339(Number.NaN), "");
  assert.equal(rfc3339(1e300), "");
});
