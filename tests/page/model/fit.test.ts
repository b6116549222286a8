import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesOf, GROUP_LINE } from "../../../plugin/page/src/model/layout.ts";
import { DAY, fitMs, HOUR, MINUTE, windowMs } from "../../../plugin/page/src/model/times.ts";

test("the range fits what there is: a new installation fills it, an old one shows its last day", () => {
  const now = 100 * DAY;
  assert.equal(fitMs(now - MINUTE, now, now), 5 * MINUTE);
  assert.equal(fitMs(now - HOUR, now, now), 1.1 * HOUR);
  assert.equal(fitMs(now - 50 * DAY, now, now), 1.1 * DAY);
  // Nothing happened for three days: what was last is still in it.
  assert.equal(fitMs(now - 50 * DAY, now - 3 * DAY, now), 1.1 * 4 * DAY);
  assert.equal(fitMs(0, 10 * DAY, now), 30 * DAY);
  assert.equal(fitMs(Number.NaN, Number.NaN, now), HOUR);
  assert.equal(windowMs("fit"), DAY);
});

test("lanes of one group stand below its name", () => {
  const lane = (id: string, runtime: string) => ({ id, instance: "i", session: id, runtime, actions: [], last: 0 });
  const lanes = [lane("a", "codex"), lane("b", "codex"), lane("c", "gemini")];
  const span = { from: 0, to: 10 };
  const alone = boxesOf(lanes, span, 100, 10, false);
  assert.deepEqual(
    alone.map(({ top, group }) => [top / (alone[0]?.height ?? 1), group]),
    [
      [0, undefined],
      [1, undefined],
      [2, undefined],
    ],
  );
  const boxes = boxesOf(lanes, span, 100, 10, false, (one) => one.runtime);
  const [first, second, third] = boxes;
  assert.deepEqual(
    boxes.map(({ group }) => group),
    ["codex", undefined, "gemini"],
  );
  assert.equal(first?.top, GROUP_LINE);
  assert.equal(second?.top, GROUP_LINE + (first?.height ?? 0));
  assert.equal(third?.top, (second?.top ?? 0) + (second?.height ?? 0) + GROUP_LINE);
});
