import assert from "node:assert/strict";
import { test } from "node:test";
import { tellsReading } from "../../../plugin/page/src/model/coverage.ts";
import { wrongOf } from "../../../plugin/page/src/model/problems.ts";
import { report } from "../../../plugin/page/src/model/report.ts";
import { find } from "../../../plugin/page/src/model/search.ts";
import {
  activityOf,
  grouped,
  groupOf,
  type Message,
  nameOf,
  needsPerson,
  receiptSays,
  type Session,
  type SharedContext,
  type Task,
  type TaskState,
  type Team,
  taskStands,
  waitingOf,
} from "../../../plugin/page/src/model/together.ts";

const WHO = { instance: "i", runtime: "codex", agent: "", session: "s", via: "host" };

function task(state: TaskState, accepted: boolean, via = "host"): Task {
  return {
    ...{ id: `${state}-${accepted}`, title: `a ${state} task`, prompt: "", category: null, files: [], deps: ["a"], to: null },
    ...{ by: { ...WHO, via }, priority: 1, outputFile: null, outputExists: null, state, why: null, attempt: 0, holder: null },
    ...{ accepted, createdAt: "", updatedAt: "", result: null, late: false },
  };
}

function message(instance: string, state: "sent" | "shown"): Message {
  const receipts = [{ instance, session: "", state, at: null }];
  return {
    ...{ id: `${instance}-${state}`, thread: "", from: WHO, to: instance, role: null, intent: "inform", urgent: false },
    ...{ body: `mail for ${instance}`, at: "", expiresAt: "", receipts },
  };
}

const TEAM: Team = {
  on: true,
  tasks: [
    ...[task("open", false), task("open", true), task("claimed", false), task("completed", false), task("lost", false)],
    ...[task("input-required", true), task("input-required", true, "operator")],
  ],
  messages: [message("operator", "sent"), message("operator", "shown"), message("i", "sent")],
  ...{ moreTasks: 0, moreMessages: 0, unread: 2, sessions: null, events: null },
};

const CONTEXT: SharedContext = {
  ...{ on: true, dir: "/shared", mode: "enforce", priorities: [], moreProposals: 0, roundtable: null, signals: null },
  proposals: [{ id: "p1", agent: "eve", at: "", text: "Ship it", path: "priorities.inbox.md" }],
  pending: [{ path: "priorities.md", isInbox: false, version: "ab", added: [], gone: [], more: 0 }],
  tampered: [],
};

test("what waits for a person is what agents ask for, and nothing that somebody is at", () => {
  assert.deepEqual(
    TEAM.tasks.filter(needsPerson).map(({ id, by }) => `${id} ${by.via}`),
    ["open-false host", "lost-false host", "input-required-true operator"],
  );
  assert.deepEqual(
    waitingOf(TEAM, CONTEXT).map(({ tab, id }) => `${tab} ${id}`),
    [...["tasks open-false", "tasks lost-false", "tasks input-required-true", "messages operator-sent", "context p1"]],
  );
  assert.deepEqual(waitingOf(undefined, undefined), []);
});

test("how a task stands and what became of a message is said in words, and no more than is known", () => {
  assert.equal(taskStands(task("open", false)), "waits to be accepted");
  assert.equal(taskStands(task("blocked", true)), "waits for another task");
  const says = (state: "sent" | "shown" | "acknowledged" | "expired") =>
    receiptSays({ instance: "i", session: "s", state, at: null });
  assert.deepEqual(
    [says("sent"), says("shown"), says("acknowledged"), says("expired")],
    ["has not been shown it yet", "was shown it", "acknowledged it", "was not shown it in time"],
  );
  // Hooks hand a text over and hear nothing of it: there is nothing to be said of its being read.
  assert.deepEqual(["openclaw", "codex", "claude-code", "gemini", undefined].map(tellsReading), [
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("sessions are put together by what is known of them", () => {
  const session = (name: string, more: Partial<Session>): Session => {
    return { instance: "home", session: name, lastAt: "2026-11-24T10:00:00Z", calls: 0, paused: 0, holds: [], ...more };
  };
  const all = [session("a", { runtime: "codex", project: "/r" }), session("b", {}), session("c", { runtime: "codex" })];
  const by = (group: "runtime" | "project" | "instance" | "") =>
    grouped(all, (one) => groupOf(one, group)).map(([name, of]) => `${name}: ${of.map((one) => one.session).join("")}`);
  assert.deepEqual(by("runtime"), ["codex: ac", "unknown runtime: b"]);
  assert.deepEqual(by("project"), ["/r: a", "no project known: bc"]);
  assert.deepEqual(by("instance"), ["home: abc"]);
  assert.deepEqual(by(""), [": abc"]);
  const how = [{ over: "ended" as const, activity: "working" }, { activity: "waiting" }, {}].map((more) => session("x", more));
  assert.deepEqual(
    how.map((one) => activityOf(one)),
    ["ended", "waiting", "unknown"],
  );
});

test("what is wrong is told in a line each, and nothing where all is well", () => {
  assert.deepEqual(wrongOf({ version: "1" }, undefined), []);
  const uncovered = { runtime: "codex", kind: "tool", name: "x__send", calls: 1, verb: "send", last: "" } as const;
  const counts = { before: 20, after: 2, paused: 0, covered: true, first: "", last: "" };
  const told = wrongOf(
    {
      version: "1",
      degraded: { code: "c", cause: "no disk", remedy: "r" },
      rules: { source: "tiers.json", loadedAt: "", error: "broken" },
      webhooks: [
        { name: "ops", target: "t", state: "parked", behind: 0 },
        { name: "calm", target: "t", state: "ok", behind: 0 },
      ],
      coverage: { codex: { exec: counts } },
      uncovered: [uncovered],
    },
    CONTEXT,
  );
  assert.deepEqual(
    told.map(({ text, tab }) => `${text} (${tab ?? "above"})`),
    [
      "The shared state can't be used (above)",
      "The rules file can't be used (rules)",
      "priorities.md was changed by something else (context)",
      "Webhook ops was given up (above)",
      "Codex: far fewer calls ended than started (coverage)",
      "1 tool sounds like an effect, and no rule names it (coverage)",
    ],
  );
});

test("a report's lines keep their proofs, and its markup stays text", () => {
  const text =
    "# Roundtable of 2026-11-24\n\n## Done (journal)\n\n- eve: sent [x] a mail [seq 12] [seq 14]\n- <b>bob</b>: no proof\n\n## Outputs\n\nNothing.\n";
  assert.deepEqual(report(text), [
    {
      title: "Done (journal)",
      lines: [
        { text: "eve: sent [x] a mail", proof: "[seq 12] [seq 14]" },
        { text: "<b>bob</b>: no proof", proof: "" },
      ],
    },
    { title: "Outputs", lines: [] },
  ]);
  assert.equal(report(`## A\n${"- x\n".repeat(1_000)}`)[0]?.lines.length, 400);
  assert.deepEqual(report(""), []);
});

test("a search finds resources and sessions once each, and tasks and messages by their words", () => {
  const record = (seq: number, session: string, contextKeys: string[]) => {
    return { seq, action: "intercept", timestamp: "", session, contextKeys };
  };
  const records = [record(3, "agent:MAIN", ["email:main@x", "git:other"]), record(2, "agent:MAIN", ["email:main@x"])];
  const found = find(" Main ", records, [{ ...task("open", true), title: "merge main" }], [message("i", "sent")]);
  assert.deepEqual([found.keys, found.sessions], [["email:main@x"], ["agent:MAIN"]]);
  assert.equal(found.tasks.length, 1);
  assert.equal(found.messages.length, 0);
});

test("who is called as if they were a person is told by their instance as well", () => {
  const client = { ...WHO, instance: "http/ci", runtime: "http", via: "token" };
  assert.equal(nameOf({ ...client, session: "a person" }), "http/ci/a person");
  assert.equal(nameOf({ ...client, session: "" }), "http/ci");
  assert.equal(nameOf(WHO), "s");
  assert.equal(nameOf({ ...WHO, instance: "operator", session: "", via: "operator" }), "a person");
});
