// OpenClaw, Codex and Gemini on one machine, on one journal.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { send } from "../openclaw/harness/mail.ts";
import { exec, until, via, World } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

const KEY = "email:alice@example.com";
const MCP_SERVER = new URL("../openclaw/harness/mcp-server.js", import.meta.url).pathname;

const folder = mkdtempSync(join(tmpdir(), "callosum-mcp-"));
const outbox = join(folder, "outbox.txt");
const mailer = { command: process.execPath, args: [MCP_SERVER, outbox] };

let world: World;
let scene: Scene;
before(async () => {
  world = await World.open({ gatewayConfig: { mcp: { servers: { mailer } } } });
  scene = await Scene.open({ stateDir: world.stateDir, mail: world.mail, mailer });
});
after(async () => {
  await scene?.close();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
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
    // A gateway tells of no project.
    const project = begun.runtime === "openclaw" ? "" : " in project";
    assert.ok(text.includes(`(${begun.runtime} session ${begun.session}${project}): exec, `), text);
  }
  // The gateway tells the same.
  assert.deepEqual(
    (await world.journal({ key: KEY })).map((row) => row.action).filter((action) => action !== "delivered"),
    (await scene.journal(KEY)).map((row) => row.action).filter((action) => action !== "delivered"),
  );
});

test("the same mail by an MCP tool is the same call in all three: one sends it, the others are told", async () => {
  const play = {
    codex: (mail: object) => scene.play(scene.codex, { name: "mcp__mailer/send_email", args: { ...mail } }),
    gemini: (mail: object) => scene.play(scene.gemini, { name: "mcp_mailer_send_email", args: { ...mail } }),
    openclaw: (mail: object) => world.play("mcp", via("mailer__send_email", { ...mail })),
  };
  type Name = keyof typeof play;
  const rounds: Array<[Name, ...Name[]]> = [
    ["codex", "gemini", "openclaw"],
    ["gemini", "openclaw", "codex"],
  ];
  for (const [first, ...others] of rounds) {
    const to = `${first}@example.com`;
    const mail = { to, body: "hello" };
    assert.match((await play[first](mail))[0] ?? "", /sent/);
    for (const other of others) {
      const [told] = await play[other](mail);
      // The quotes are escaped where the host tells it within JSON.
      assert.match(told ?? "", new RegExp(`email:${to}\\\\?" was already acted on`), `${other}: ${told}`);
      assert.match(told ?? "", /mailer__send_email, complete; parameters identical/);
    }
    assert.deepEqual(readFileSync(outbox, "utf8").match(new RegExp(to, "g")), [to], "sent once");
    const rows = (await scene.journal(`email:${to}`)).filter(({ action }) => action !== "delivered");
    assert.deepEqual(
      rows.map(({ runtime, action }) => [runtime, action]),
      [[first, "intercept"], [first, "complete"], ...others.map((other) => [other, "blocked"])],
    );
    assert.ok(rows.every(({ tool, contextKeys }) => tool === "mailer__send_email" && contextKeys?.join() === `email:${to}`));
    const asked = rows.filter(({ action }) => action !== "complete");
    assert.equal(new Set(asked.map(({ digest }) => digest)).size, 1, JSON.stringify(rows, null, 1));
  }
});
