// OpenClaw, Codex and Gemini on one machine, on one journal.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { send } from "../openclaw/harness/mail.ts";
import { exec, until, World } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

const KEY = "email:alice@example.com";

let world: World;
let scene: Scene;
before(async () => {
  world = await World.open();
  scene = await Scene.open({ stateDir: world.stateDir, mail: world.mail });
});
after(async () => {
  await scene?.close();
  await world?.close();
});

test("sessions of all three are after one mail to Alice at once: exactly one is sent, and every story of it is true", async () => {
  const mail = (from: string) => send("alice@example.com", `from ${from}`, { slow: 2 });
  const turns = ["openclaw-1", "openclaw-2"].map((from) => ({
    from,
    asked: (turn: string) => world.model.turn(turn).length,
    turn: world.begin(from, [{ calls: [exec(mail(from))], hold: "go" }]),
  }));
  const sessions = [scene.codex, scene.gemini, scene.codex, scene.gemini].map((agent, at) => {
    const from = `${agent.runtime}-${at}`;
    const turn = scene.begin(agent, { calls: [agent.shell(mail(from))], hold: "go" });
    return { from, asked: (name: string) => scene.model.turn(name).length, turn };
  });
  const all = [...turns, ...sessions];
  await until("every model to be asked", () => all.every(({ asked, turn }) => asked(turn.name) === 1), 60_000);
  world.model.release("go");
  scene.model.release("go");
  const told = await Promise.all(all.map(async ({ turn }) => (await turn.results())[0] ?? ""));

  const [mailed, ...more] = world.mail.sent("alice@example.com");
  assert.deepEqual(more, [], "sent once");
  assert.ok(mailed !== undefined);
  const winner = all.findIndex(({ from }) => mailed.includes(`from ${from} `));
  assert.match(told[winner] ?? "", /Message sent\./);

  // One began and came to its end; the others were paused, each told who it was.
  const { events, leases } = await scene.why(KEY);
  assert.deepEqual(leases, []);
  const [begun, ...begunToo] = events.filter(({ what }) => what === "started");
  assert.ok(begun !== undefined && begunToo.length === 0, JSON.stringify(events, null, 1));
  assert.equal(begun.runtime, all[winner]?.from.split("-")[0]);
  assert.deepEqual(
    events.filter(({ what }) => what === "complete").map(({ session }) => session),
    [begun.session],
  );
  const paused = events.filter(({ what }) => what === "paused");
  assert.equal(paused.length, all.length - 1, JSON.stringify(events, null, 1));
  assert.deepEqual(
    paused.map(({ runtime }) => runtime).sort(),
    all
      .filter((_, at) => at !== winner)
      .map(({ from }) => from.split("-")[0])
      .sort(),
  );
  assert.equal(new Set(events.map(({ session }) => session)).size, all.length);
  for (const [at, text] of told.entries()) {
    if (at === winner) continue;
    assert.match(text, /\[Callosum\] "email:alice@example\.com" (is being|was already) acted on/);
    assert.ok(text.includes(`(session ${begun.session}): exec, `), text);
  }
  // The gateway tells the same.
  assert.deepEqual(
    (await world.journal({ key: KEY })).map((row) => row.action).filter((action) => action !== "delivered"),
    (await scene.journal(KEY)).map((row) => row.action).filter((action) => action !== "delivered"),
  );
});
