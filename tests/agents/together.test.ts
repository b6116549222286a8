// What Codex and Gemini are told of each other: nothing before a person turns that on, and then that both wrote one file.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

/** What Callosum's words about others begin with, and all that they name: commands, tools, counts. */
const OF_OTHERS =
  /\[Callosum\] (Sessions work together|\w+ session \S+ wrote)|callosum (task|inbox|sessions|watch)|callosum_(team|search|send|task_update)|(Tasks|Messages|Discoveries): \d/;

let scene: Scene;
let file: string;
before(async () => {
  scene = await Scene.open();
  file = join(scene.gemini.project, "page.txt");
});
after(() => scene?.close());

const write = (content: string) => ({ name: "write_file", args: { file_path: file, content } });
const patch = () => {
  const input = `*** Begin Patch\n*** Update File: ${file}\n@@\n-one\n+two\n*** End Patch\n`;
  return { name: "apply_patch", args: { input } };
};

/** Gemini writes the file; before it does so again Codex changes it. */
async function edited(hold: string) {
  writeFileSync(file, "none\n");
  const gemini = scene.begin(scene.gemini, write("one\n"), { calls: [write("three\n")], hold });
  await until("Gemini to have written", () => gemini.requests().length === 2, 30_000);
  const codex = scene.begin(scene.codex, patch());
  await codex.results();
  scene.model.release(hold);
  await gemini.results();
  return { codex: codex.requests(), gemini: gemini.requests() };
}

test("sessions that don't work together are told nothing of each other, whatever their hooks are for", async () => {
  const { codex, gemini } = await edited("apart");
  assert.ok(codex.length >= 2 && gemini.length >= 3);
  for (const body of [...codex, ...gemini]) assert.doesNotMatch(body, OF_OTHERS);
  const activities = (await scene.sessions()).map(({ runtime, activity }) => [runtime, activity]);
  assert.deepEqual(activities.sort(), [
    ["codex", "ended"],
    ["gemini", "ended"],
  ]);
  // Both tell how their turns end.
  for (const runtime of ["codex", "gemini"]) {
    const rows = await scene.records("session", runtime);
    assert.deepEqual(
      rows.map(({ event }) => event),
      ["start", "prompt", "idle", "end"],
    );
  }
});

test("two sessions that write one file are both told", async () => {
  await scene.cli("team", "on");
  const { codex, gemini } = await edited("together");
  assert.match(codex.at(-1) ?? "", /\[Callosum\] gemini session \S+ wrote this file \d+ s before this call did/);
  assert.match(gemini.at(-1) ?? "", /Messages: 1 unread \([0-9a-f]{10}\); urgent: 1/);
  // What the message says is read by asking.
  for (const body of gemini) assert.doesNotMatch(body, /which this session wrote less than/);
});
