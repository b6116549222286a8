import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsOf, stopped, stopsOf } from "../../../plugin/page/src/model/actions.ts";
import { event, NOON } from "./events.ts";

const KEY = "email:alice@example.com";
const OTHER = { session: "agent:main:other", contextKeys: [KEY] };

test("an outcome belongs to its start, and a reading to its pause", () => {
  const [start, pause] = actionsOf([
    event(1, 0, "started", { contextKeys: [KEY] }),
    event(2, 1, "complete", { of: [1], exitCode: 0 }),
    event(3, 5, "paused", { ...OTHER, shown: [1] }),
    event(4, 6, "read", { of: [3] }),
  ]);
  assert.equal(start?.outcome, "complete");
  assert.equal(start?.end, NOON + 60_000);
  assert.equal(start?.ending?.exitCode, 0);
  assert.equal(pause?.outcome, "paused");
  assert.equal(pause?.readAt, NOON + 6 * 60_000);
});

test("a lease without a call is held, then over: nothing was refused", () => {
  const [given, held, lapsed] = actionsOf([
    event(1, 0, "leased", { stands: "held" }),
    event(2, 1, "refused", { of: [1], reason: "given back" }),
    event(3, 2, "leased", { stands: "held" }),
    event(4, 3, "leased", { stands: "the lease is over" }),
  ]);
  assert.deepEqual([given?.outcome, held?.outcome, lapsed?.outcome], ["complete", "running", "complete"]);
});

test("what is about a call that is not loaded makes none", () => {
  const events = [
    event(5, 0, "complete", { of: [1] }),
    event(6, 0, "read", { of: [2] }),
    event(7, 0, "running", { of: [1] }),
    event(8, 0, "released", { of: [1] }),
  ];
  assert.deepEqual(actionsOf(events), []);
});

test("an outcome whose start is not loaded stands for its call, until that is", () => {
  const outcome = event(5, 3, "failed", { of: [1], exitCode: 2 });
  const [alone] = actionsOf([outcome, event(6, 4, "read", { of: [2] })], true);
  assert.deepEqual([alone?.seq, alone?.outcome, alone?.loose, alone?.end], [5, "failed", true, alone?.start]);
  const whole = actionsOf([event(1, 0, "started"), outcome], true);
  assert.deepEqual(
    whole.map((call) => [call.seq, call.outcome, call.loose]),
    [[1, "failed", false]],
  );
});

test("how an open call stands is told by the core's words, or else not at all", () => {
  const outcome = (stands: string | null | undefined) =>
    actionsOf([event(1, 0, "started", stands === undefined ? {} : { stands })])[0]?.outcome;
  assert.equal(outcome("still running"), "running");
  assert.equal(outcome("still running in the background"), "running");
  assert.equal(outcome("no outcome came, so it is unknown, verify first"), "unknown");
  assert.equal(outcome(null), "begun");
  assert.equal(outcome(undefined), "begun");
});

test("a call in the background runs until its outcome", () => {
  const events = [event(1, 0, "started"), event(2, 1, "running", { of: [1] })];
  assert.equal(actionsOf(events)[0]?.outcome, "running");
  const [ended] = actionsOf([...events, event(3, 9, "failed", { of: [1], exitCode: 2 })]);
  assert.equal(ended?.outcome, "failed");
  assert.equal(ended?.background, true);
});

test("an outcome before its start, by a clock put back, has no negative length", () => {
  const [call] = actionsOf([event(1, 5, "started"), event(2, 3, "complete", { of: [1] })]);
  assert.equal(call?.end, call?.start);
});

test("one event about several calls reaches each", () => {
  const calls = actionsOf([event(1, 0, "started"), event(2, 0, "started"), event(3, 1, "released", { of: [1, 2] })]);
  assert.deepEqual(
    calls.map((call) => call.releasedAt),
    [NOON + 60_000, NOON + 60_000],
  );
});

test("a stop names what it was shown and the retry that followed", () => {
  const actions = actionsOf([
    event(1, 0, "started", { contextKeys: [KEY] }),
    event(2, 5, "paused", { ...OTHER, shown: [1] }),
    event(3, 6, "started", { session: "agent:main:other", contextKeys: ["email:bob@example.com"] }),
    event(6, 6, "started", { session: "agent:main:fourth", contextKeys: [KEY] }),
    event(4, 7, "retried", { ...OTHER, shown: [1] }),
    event(5, 8, "blocked", { session: "agent:main:third", contextKeys: [KEY], shown: [1, 99] }),
  ]);
  const [blocked, paused] = stopsOf(actions, 10);
  assert.equal(paused?.shown[0]?.seq, 1);
  assert.equal(paused?.retry?.seq, 4);
  assert.equal(blocked?.action.seq, 5);
  assert.deepEqual(
    blocked?.shown.map((action) => action.seq),
    [1],
  );
  assert.equal(blocked?.retry, undefined);
  assert.equal(stopsOf(actions, 1).length, 1);
});

test("what was only observed is listed, and not counted as stopped", () => {
  const stops = stopsOf(
    actionsOf([
      event(1, 0, "started", { contextKeys: [KEY] }),
      event(2, 5, "observed", { ...OTHER, shown: [1] }),
      event(3, 6, "paused", { ...OTHER, shown: [1] }),
      event(4, 7, "blocked", { ...OTHER, shown: [1] }),
    ]),
    10,
  );
  assert.deepEqual(
    stops.map((stop) => stop.action.seq),
    [4, 3, 2],
  );
  assert.equal(stopped(stops), 2);
});
