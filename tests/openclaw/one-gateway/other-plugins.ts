// Other plugins have a say too: what they refuse, ask about, break or rewrite leaves no evidence of what did not happen, no lease, and one
// row that says so.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { exec, type Row, sessionKey, until } from "../harness/world.ts";
import { world } from "./shared.ts";

const PAUSED = /^\[Callosum\] /;
const to = (name: string, more = "") => exec(`himalaya message send --to ${name}@example.com ${more}`);
const key = (name: string) => `email:${name}@example.com`;
const sent = (name: string) => world.mail.sent(`${name}@example.com`).length;
const rowsOf = (session: string) => world.journal({ session: sessionKey(session) });
const actions = (rows: Row[]) => rows.map((row) => row.action);

/** The rows of a session once the last one is an ending: the host does not wait for the after-hook. */
async function story(session: string): Promise<Row[]> {
  const ended = (rows: Row[]) => rows.length > 0 && rows.at(-1)?.action !== "intercept" && rows;
  return await until(`the end of ${session}`, async () => ended(await rowsOf(session)));
}
async function assertNoLease(name: string): Promise<void> {
  assert.ok(!(await world.status()).locks.some((lock) => lock.contextKey === key(name)));
}

describe("a call that another plugin stops", () => {
  const cases: Array<[string, string, RegExp, string[]]> = [
    ["refused before us", "refuse-before", /the neighbour before refuses/, ["refused"]],
    ["refused after us", "refuse-after", /the neighbour after refuses/, ["intercept", "refused"]],
    ["with an approval that nobody can give, asked for before us", "ask-before", /approval/i, ["intercept", "refused"]],
    ["with an approval that nobody can give, asked for after us", "ask-after", /approval/i, ["intercept", "refused"]],
    ["whose hook breaks before us", "throw-before", /hook failed/, ["refused"]],
    ["whose hook breaks after us", "throw-after", /hook failed/, ["intercept", "refused"]],
  ];
  for (const [what, how, told, expected] of cases) {
    test(`${what}: refused, no lease, and the next one passes`, async () => {
      const name = how.replace("-", ".");
      assert.match((await world.play(`${name}-a`, to(name, how)))[0] ?? "", told);
      assert.equal(sent(name), 0);
      assert.deepEqual(actions(await story(`${name}-a`)), expected);
      await assertNoLease(name);
      const [next] = await world.play(`${name}-b`, to(name));
      assert.doesNotMatch(next ?? "", PAUSED);
      assert.equal(sent(name), 1);
    });
  }

  test("which we refuse ourselves: it is never asked", async () => {
    await world.play("ours-a", to("ours"));
    const [told] = await world.play("ours-b", to("ours", "ask-after"));
    assert.match(told ?? "", PAUSED);
    assert.deepEqual(
      actions(await story("ours-b")).filter((action) => action !== "delivered"),
      ["blocked"],
    );
  });
});

describe("a call that another plugin rewrites", () => {
  for (const when of ["before", "after"]) {
    test(`${when} us: we are shown what was asked, the journal then tells what ran`, async () => {
      const [asked, ran] = [`asked-${when}`, `ran-${when}`];
      await world.play(`${when}-a`, to(asked, `rewrite-${when}:${asked}=${ran}`));
      assert.equal(sent(asked), 0);
      assert.equal(sent(ran), 1);

      const rows = await story(`${when}-a`);
      assert.deepEqual(actions(rows), ["intercept", "complete"]);
      assert.deepEqual(rows[0]?.contextKeys, [key(asked)]);
      assert.deepEqual(rows[1]?.contextKeys, [key(ran)]);
      assert.match(String(rows[1]?.reason), /parameters were rewritten/);
      await assertNoLease(asked);
      await assertNoLease(ran);

      // Nobody wrote to the one who was asked for; somebody did to the other.
      assert.doesNotMatch((await world.play(`${when}-b`, to(asked)))[0] ?? "", PAUSED);
      const [told] = await world.play(`${when}-c`, to(ran));
      assert.match(told ?? "", PAUSED);
      assert.ok(told?.includes(sessionKey(`${when}-a`)), told);
      assert.deepEqual([sent(asked), sent(ran)], [1, 1]);
    });
  }

  test("into something no rule knows: the resource stays, the outcome is open", async () => {
    await world.play("wrap-a", to("wrap", "rewrite-after:himalaya=echo"));
    const rows = await story("wrap-a");
    assert.deepEqual(actions(rows), ["intercept", "unknown"]);
    assert.match(String(rows[1]?.reason), /no rule knows/);
    const [told] = await world.play("wrap-b", to("wrap"));
    assert.match(told ?? "", PAUSED);
    assert.match(told ?? "", /unknown/);
  });

  test("to the same recipient: an ordinary call", async () => {
    await world.play("same-a", to("same", "--body hello rewrite-before:hello=goodbye"));
    const rows = await story("same-a");
    assert.deepEqual(actions(rows), ["intercept", "complete"]);
    assert.equal(rows[1]?.reason, undefined);
    assert.match(world.mail.sent("same@example.com")[0] ?? "", /goodbye/);
  });
});
