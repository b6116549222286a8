// Nothing changes for a model until the shared context is switched on: the bodies of its requests are the same, byte for byte, and those of a host
// without the extension but for what that always has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exec } from "../harness/world.ts";
import { world } from "./shared.ts";

/** What differs from turn to turn with any plugin, or with none: ids, moments, how long something took. */
function bare(body: string): string {
  return body
    .replace(/turn-\d+/g, "TURN")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replace(/call_?\d+/g, "CALL")
    .replace(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [^"\\]{0,40}\d\d:\d\d[^"\\\]]{0,12}/g, "MOMENT")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?/g, "MOMENT")
    .replace(/same-[a-z]+-?\d*/g, "SESSION");
}

async function bodies(session: string, calls = [exec("echo hello"), { name: "callosum_recent", args: {} }]): Promise<string[]> {
  const turn = world.begin(`same-${session}`, calls);
  await turn.results();
  return world.model.turn(turn.name).map(({ body }) => bare(body));
}

test("a turn's requests are the same without the setting and with `false`, and others with `true`", async () => {
  const unset = await bodies("unset");
  assert.ok(unset.length >= 2);
  assert.ok(!unset.join().includes("shared_context"), "no tool of it");
  await world.edit({ sharedContextEnabled: false });
  assert.deepEqual(await bodies("off"), unset);
  await world.edit({ sharedContextEnabled: true, sharedContextDir: `${world.dir}/shared` });
  assert.notDeepEqual(await bodies("on"), unset);
});

/** What the extension has besides, shared context or not: the host's catalog names its tool, and its list of skills its skill. Each once. */
const OWN = [
  /\\n- callosum_recent \(callosum\): (?:(?!\\n).)*/g,
  /\\n {2}<skill>\\n {4}<name>callosum<\/name>(?:(?!<\/skill>).)*<\/skill>/g,
];

test("while it is off they are those of a host that does not load the extension, but for its tool and its skill, which that host lists", async () => {
  const calls = [exec("echo hello"), exec("ls")];
  await world.edit({ sharedContextEnabled: false });
  const withIt = await bodies("with", calls);
  await world.enable(false);
  const without = await bodies("without", calls);
  assert.equal(without.length, 3);
  assert.ok(!without.join().includes("callosum_recent"));
  const lacking = withIt.map((body) =>
    OWN.reduce((rest, own) => {
      assert.equal(rest.match(own)?.length, 1, String(own));
      return rest.replace(own, "");
    }, body),
  );
  assert.deepEqual(lacking, without);
});
