// The plugin is loaded anew in a running gateway, again and again, while sessions send: what was gated stays gated, what was under way gets its
// outcome, and nothing piles up.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { OLDEST_HOST } from "../../scripts/build.ts";
import { FULL_SIZE, ONLY_AT_FULL_SIZE, sized } from "../full-size.ts";
import type { ScriptedCall } from "./harness/fake-model.ts";
import { HOST_VERSION } from "./harness/gateway.ts";
import { type SendOptions, send } from "./harness/mail.ts";
import { exec, type Row, until, World } from "./harness/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world?.close());

/** The oldest host has no `plugins.reload`, and one that was disabled sees calls again only after a restart or an edit of its config. */
const skip = HOST_VERSION === OLDEST_HOST;
const RELOADS = sized(2, 10);
/** Of a plugin that does nothing, to compare with; few, because the host takes 30 requests a minute. */
const BARE_RELOADS = sized(1, 8);
/** The host keeps each load's modules, of the smallest plugin too. Beside that, the addon's file of 4 MB stays mapped, and memory is never exact. */
const MAX_EXTRA_MB = 250;

function mail(name: string, options: SendOptions = {}, more: Record<string, unknown> = {}): ScriptedCall {
  return exec(send(`${name}@example.com`, "hello", options), more);
}
const key = (name: string) => `email:${name}@example.com`;
const sent = (name: string) => world.mail.sent(`${name}@example.com`).length;
const rows = (name: string) => world.journal({ key: key(name) });
const actions = async (name: string) =>
  (await rows(name)).map((row) => row.action).filter((action) => action !== "delivered" && action !== "running");
const isPause = (text: string | undefined) => text?.startsWith("[Callosum] ") === true;

/** Asks the host once. False when it refuses, because a tool call of the plugin is under way. */
async function ask(method: string, params: unknown): Promise<boolean> {
  try {
    await world.gateway.rpc(method, params);
    return true;
  } catch (error) {
    assert.match((error as Error).message, /active retained work/);
    return false;
  }
}
const askReload = (pluginId = "callosum") => ask("plugins.reload", { plugins: [{ pluginId }] });

/** Asks until the host does it. Rarely: it takes 30 requests a minute. */
async function reload(): Promise<void> {
  await until("the host to load the plugin anew", async () => (await askReload()) || void (await sleep(1_000)));
}

/** Memory in MB, open files of the state directory, and threads of the gateway's process. */
function footprint(): { rss: number; files: number; threads: number } {
  const proc = `/proc/${world.gateway.pid}`;
  const status = readFileSync(`${proc}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  const files = readdirSync(`${proc}/fd`).filter((fd) => {
    try {
      return readlinkSync(`${proc}/fd/${fd}`).startsWith(world.stateDir);
    } catch {
      return false;
    }
  });
  return { rss: Math.round(field("VmRSS") / 1024), files: files.length, threads: field("Threads") };
}

/** Each mail in the outbox has its start and its end in the journal, and every start has one end. */
async function assertNothingLost(names: string[]): Promise<void> {
  for (const name of names) {
    const expected = Array.from({ length: sent(name) }, () => ["intercept", "complete"]).flat();
    const told = await until(`the outcome of ${name}`, async () => {
      const now = await actions(name);
      return now.filter((action) => action === "complete").length === sent(name) && now;
    });
    assert.deepEqual(
      told.filter((action) => action !== "blocked"),
      expected,
      name,
    );
  }
}

test(`${RELOADS} reloads under traffic: everything is gated, every mail has its start and its outcome, nothing piles up`, {
  skip,
}, async () => {
  await world.play("warm", mail("warm"));
  await reload();
  await world.play("warmer", mail("warmer"));
  const bare = footprint();
  for (let count = 0; count < BARE_RELOADS; count += 1) {
    assert.equal(await askReload("twice"), true);
    for (const session of ["bare-one", "bare-two"]) await world.play(`${session}${count}`, exec("echo hello"));
  }
  const start = footprint();
  const names: string[] = [];
  let refusals = 0;
  for (let count = 0; count < RELOADS; count += 1) {
    // The host gets the messages of two sessions with the request or a moment later. It always refuses the former, so only some are such.
    const asked = askReload();
    if (count % 4 !== 0) await sleep(300);
    const round = [`round${count}-one`, `round${count}-two`];
    names.push(...round);
    const turns = round.map((name) => world.play(`${name}-a`, mail(name, { slow: 0.3 })));
    if (!(await asked)) {
      refusals += 1;
      await Promise.all(turns);
      await reload();
    }
    for (const [told] of await Promise.all(turns)) assert.ok(told !== undefined && !isPause(told), told);
    for (const [told] of await Promise.all(round.map((name) => world.play(`${name}-b`, mail(name)))))
      assert.ok(isPause(told), told);
  }
  for (const name of names) assert.equal(sent(name), 1, name);
  await assertNothingLost(names);

  const end = footprint();
  console.log(`# ${names.length} mails, ${refusals} refused reloads, ${JSON.stringify([bare, start, end])}`);
  // A refused reload costs the host as much as one that is done.
  const usual = ((start.rss - bare.rss) / BARE_RELOADS) * (RELOADS + refusals);
  const extra = Math.round(end.rss - start.rss - usual);
  // Of two loads nobody can tell what one costs: what the collector has not collected yet is more than that.
  if (FULL_SIZE) assert.ok(extra < MAX_EXTRA_MB, `${extra} MB more than as many loads of a plugin that does nothing`);
  // The gates that were replaced have let their files go.
  assert.ok(end.files <= start.files + 2 && end.files <= 8, `${start.files} files, then ${end.files}`);
  assert.ok(end.threads <= start.threads + 8, `${start.threads} threads, then ${end.threads}`);
  const status = await world.status();
  assert.equal(status.degraded, undefined);
  assert.equal(status.journal.skipped, 0);
  assert.doesNotMatch(world.gateway.log(), /unexpected error/);
});

describe("a send that spans a replacement of the plugin gets its outcome", { skip }, () => {
  test("in the foreground: the host refuses to replace the plugin before its end, and it is gated meanwhile", async () => {
    const slow = world.begin("span-a", [mail("span", { slow: 2 })]);
    await until("the mail to be out", () => sent("span") === 1);
    assert.equal(await askReload(), false);
    const [told] = await world.play("span-b", mail("span"));
    assert.ok(isPause(told), told);
    await slow.ended;
    await reload();
    await assertNothingLost(["span"]);
    assert.ok(isPause((await world.play("span-c", mail("span")))[0]));
    assert.equal(sent("span"), 1);
  });

  test("in the background, through the process tool, by an instance that did not see it start", async () => {
    const poll = { name: "process", args: { action: "poll", sessionId: "{{result session ([a-z0-9-]+)}}", timeout: 10_000 } };
    const [started] = await world.play("back-a", mail("back", { slow: 4 }, { background: true }));
    assert.match(started ?? "", /still running/);
    const id = /session ([a-z0-9-]+)/.exec(started ?? "")?.[1] ?? "";
    await reload();
    const [meanwhile] = await world.play("back-b", mail("back"));
    assert.match(meanwhile ?? "", /is being acted on/);
    // The host answers at the first output, which may come before the end.
    let ended: string | undefined;
    for (let polls = 0; polls < 5 && !/exited/.test(ended ?? ""); polls += 1)
      [ended] = await world.play("back-a", { ...poll, args: { ...poll.args, sessionId: id } });
    assert.match(ended ?? "", /exited with code 0/);
    await assertNothingLost(["back"]);
    assert.equal(sent("back"), 1);
  });

  test("when its config is edited: it is applied, and the send has its outcome", async () => {
    const slow = world.begin("edit-a", [mail("edit", { slow: 8 })]);
    await until("the mail to be out", () => sent("edit") === 1);
    // In mid-send the host keeps an edit, but does not apply it: not even later, and the same once more is none.
    await assert.rejects(world.tryEdit({ instanceId: "too-early" }), /not applied/);
    await slow.ended;
    const name = await world.edit();
    await until("the new config", async () => (await world.status()).instanceId === name);
    await assertNothingLost(["edit"]);
    // What the instance did under its old name is evidence all the same.
    assert.ok(isPause((await world.play("edit-b", mail("edit")))[0]));
    await world.play("edit-c", mail("edited"));
    assert.deepEqual([...new Set((await rows("edited")).map((row: Row) => row.instance))], [name]);
  });

  test("when it is disabled: what it gated has its outcome; and enabled again, it knows all of it", async () => {
    const slow = world.begin("off-a", [mail("off", { slow: 2 })]);
    await until("the mail to be out", () => sent("off") === 1);
    await world.enable(false);
    await slow.ended;
    await assert.rejects(world.status(), /unknown method/);
    // Nobody gates now.
    assert.ok(!isPause((await world.play("off-b", mail("off")))[0]));
    assert.equal(sent("off"), 2);
    await world.enable(true);
    assert.ok(isPause((await world.play("off-c", mail("off")))[0]));
    assert.equal(sent("off"), 2);
    assert.deepEqual(await actions("off"), ["intercept", "complete", "blocked"]);
  });
});

test(
  "its config edited, then the gateway stopped in mid-send and started: it gates with what it knew, under its new name",
  ONLY_AT_FULL_SIZE,
  async () => {
    await world.play("all-a", mail("all"));
    assert.equal(sent("all"), 1);
    const name = await world.edit();
    assert.ok(isPause((await world.play("all-b", mail("all")))[0]));

    const slow = world.begin("stop-a", [mail("stop", { slow: 2 })]);
    await until("the mail to be out", () => sent("stop") === 1);
    await world.gateway.stop();
    await slow.ended.catch(() => {});
    await world.gateway.start();
    // The gateway answers before its plugins have their methods.
    const status = await until("the plugin", () => world.status().catch(() => undefined), 30_000);
    assert.equal(status.instanceId, name);
    assert.equal(status.degraded, undefined);
    // The send has its outcome, and is evidence.
    const told = await actions("stop");
    assert.equal(told[0], "intercept");
    assert.match(String(told[1]), /complete|unknown/);
    console.log(`# stopped in mid-send: ${told.join(", ")}`);
    for (const mailed of ["stop", "all"]) {
      assert.ok(isPause((await world.play(`${mailed}-c`, mail(mailed)))[0]));
      assert.equal(sent(mailed), 1);
    }
    assert.deepEqual(await actions("all"), ["intercept", "complete", "blocked", "blocked"]);
  },
);
