// Observe mode: nothing is stopped, and the journal shows what would have been.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { exec, type Row, sessionKey, until } from "../harness/world.ts";
import { world } from "./shared.ts";

const PAUSED = /^\[Callosum\] /;
const to = (name: string, more = "") => exec(`himalaya message send --to ${name}@example.com ${more}`);
const sent = (name: string) => world.mail.sent(`${name}@example.com`).length;
const intents = async (session: string) => await world.journal({ session: sessionKey(session), action: "intercept" });
const judged = ({ observed, conflict }: Row = { action: "none", timestamp: "" }) => ({ observed, conflict });

describe("in observe mode", () => {
  // A state of its own, where nobody did anything yet.
  before(async () => {
    const stateDir = join(world.dir, "observed");
    mkdirSync(stateDir, { mode: 0o700 });
    const rules = [{ name: "wipe", tier: 4, tool: "exec", commandPattern: "^wipe", contextKey: "email:lee@example.com" }];
    writeFileSync(join(stateDir, "tiers.json"), JSON.stringify({ extends: "default", rules }));
    const name = await world.edit({ mode: "observe", stateDir });
    const status = await until("the new settings", async () => {
      const now = await world.status();
      return now.instanceId === name && now;
    });
    assert.equal(status.stateDir, stateDir);
  });

  test("a repetition goes through, and the journal says what it would have run into", async () => {
    await world.play("first", to("kai"));
    const told = await world.play("second", to("kai"), to("kai"));
    assert.equal(told.filter((text) => PAUSED.test(text)).length, 0, told.join("\n"));
    assert.equal(sent("kai"), 3);
    const [first] = await intents("first");
    assert.deepEqual(judged(first), { observed: undefined, conflict: undefined });
    const second = await intents("second");
    assert.deepEqual(second.map(judged), [
      { observed: true, conflict: "recent" },
      { observed: true, conflict: "recent" },
    ]);
    // What would have been shown is named, so that it can be looked up.
    assert.equal((second[0]?.evidence as unknown[] | undefined)?.length, 1);
    assert.equal((await world.journal({ action: "blocked" })).length, 0);
  });

  test("two at the same moment both go through; the later one would have been paused", async () => {
    const turns = ["left", "right"].map((name) => world.begin(name, [{ calls: [to("mo", "--slow=2")], hold: "both" }]));
    await until("both models to be asked", () => turns.every((turn) => world.model.turn(turn.name).length === 1), 30_000);
    world.model.release("both");
    await Promise.all(turns.map((turn) => turn.results()));
    assert.equal(sent("mo"), 2);
    const rows = await world.journal({ key: "email:mo@example.com", action: "intercept" });
    assert.deepEqual(rows.map(judged), [
      { observed: undefined, conflict: undefined },
      { observed: true, conflict: "inFlight" },
    ]);
  });

  test("what would have been blocked goes through too", async () => {
    const slow = world.begin("busy", [to("lee", "--slow=8")]);
    await until("the mail to be out", () => sent("lee") === 1);
    const [told] = await world.play("wiper", exec("wipe everything"));
    assert.doesNotMatch(told ?? "", PAUSED);
    await slow.ended;
    assert.deepEqual((await intents("wiper")).map(judged), [{ observed: true, conflict: "lease" }]);
  });

  test("outcomes are told as always, and the status names the mode", async () => {
    const rows = await until("all outcomes", async () => {
      const all = await world.journal({ limit: 1000 });
      const count = (action: string) =>
        all.filter((row) => row.tier !== undefined && row.tier >= 3 && row.action === action).length;
      return count("intercept") === count("complete") + count("unknown") + count("failed") && all;
    });
    assert.equal(rows.filter((row) => row.action === "complete").length, 6);
    assert.equal((await world.status()).mode, "observe");
  });
});
