import assert from "node:assert/strict";
import { test } from "node:test";
import { chatCommand, type Speaker } from "../../plugin/src/chat/chat-command.ts";
import type { GateOwner } from "../../plugin/src/gate-owner.ts";
import { SharedContext } from "../../plugin/src/shared-context/shared-context.ts";
import { Team } from "../../plugin/src/team/team.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

const HEALTHY = { instanceId: "studio", mode: "enforce", ruleCount: 3, rules: { source: "built in" }, waiting: { lost: 0 } };
const said = (owner: GateOwner, args: string | undefined, speaker?: Speaker) =>
  chatCommand(owner, new SharedContext(owner, false, { on: false }), new Team(owner, { tools: [] }), args, speaker);
const recent = (text: string) => JSON.stringify({ leases: [], actions: [], text });

function healthy() {
  const world = bench();
  world.gate.answers.status = JSON.stringify(HEALTHY);
  world.gate.answers.recent = recent("  - 2m ago by studio: exec, complete (email:a)\n");
  return world;
}

test("without words it tells the status: the mode and what was done lately", async () => {
  const { gate, owner } = healthy();
  const expected = "Callosum on studio: mode enforce, 3 rules.\n```\n  - 2m ago by studio: exec, complete (email:a)\n```";
  for (const args of [undefined, "", "  ", "status", " status "]) assert.equal((await said(owner, args)).text, expected);
  gate.answers.recent = recent("");
  assert.match((await said(owner, "")).text, /Nothing significant was done recently, and nothing is held\.$/);
});

test("everything that is wrong stands before what was done", async () => {
  const { gate, owner } = healthy();
  gate.answers.status = JSON.stringify({
    ...HEALTHY,
    degraded: { cause: "the disk is full", remedy: "Make room." },
    rules: { error: "tiers.json:3:4: unknown field" },
    settingErrors: ["`colour` is not a setting; it is ignored"],
    waiting: { lost: 2 },
  });
  // Folded lines as they were.
  const text = (await said(owner, "status")).text.replaceAll(/\n {2}(?=\S)/g, " ");
  const order = [
    "Wrong:",
    "the disk is full. Make room.",
    "tiers.json:3:4",
    "`colour`".replaceAll("`", "'"),
    "2 records",
    "2m ago",
  ];
  const places = order.map((part) => text.indexOf(part));
  assert.ok(
    places.every((place, index) => place > (places[index - 1] ?? 0)),
    text,
  );
});

test("why tells the story of a key, which may hold blanks", async () => {
  const { gate, owner } = healthy();
  gate.answers.why = '{"key":"k","events":[],"text":"the story\\n"}';
  assert.equal((await said(owner, "why  email:a b ")).text, "```\nthe story\n```");
  assert.deepEqual(gate.calls.at(-1), { method: "why", args: ['{"key":"email:a b"}'] });
});

test("of a long story the first line and the end are told", async () => {
  const { gate, owner } = healthy();
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
  gate.answers.why = JSON.stringify({ text: ["the title", ...lines].join("\n") });
  const { text } = await said(owner, "why k");
  assert.ok(text.length < 1_600, String(text.length));
  assert.match(text, /^```\nthe title\n…\nline \d+\n/);
  assert.match(text, /line 499\n```$/);
});

test("a story's times are those of the clock here, and parameters stay as they are", async () => {
  const { gate, owner } = healthy();
  const [today, longAgo] = [new Date().toISOString(), "2001-02-03T04:05:06.789Z"];
  const clock = (at: string) => new Date(at).toLocaleTimeString("sv-SE");
  const day = new Date(longAgo).toLocaleDateString("sv-SE");
  const story = `k\n\n1. ${longAgo}  s did\n   with {"at":"${longAgo}"}\n   ${today}  ended\n\nIt is held now:\n  by g, until ${today} at the latest\n`;
  gate.answers.why = JSON.stringify({ text: story });
  const { text } = await said(owner, "why k");
  assert.ok(text.includes(`\n1. ${day} ${clock(longAgo)}  s did\n   with {"at":"${longAgo}"}\n`), text);
  // A test that runs over midnight sees yesterday's date.
  assert.match(text, new RegExp(`\n {3}([-0-9]+ )?${clock(today)}  ended\n`));
  assert.match(text, new RegExp(`\n  by g, until ([-0-9]+ )?${clock(today)} at the latest`));
});

test("lines are folded to a phone's width, and keys stay whole", async () => {
  const { gate, owner } = healthy();
  const key = `git-push:${"x".repeat(60)}`;
  gate.answers.why = JSON.stringify({ text: `${key}: two calls\n   ${"word ".repeat(30).trim()}\n` });
  const { text } = await said(owner, "why k");
  assert.ok(text.includes(`${key}:\n  two calls`), text);
  const words = text.split("\n").filter((line) => line.includes("word"));
  assert.ok(words.length > 2 && words.every((line) => line.length <= 50 && line.startsWith("   ")), text);
  assert.equal(words.join(" ").match(/word/g)?.length, 30);
});

test("anything else gets the usage, and asks nobody", async () => {
  const { gate, owner } = healthy();
  for (const args of ["why", "status now", "release email:a", "help"]) {
    assert.match((await said(owner, args)).text, /^Use `\/callosum`/);
  }
  assert.deepEqual(gate.calls, []);
});

test("what comes from calls can't leave its block or fill the chat", async () => {
  const { gate, owner } = healthy();
  gate.answers.recent = recent(`  - \`\`\`@everyone ${"long ".repeat(10)}\n`.repeat(200));
  const { text } = await said(owner, "");
  assert.equal(text.match(/```/g)?.length, 2);
  assert.ok(text.length < 1_700, String(text.length));
  assert.match(text, /\n…\n```$/);
});

test("when nothing can be asked, it says why", async () => {
  const { owner } = bench({ loaded: NOT_LOADED });
  assert.equal((await said(owner, "")).text, "Callosum can't be asked: no such file.");
  assert.equal((await said(owner, "why k")).text, "Callosum can't answer: no such file.");
  const { gate, owner: other } = healthy();
  gate.answers.recent = '{"error":{"code":"busy","message":"the journal is busy"}}';
  assert.match((await said(other, "")).text, /can't be shown: the journal is busy\.$/);
});

const OWNER = { senderIsOwner: true };

test("the owner sees what is proposed, and decides; what prompts say is looked up anew", async () => {
  const { gate, owner } = bench();
  const open = [{ id: "7eda59735f83", agent: "bob", text: "Ship ``` it" }];
  gate.contexts = [
    JSON.stringify({ proposals: open }),
    JSON.stringify({ id: "7eda59735f83", agent: "bob", text: "Ship it", verdict: "accepted" }),
    '{"on":true,"text":"T"}',
  ];
  assert.equal((await said(owner, "accept", OWNER)).text, "```\n7eda59735f83 bob: Ship ''' it\n```");
  assert.equal((await said(owner, "accept 7eda59735f83", OWNER)).text, "Accepted:\n```\nbob: Ship it\n```");
  assert.deepEqual(
    gate.calls.map(({ args }) => JSON.parse(String(args[0])).do),
    ["proposals", "decide", "prompt"],
  );
  assert.deepEqual(JSON.parse(String(gate.calls[1]?.args[0])), { do: "decide", id: "7eda59735f83", accept: true });
});

test("nobody else decides, nor somebody who was the owner until just now", async () => {
  const { gate, owner } = bench();
  const gone = () => {
    throw new Error("no longer the owner");
  };
  for (const speaker of [undefined, {}, { senderIsOwner: false }])
    assert.equal((await said(owner, "accept 7eda59735f83", speaker)).text, "Only the owner decides about proposals and tasks.");
  const late = await said(owner, "reject 7eda59735f83", { senderIsOwner: true, assertOwnerCurrent: gone });
  assert.equal(late.text, "Nothing was decided: no longer the owner");
  assert.deepEqual(gate.calls, []);
});

test("why nothing was decided is told with what to do about it", async () => {
  const { gate, owner } = bench();
  gate.contexts = ['{"error":{"code":"unknown","message":"`x` is no id","remedy":"look"}}'];
  assert.equal((await said(owner, "accept x", OWNER)).text, "Nothing was decided: `x` is no id; look.");
  assert.match((await said(owner, "accept x y", OWNER)).text, /^Use /);
});

test("tasks are listed without a mark that takes effect, and accepted by the owner alone", async () => {
  const { gate, owner } = healthy();
  const task = { id: "3f2a", state: "open", accepted: false, to: "gemini", title: "look `here`\nand there" };
  gate.teams = [JSON.stringify({ tasks: [task], next: null })];
  const listed = "```\n3f2a open, not accepted for gemini: look 'here'\n  and there\n```";
  assert.equal((await said(owner, "tasks")).text, listed);
  assert.deepEqual(JSON.parse(String(gate.calls.at(-1)?.args[0])), {
    do: "ask",
    surface: "chat",
    verb: "tasks",
    params: { limit: 20 },
  });
  const asked = gate.calls.length;
  assert.equal((await said(owner, "accept 3f2a")).text, "Only the owner decides about proposals and tasks.");
  assert.equal(gate.calls.length, asked);
  gate.contexts = ['{"error":{"code":"unknown","message":"there is no proposal `3f2a`"}}'];
  gate.teams = [JSON.stringify({ task: { ...task, accepted: true } })];
  const accepted = await said(owner, "accept 3f2a", { senderIsOwner: true });
  assert.equal(accepted.text, "Accepted:\n```\n3f2a open for gemini: look 'here' and there\n```");
  assert.match(String(gate.calls.at(-1)?.args[0]), /"verb":"accept","params":\{"id":"3f2a"\}/);
  gate.teams = ['{"error":{"code":"unknown","message":"there is no task `3f2a`","remedy":"see `callosum task list`"}}'];
  const unknown = await said(owner, "reject 3f2a", { senderIsOwner: true });
  assert.match(unknown.text, /^Nothing was decided: there is no task/);
  gate.teams = ['{"tasks":[],"next":null}'];
  assert.equal((await said(owner, "tasks")).text, "No task is open.");
});
