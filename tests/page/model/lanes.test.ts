import assert from "node:assert/strict";
import { test } from "node:test";
import { type Action, actionsOf, laneOf } from "../../../plugin/page/src/model/actions.ts";
import {
  isTooMany,
  isWithin,
  type Lane,
  laneNames,
  laneOrder,
  lanesOf,
  MARK_WIDTH,
  MAX_ROWS,
  neighbour,
  place,
} from "../../../plugin/page/src/model/lanes.ts";
import { boxesOf, curvesOf } from "../../../plugin/page/src/model/layout.ts";
import { event, NOON } from "./events.ts";

const HOUR = { from: NOON, to: NOON + 3_600_000 };
const LATER = NOON + 3_600_000;

function only(actions: Action[]): Action {
  const [action] = actions;
  assert.ok(action !== undefined);
  return action;
}

test("names with any characters keep lanes apart", () => {
  const names = { instance: 'a"|b', session: "c\u0000,d", runtime: "" };
  assert.deepEqual(laneNames(laneOf(names)), names);
  assert.notEqual(laneOf({ instance: "a", session: "bc" }), laneOf({ instance: "ab", session: "c" }));
});

test("a lane shows what reaches into the view, however early it began", () => {
  const actions = actionsOf([
    event(1, -90, "started", { session: "ended before" }),
    event(2, -80, "complete", { of: [1] }),
    event(3, -90, "started", { session: "reaches in" }),
    event(4, 5, "complete", { of: [3] }),
    event(5, -90, "started", { session: "still runs", stands: "still running" }),
    event(6, 70, "started", { session: "began after" }),
  ]);
  const lanes = lanesOf(actions, new Map(), HOUR, LATER);
  assert.deepEqual(lanes.map((lane) => lane.session).sort(), ["reaches in", "still runs"]);
});

test("a running call is in a view that it only reaches into, one that ended before is not", () => {
  const running = only(actionsOf([event(1, -90, "started", { stands: "still running" })]));
  assert.ok(isWithin(running, HOUR, LATER));
  const ended = only(actionsOf([event(1, -90, "started"), event(2, -80, "complete", { of: [1] })]));
  assert.ok(!isWithin(ended, HOUR, LATER));
});

test("calls that would cover each other lie in rows, and no more rows than fit", () => {
  const near = actionsOf([0, 0.1, 0.2, 0.3, 0.4, 0.5].map((minute, seq) => event(seq, minute, "started")));
  const placed = place(near, HOUR, 600, LATER);
  assert.deepEqual(
    placed.map((mark) => mark.row),
    [0, 1, 2, 3, MAX_ROWS - 1, MAX_ROWS - 1],
  );
  const far = place(actionsOf([event(1, 0, "started"), event(2, 30, "started")]), HOUR, 600, LATER);
  assert.deepEqual(
    far.map((mark) => [mark.row, mark.width]),
    [
      [0, MARK_WIDTH],
      [0, MARK_WIDTH],
    ],
  );
});

test("a running call grows until now", () => {
  const running = actionsOf([event(1, 0, "started", { stands: "still running" })]);
  assert.equal(only(running).outcome, "running");
  assert.equal(place(running, HOUR, 600, NOON + 1_800_000)[0]?.width, 300 + MARK_WIDTH);
});

function lane(id: string, last: number): Lane {
  return { id, instance: id, session: "", runtime: "", actions: [], last };
}

test("known lanes keep their places; what is newer than all comes on top, the rest below", () => {
  assert.deepEqual(laneOrder([], [lane("old", 1), lane("new", 9), lane("mid", 5)]), ["new", "mid", "old"]);
  assert.deepEqual(laneOrder(["b", "a"], [lane("a", 20), lane("b", 10), lane("older", 5), lane("newest", 30)]), [
    "newest",
    "b",
    "a",
    "older",
  ]);
});

test("arrow keys lead along a lane, and to the nearest mark of the next that has one", () => {
  const one = actionsOf([event(1, 0, "started"), event(2, 30, "started")]);
  const two = actionsOf([event(3, 5, "started"), event(4, 28, "started")]);
  const rows = [one, [], two];
  const at = (seq: number) => only([...one, ...two].filter((action) => action.seq === seq));
  assert.equal(neighbour(rows, at(1), "ArrowRight")?.seq, 2);
  assert.equal(neighbour(rows, at(2), "ArrowRight"), undefined);
  assert.equal(neighbour(rows, at(2), "ArrowDown")?.seq, 4);
  assert.equal(neighbour(rows, at(3), "ArrowUp")?.seq, 1);
  assert.equal(neighbour(rows, at(4), "Home")?.seq, 3);
  assert.equal(neighbour(rows, at(1), "ArrowUp"), undefined);
});

test("curves lead from what was shown to whom it was shown, and never backwards in time", () => {
  const actions = actionsOf([
    event(1, 0, "started", { session: "holder" }),
    event(2, 20, "blocked", { session: "other", shown: [1, 77] }),
    event(3, 40, "complete", { of: [1] }),
  ]);
  const boxes = boxesOf(lanesOf(actions, new Map(), HOUR, LATER), HOUR, 600, LATER, false);
  const curves = curvesOf(boxes, false);
  assert.equal(curves.length, 1);
  assert.ok((curves[0]?.from.x ?? 0) <= (curves[0]?.to.x ?? 0));
  assert.equal(curves[0]?.shown.seq, 1);
});

test("marks give way to counts when there are more than can be told apart", () => {
  assert.equal(isTooMany(199, 1, 300), false);
  assert.equal(isTooMany(201, 1, 300), true);
  assert.equal(isTooMany(1_900, 20, 1_200), false);
  assert.equal(isTooMany(2_001, 50, 2_000), true);
});
