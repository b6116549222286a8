// What a rule leaves to a person, in the host's own dialog: they read the facts, and what they answer is what becomes of the call. That nobody
// answers takes the host two minutes: unanswered.ts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { send } from "../harness/mail.ts";
import { Person } from "../harness/person.ts";
import { exec, type Row, sessionKey, until } from "../harness/world.ts";
import { world } from "./shared.ts";

const mail = (name: string) => exec(send(`${name}@example.com`));
const sent = (name: string) => world.mail.sent(`${name}@example.com`).length;
const isHeld = async (name: string) =>
  (await world.status()).locks.some((lock) => lock.contextKey === `email:${name}@example.com`);
const NOT_ALLOWED = "it was left to a person, and nobody allowed it";

/** What the journal says of a session's calls, once it has so many rows: the host does not wait for the after-hook. */
async function story(session: string, rows: number): Promise<Row[]> {
  return await until(`${rows} rows of ${session}`, async () => {
    const all = await world.journal({ session: sessionKey(session) });
    const told = all.filter((row) => row.action !== "delivered");
    return told.length >= rows && told;
  });
}
const actions = (rows: Row[]) => rows.map((row) => row.action);

describe("a call that is left to a person", () => {
  let person: Person;
  before(async () => {
    person = await Person.at(world);
  });
  after(() => person.leaves());

  test("waits until they have read the facts; allowed, it runs once, and the next one, which they deny, does not", async () => {
    await world.play("asked-ann-a", mail("ann"));
    const turn = world.begin("asked-ann-b", [mail("ann"), mail("ann")], { byPerson: true });
    const question = await person.isAsked("asked-ann-b");
    const { pluginId, toolName, title, description, allowedDecisions } = question.request;
    assert.deepEqual([pluginId, toolName, title], ["callosum", "exec", "Callosum: run exec all the same?"]);
    assert.deepEqual(allowedDecisions, ["allow-once", "deny"]);
    assert.match(
      description,
      /^\[Callosum\] "email:ann@example\.com" was already acted on \d+\w ago\.\n {2}- \d+\w ago by \S+ \(openclaw session agent:main:asked-ann-a\): exec, complete; parameters identical$/,
    );
    assert.equal(question.expiresAtMs - question.createdAtMs, 120_000);
    assert.equal(sent("ann"), 1);
    assert.ok(await isHeld("ann"));

    await person.answers(question, "allow-once");
    const again = await person.isAsked("asked-ann-b");
    assert.notEqual(again.id, question.id);
    assert.match(again.request.description, /session agent:main:asked-ann-b/);
    assert.equal(sent("ann"), 2);
    await person.answers(again, "deny");
    const told = await turn.results();
    assert.match(told[0] ?? "", /Message sent/);
    assert.match(told[1] ?? "", /did not run/);
    assert.equal(sent("ann"), 2);

    const rows = await story("asked-ann-b", 4);
    assert.deepEqual(actions(rows), ["intercept", "complete", "intercept", "refused"]);
    for (const row of [rows[0], rows[2]]) assert.deepEqual([row?.conflict, row?.onConflict], ["recent", "ask"]);
    assert.equal(rows[3]?.reason, NOT_ALLOWED);
    assert.ok(!(await isHeld("ann")));
  });

  test("never ran if its run is aborted while they think it over", async () => {
    await world.play("asked-ben-a", mail("ben"));
    const turn = world.begin("asked-ben-b", [mail("ben")], { byPerson: true });
    await person.isAsked("asked-ben-b");
    await world.gateway.rpc("chat.abort", { sessionKey: turn.session });
    await turn.ended;
    assert.deepEqual(actions(await story("asked-ben-b", 2)), ["intercept", "refused"]);
    assert.equal(sent("ben"), 1);
    assert.ok(!(await isHeld("ben")));
  });

  test("is refused where the host finds nobody to ask; the session's next one is paused instead, and its retry passes", async () => {
    await world.play("asked-cid-a", mail("cid"));
    const told = await world.play("asked-cid-b", mail("cid"), mail("cid"), mail("cid"));
    assert.match(told[0] ?? "", /Plugin approval unavailable/);
    assert.match(told[1] ?? "", /^\[Callosum\] .*was already acted on[\s\S]*retry\. Otherwise, skip it\.$/);
    assert.match(told[2] ?? "", /Message sent/);
    assert.equal(sent("cid"), 2);
    const rows = await story("asked-cid-b", 5);
    assert.deepEqual(actions(rows), ["intercept", "refused", "blocked", "intercept", "complete"]);
    assert.equal(rows[1]?.reason, NOT_ALLOWED);
  });
});
