// Several gateways of one person on one machine, each with an OpenClaw state of its own, all with Callosum's default state directory.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ONLY_AT_FULL_SIZE } from "../full-size.ts";
import { exec, until, via, World } from "./harness/world.ts";

const home = mkdtempSync(join(tmpdir(), "callosum-home-"));
const farBack = join(home, "far-back.json");
const hardlyBack = join(home, "hardly-back.json");
let one: World;
let two: World;
before(async () => {
  // A rule of its own, with a window far longer than any shipped one.
  const letter = {
    name: "letter",
    tier: 3,
    tool: "exec",
    commandPattern: "^echo letter ",
    contextKey: "letter:{params.command}",
  };
  const rules = [{ ...letter, recentWindowMs: 30 * 24 * 3_600_000 }];
  writeFileSync(farBack, JSON.stringify({ extends: "default", rules }));
  one = await World.open({ home });
  two = await World.open({ home, config: { tiersFile: farBack } });
});
after(async () => {
  await one?.close();
  await two?.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const PAUSED = /^\[Callosum\] /;
const to = (name: string, more = "") => exec(`himalaya message send --to ${name}@example.com ${more}`);
const sent = (name: string) => one.mail.sent(`${name}@example.com`).length + two.mail.sent(`${name}@example.com`).length;

describe("two gateways at default settings", () => {
  test("have one state directory and two names", async () => {
    const [first, second] = [await one.status(), await two.status()];
    assert.equal(first.stateDir, join(home, ".callosum"));
    assert.equal(second.stateDir, first.stateDir);
    assert.notEqual(first.instanceId, second.instanceId);
  });

  test("what one did pauses the other, by instance and session", async () => {
    assert.doesNotMatch((await one.play("main", to("ada")))[0] ?? "", PAUSED);
    const [told] = await two.play("main", to("ada"));
    assert.match(told ?? "", PAUSED);
    assert.ok(told?.includes(`by ${(await one.status()).instanceId} (openclaw session agent:main:main)`), told);
    assert.equal(sent("ada"), 1);
  });

  test("a pause is answered by the session that was shown it, not by its namesake in the other gateway", async () => {
    assert.doesNotMatch((await one.play("desk", to("bea")))[0] ?? "", PAUSED);
    assert.match((await two.play("main", to("bea")))[0] ?? "", PAUSED);
    assert.match((await one.play("main", to("bea")))[0] ?? "", PAUSED);
    assert.doesNotMatch((await two.play("main", to("bea")))[0] ?? "", PAUSED);
    assert.equal(sent("bea"), 2);
  });

  test("at the same moment exactly one sends", async () => {
    const turns = [one, two].flatMap((world) =>
      [1, 2].map((at) => ({ world, turn: world.begin(`rush-${at}`, [{ calls: [to("cy", "--slow=2")], hold: "rush" }]) })),
    );
    await until(
      "all models to be asked",
      () => turns.every(({ world, turn }) => world.model.turn(turn.name).length === 1),
      30_000,
    );
    for (const world of [one, two]) world.model.release("rush");
    const told = (await Promise.all(turns.map(({ turn }) => turn.results()))).map(([text]) => text ?? "");
    assert.equal(sent("cy"), 1, told.join("\n---\n"));
    assert.equal(told.filter((text) => PAUSED.test(text)).length, 3);
  });

  test("both and the native program tell one story", async () => {
    const filter = { key: "email:cy@example.com" };
    const rows = await one.journal(filter);
    assert.equal(rows.filter((row) => row.action === "intercept").length, 1);
    assert.equal(rows.filter((row) => row.action === "blocked").length, 3);
    assert.deepEqual(await two.journal(filter), rows);
    const program = JSON.parse(await two.cli("journal", "-n", "1000", "--key", filter.key, "--json")) as { entries: unknown };
    assert.deepEqual(program.entries, rows);
  });
});

test("different rules and windows in each: nothing is pruned that the other still needs", ONLY_AT_FULL_SIZE, async () => {
  const letter = exec("echo letter to-the-editor");
  assert.doesNotMatch((await two.play("writer", letter))[0] ?? "", PAUSED);
  // To one it is an ordinary command: its own rules decide for its own calls.
  assert.doesNotMatch((await one.play("reader", letter))[0] ?? "", PAUSED);

  // Now one keeps as little as it may by its own rules and settings, and has enough to write to begin several segments.
  const rules = [{ name: "messages", tier: 2, tool: "message", contextKey: "channel:{params.target}" }];
  writeFileSync(hardlyBack, JSON.stringify({ rules }));
  const least = { journalMaxBytes: 65_536, journalMaxAgeMs: 60_000, recentWindowMs: 0, retryWindowMs: 1_000, lockExpiryMs: 100 };
  const name = await one.edit({ ...least, tiersFile: hardlyBack, paramsSummaryChars: 10_000 });
  const status = await until("the new settings", async () => {
    const now = await one.status();
    return now.instanceId === name && now;
  });
  assert.deepEqual([status.ruleCount, status.settingErrors], [1, undefined]);
  const segments = () => readdirSync(join(home, ".callosum")).filter((name) => /^journal\.\d+\.jsonl$/.test(name));
  // Long lines: the host refuses these calls for their strange parameters, but only after they were journaled.
  const padding = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`word${at}`, "word ".repeat(60)]));
  const calls = Array.from({ length: 20 }, (_, at) => via("message", { action: "send", target: `x${at}`, ...padding }));
  for (const session of ["bulk-a", "bulk-b"]) await one.play(session, { calls });
  assert.ok(segments().length >= 2, segments().join());
  // Maintenance runs every five seconds, and looks through the segments after a new one was begun.
  await sleep(6_000);
  assert.ok(segments().includes("journal.0.jsonl"), segments().join());
  const [told] = await two.play("editor", letter);
  assert.match(told ?? "", PAUSED);
  assert.match(told ?? "", /agent:main:writer/);
  // A fresh process that reads the journal anew sees it as well.
  const program = JSON.parse(await two.cli("journal", "-n", "1000", "--json", "--key", "letter:echo letter to-the-editor"));
  assert.ok((program as { entries: unknown[] }).entries.length >= 2);
});
