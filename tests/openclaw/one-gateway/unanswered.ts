// A question that nobody answers. The host waits two minutes for that, so the question is put as soon as this file is loaded, and the tests of
// other files pass the time.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Person } from "../harness/person.ts";
import { sessionKey, type Turn, until } from "../harness/world.ts";
import { world } from "./shared.ts";

// By another tool than what the other files count calls of.
const write = (content: string) => ({ name: "write", args: { path: "minutes.md", content } });

async function ask(): Promise<Turn> {
  const person = await Person.at(world);
  try {
    await world.play("waiting-a", write("first"));
    const turn = world.begin("waiting-b", [write("second")], { byPerson: true, timeoutMs: 200_000 });
    await person.isAsked("waiting-b");
    return turn;
  } finally {
    person.leaves();
  }
}
const asked = ask();
// The test says what went wrong.
asked.catch(() => {});

test("a call that is left to a person who does not answer within two minutes is refused, and never ran", async () => {
  const turn = await asked;
  const [told] = await turn.results();
  assert.match(told ?? "", /Approval timed out/);
  assert.equal(readFileSync(join(world.gateway.workspace, "minutes.md"), "utf8"), "first");
  const rows = await until("the outcome", async () => {
    const all = await world.journal({ session: sessionKey("waiting-b") });
    return all.length === 2 && all;
  });
  assert.deepEqual(
    rows.map(({ action, onConflict, reason }) => [action, onConflict ?? reason]),
    [
      ["intercept", "ask"],
      ["refused", "it was left to a person, and nobody allowed it"],
    ],
  );
  assert.ok(!(await world.status()).locks.some((lock) => lock.session === sessionKey("waiting-b")));
});
