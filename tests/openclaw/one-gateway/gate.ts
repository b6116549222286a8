// The gate in a real gateway: what reaches the mailbox, what the model is told, what the journal says.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ScriptedCall } from "../harness/fake-model.ts";
import { type SendOptions, send } from "../harness/mail.ts";
import { exec, type Row, sessionKey, until } from "../harness/world.ts";
import { world } from "./shared.ts";

/** A call that mails somebody at example.com. */
function mail(name: string, options: SendOptions = {}, more: Record<string, unknown> = {}): ScriptedCall {
  return exec(send(`${name}@example.com`, "hello", options), more);
}
const key = (name: string) => `email:${name}@example.com`;
const sent = (name: string) => world.mail.sent(`${name}@example.com`).length;
const rows = (name: string) => world.journal({ key: key(name) });
const actions = (list: Row[]) => list.map((row) => row.action);
const of = (list: Row[], action: string) => list.filter((row) => row.action === action);

const PAUSED = /^\[Callosum\] /;
function assertPaused(text: string | undefined, name: string): asserts text is string {
  assert.match(text ?? "(nothing)", PAUSED);
  assert.ok(text?.includes(`"${key(name)}"`), text);
}
function assertRan(text: string | undefined): void {
  assert.ok(text !== undefined && !PAUSED.test(text), text);
}

describe("a second session", () => {
  test("is paused, is told who did what and how it ended, and no second mail goes out", async () => {
    const [first] = await world.play("alice-a", mail("alice"));
    assertRan(first);
    const [told] = await world.play("alice-b", mail("alice"));
    assertPaused(told, "alice");
    assert.match(told, /was already acted on/);
    assert.match(told, new RegExp(sessionKey("alice-a")));
    assert.match(told, /complete/);
    assert.match(told, /If this is intentionally different, retry\. Otherwise, skip it\.$/);
    assert.equal(sent("alice"), 1);

    const list = await rows("alice");
    assert.deepEqual(
      actions(list).filter((action) => action !== "delivered"),
      ["intercept", "complete", "blocked"],
    );
    assert.deepEqual(list.map((row) => row.session).slice(0, 3), [
      sessionKey("alice-a"),
      sessionKey("alice-a"),
      sessionKey("alice-b"),
    ]);
  });

  test("retries in the same turn and passes; a third try is paused, because its own send is news", async () => {
    await world.play("bob-a", mail("bob"));
    const told = await world.play("bob-b", mail("bob"), mail("bob"), mail("bob"));
    assertPaused(told[0], "bob");
    assertRan(told[1]);
    assertPaused(told[2], "bob");
    assert.match(told[2], new RegExp(sessionKey("bob-b")));
    assert.equal(sent("bob"), 2);
  });

  test("retries in a later turn and passes", async () => {
    await world.play("carol-a", mail("carol"));
    assertPaused((await world.play("carol-b", mail("carol")))[0], "carol");
    assertRan((await world.play("carol-b", mail("carol")))[0]);
    assert.equal(sent("carol"), 2);
  });

  test("is paused again when somebody acted between its pause and its retry", async () => {
    await world.play("dave-a", mail("dave"));
    const turn = world.begin("dave-b", [mail("dave"), { calls: [mail("dave")], hold: "dave-news" }, mail("dave")]);
    await until("the first pause", () => turn.resultsSoFar().length === 1);
    const between = await world.play("dave-a", mail("dave"), mail("dave"));
    assertPaused(between[0], "dave");
    assertRan(between[1]);
    world.model.release("dave-news");
    const told = await turn.results();
    assertPaused(told[0], "dave");
    assertPaused(told[1], "dave");
    assertRan(told[2]);
    assert.equal(sent("dave"), 3);
  });
});

describe("at the same moment", () => {
  for (const count of [2, 6]) {
    test(`${count} sessions with a slow send: one mail`, async () => {
      const name = `slow${count}`;
      const turns = Array.from({ length: count }, (_, index) =>
        world.begin(`${name}-${index}`, [{ calls: [mail(name, { slow: 2 })], hold: `go-${name}` }]),
      );
      await until("every model to be asked", () => turns.every((turn) => world.model.turn(turn.name).length === 1), 30_000);
      world.model.release(`go-${name}`);
      const told = (await Promise.all(turns.map((turn) => turn.results()))).map((results) => results[0] ?? "");
      assert.equal(sent(name), 1);
      const paused = told.filter((text) => PAUSED.test(text));
      assert.equal(paused.length, count - 1, told.join("\n---\n"));
      for (const text of paused) assertPaused(text, name);
      const list = await rows(name);
      assert.equal(of(list, "intercept").length, 1);
      assert.equal(of(list, "complete").length, 1);
      assert.equal(of(list, "blocked").length, count - 1);
    });

    test(`${count === 2 ? 2 : 3} equal calls in one message: one mail`, async () => {
      const calls = count === 2 ? 2 : 3;
      const name = `equal${calls}`;
      const told = await world.play(name, { calls: Array.from({ length: calls }, () => mail(name)) });
      assert.equal(told.length, calls);
      assert.equal(sent(name), 1);
      assert.equal(told.filter((text) => PAUSED.test(text)).length, calls - 1);
    });
  }

  test("two equal calls in one message after somebody else's send: none; the second is no retry, a later one is", async () => {
    await world.play("erin-a", mail("erin"));
    const told = await world.play("erin-b", { calls: [mail("erin"), mail("erin")] }, mail("erin"));
    assertPaused(told[0], "erin");
    assertPaused(told[1], "erin");
    assertRan(told[2]);
    assert.equal(sent("erin"), 2);
  });
});

test("a mail to three people is guarded for each of them", async () => {
  const three = exec(send("frank@example.com --to grace@example.com --to heidi@example.com"));
  assertRan((await world.play("three-a", three))[0]);
  for (const name of ["frank", "grace", "heidi"]) {
    assertPaused((await world.play(`three-${name}`, mail(name)))[0], name);
    assert.equal(sent(name), 1);
  }
});

describe("an outcome", () => {
  test("of a send whose options were wrong is failed, and the next try passes", async () => {
    assert.match((await world.play("ivan-a", mail("ivan", { fail: 2 })))[0] ?? "", /exited with code 2/);
    assertRan((await world.play("ivan-b", mail("ivan")))[0]);
    assert.equal(sent("ivan"), 1);
    assert.deepEqual(actions(await rows("ivan")), ["intercept", "failed", "intercept", "complete"]);
  });

  test("of a send that exits with a code that proves nothing is unknown, and the next try is paused", async () => {
    await world.play("ines-a", mail("ines", { fail: 7 }));
    const [told] = await world.play("ines-b", mail("ines"));
    assertPaused(told, "ines");
    assert.match(told, /unknown \(exit 7\)/);
    assert.equal(sent("ines"), 0);
  });

  test("of `send && false` is unknown, because the mail is out, and the next try is paused", async () => {
    await world.play("judy-a", exec(`${send("judy@example.com")} && false`));
    assert.equal(sent("judy"), 1);
    const [told] = await world.play("judy-b", mail("judy"));
    assertPaused(told, "judy");
    assert.match(told, /unknown/);
    assert.equal(sent("judy"), 1);
    assert.equal(of(await rows("judy"), "unknown").length, 1);
  });

  test("of a send that timed out is unknown", async () => {
    await world.play("kim-a", mail("kim", { slow: 20 }, { timeoutSeconds: 1 }));
    const [told] = await world.play("kim-b", mail("kim"));
    assertPaused(told, "kim");
    assert.match(told, /unknown/);
    assert.equal(sent("kim"), 1);
  });

  test("of an aborted run is unknown", async () => {
    const turn = world.begin("leo-a", [mail("leo", { slow: 20 })]);
    await until("the mail to be out", () => sent("leo") === 1);
    await world.gateway.rpc("chat.abort", { sessionKey: turn.session });
    await turn.ended;
    await until("the outcome", async () => of(await rows("leo"), "unknown").length === 1);
    const [told] = await world.play("leo-b", mail("leo"));
    assertPaused(told, "leo");
    assert.match(told, /unknown/);
    assert.equal(sent("leo"), 1);
  });

  test("of a background send: in flight, with a lease, until the process tool shows its end", async () => {
    const poll = { name: "process", args: { action: "poll", sessionId: "{{result session ([a-z0-9-]+)}}", timeout: 10_000 } };
    // A poll comes back with what the program printed last, perhaps a moment before its end.
    const steps = [mail("mona", { slow: 4 }, { background: true }), { calls: [poll], hold: "mona-poll" }, poll];
    const turn = world.begin("mona-a", steps);
    await until("the background start", () => turn.resultsSoFar()[0]?.includes("still running"));
    const [meanwhile] = await world.play("mona-b", mail("mona"));
    assertPaused(meanwhile, "mona");
    assert.match(meanwhile, /is being acted on/);
    const lease = (await world.status()).locks.find((lock) => lock.contextKey === key("mona"));
    assert.equal(lease?.session, sessionKey("mona-a"));

    world.model.release("mona-poll");
    const polled = (await turn.results()).slice(1);
    assert.ok(
      polled.some((result) => /exited with code 0/.test(result)),
      polled.join(),
    );
    await until("the outcome", async () => of(await rows("mona"), "complete").length === 1);
    assert.ok(!(await world.status()).locks.some((lock) => lock.contextKey === key("mona")));
    const [afterwards] = await world.play("mona-c", mail("mona"));
    assertPaused(afterwards, "mona");
    assert.match(afterwards, /was already acted on/);
    assert.equal(sent("mona"), 1);
  });
});

describe("one call is one call", () => {
  test("a call id that the model uses again is a new call, in the same run and in the next turn", async () => {
    const again = () => ({ ...mail("nina"), id: "call_0" });
    const told = await world.play("nina", again(), again(), again());
    assertRan(told[0]);
    assertPaused(told[1], "nina");
    assertRan(told[2]);
    assertPaused((await world.play("nina", again()))[0], "nina");
    assertRan((await world.play("nina", again()))[0]);
    assert.equal(sent("nina"), 3);
    const list = await rows("nina");
    assert.equal(of(list, "intercept").length, 3);
    assert.equal(of(list, "complete").length, 3);
    assert.equal(of(list, "blocked").length, 2);
    assert.ok(list.filter((row) => row.call !== undefined).every((row) => row.call === "call_0"));
  });

  test("a hook that fires twice for a call is one line, and the call is no duplicate of itself", async () => {
    const twice = exec(send("oscar@example.com", "fired-twice"));
    assertRan((await world.play("oscar-a", twice))[0]);
    assert.deepEqual(actions(await rows("oscar")), ["intercept", "complete"]);
    assertPaused((await world.play("oscar-b", twice))[0], "oscar");
    assert.equal(of(await rows("oscar"), "blocked").length, 1);
    // Without this the test would prove nothing: the helper really fired.
    assert.equal(world.gateway.log().split("twice: fired once more").length - 1, 2);
    assert.equal(sent("oscar"), 1);
  });

  test("a wrapper tool is passed through; the tool it calls is what counts", async () => {
    const args = { action: "send", channel: "nowhere", target: "pat", message: "hi" };
    await world.play("pat", { name: "tool_call", args: { id: "message", args } });
    const list = await world.journal({ session: sessionKey("pat") });
    assert.deepEqual([...new Set(list.map((row) => row.tool))], ["message"]);
    assert.deepEqual(actions(list), ["intercept", "failed"]);
  });
});

describe("looking at it", () => {
  test("the native program tells the same story as the gateway, while it runs", async () => {
    await world.play("quinn-a", mail("quinn"));
    await world.play("quinn-b", mail("quinn"));
    const fromGateway = await rows("quinn");
    assert.ok(fromGateway.length >= 3);
    const fromProgram = JSON.parse(await world.cli("journal", "-n", "1000", "--json")) as { entries: Row[] };
    const about = fromProgram.entries.filter((row) => row.contextKeys?.includes(key("quinn")));
    assert.deepEqual(about, fromGateway);
  });

  test("both show the same status", async () => {
    const status = await world.status();
    assert.equal(status.stateDir, world.stateDir);
    assert.ok(status.ruleCount > 10);
    assert.ok(status.journal.lines > 0);
    assert.equal(status.journal.skipped, 0);
    assert.equal(status.degraded, undefined);
    assert.match(status.instanceId, /./);
    const fromProgram = JSON.parse(await world.cli("status", "--json")) as typeof status;
    assert.equal(fromProgram.stateDir, status.stateDir);
    assert.equal(fromProgram.ruleCount, status.ruleCount);
  });

  test("coverage counts the hooks: each call has one after, and the two calls that were fired twice have a before more", async () => {
    const counts = async () => (await world.status()).coverage.openclaw?.exec ?? { before: 0, after: 0 };
    // The hooks' instance reports at most every five seconds, so a count may be cut off between a before and its after.
    const { before } = await until(
      "even counts",
      async () => counts().then((now) => now.before - now.after === 2 && now),
      20_000,
    );
    assert.ok(before > 40, String(before));
  });

  test("the journal's filters", async () => {
    await world.play("rita", mail("rita"));
    const mine = await world.journal({ session: sessionKey("rita"), tool: "exec", tier: 3 });
    assert.deepEqual(actions(mine), ["intercept", "complete"]);
    assert.deepEqual(actions(await world.journal({ key: key("rita"), action: "complete" })), ["complete"]);
    assert.equal((await world.journal({ limit: 3 })).length, 3);
    assert.deepEqual(await world.journal({ key: key("nobody") }), []);
    await assert.rejects(world.journal({ colour: "red" }), /no parameter is called `colour`/);
    await assert.rejects(world.journal({ limit: -1 }), /`limit` must be/);
  });

  test("a wrong setting is named in the status and the log, and everything above held all the same", async () => {
    assert.match((await world.status()).settingErrors?.join() ?? "", /retryWindowMs/);
    assert.match(world.gateway.log(), /callosum: .*retryWindowMs/);
  });
});
