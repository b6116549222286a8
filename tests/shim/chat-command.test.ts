import assert from "node:assert/strict";
import { test } from "node:test";
import { chatCommand } from "../../plugin/src/chat/chat-command.ts";
import { bench, NOT_LOADED } from "./fakes.ts";

const HEALTHY = { instanceId: "studio", mode: "enforce", ruleCount: 3, rules: { source: "built in" }, waiting: { lost: 0 } };
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
  for (const args of [undefined, "", "  ", "status", " status "]) assert.equal((await chatCommand(owner, args)).text, expected);
  gate.answers.recent = recent("");
  assert.match((await chatCommand(owner, "")).text, /Nothing significant was done recently, and nothing is held\.$/);
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
  const { text } = await chatCommand(owner, "status");
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
  assert.equal((await chatCommand(owner, "why  email:a b ")).text, "```\nthe story\n```");
  assert.deepEqual(gate.calls.at(-1), { method: "why", args: ['{"key":"email:a b"}'] });
});

test("of a long story the first line and the end are told", async () => {
  const { gate, owner } = healthy();
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
  gate.answers.why = JSON.stringify({ text: ["the title", ...lines].join("\n") });
  const { text } = await chatCommand(owner, "why k");
  assert.ok(text.length < 1_600, String(text.length));
  assert.match(text, /^```\nthe title\n…\nline \d+\n/);
  assert.match(text, /line 499\n```$/);
});

test("anything else gets the usage, and asks nobody", async () => {
  const { gate, owner } = healthy();
  for (const args of ["why", "status now", "release email:a", "help"]) {
    assert.match((await chatCommand(owner, args)).text, /^Use `\/callosum`/);
  }
  assert.deepEqual(gate.calls, []);
});

test("what comes from calls can't leave its block or fill the chat", async () => {
  const { gate, owner } = healthy();
  gate.answers.recent = recent(`  - \`\`\`@everyone ${"long ".repeat(10)}\n`.repeat(200));
  const { text } = await chatCommand(owner, "");
  assert.equal(text.match(/```/g)?.length, 2);
  assert.ok(text.length < 1_700, String(text.length));
  assert.match(text, /\n…\n```$/);
});

test("when nothing can be asked, it says why", async () => {
  const { owner } = bench({ loaded: NOT_LOADED });
  assert.equal((await chatCommand(owner, "")).text, "Callosum can't be asked: no such file.");
  assert.equal((await chatCommand(owner, "why k")).text, "Callosum can't answer: no such file.");
  const { gate, owner: other } = healthy();
  gate.answers.recent = '{"error":{"code":"busy","message":"the journal is busy"}}';
  assert.match((await chatCommand(other, "")).text, /can't be shown: the journal is busy\.$/);
});
