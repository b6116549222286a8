// OpenClaw, Codex, Gemini and programs that ask the service, on one machine and one journal.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CallosumClient } from "../../clients/typescript/src/index.ts";
import { Service } from "../clients/harness/service.ts";
import { send } from "../openclaw/harness/mail.ts";
import { exec, until, via, World } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

const KEY = "email:alice@example.com";
const MCP_SERVER = new URL("../openclaw/harness/mcp-server.js", import.meta.url).pathname;

const folder = mkdtempSync(join(tmpdir(), "callosum-mcp-"));
const outbox = join(folder, "outbox.txt");
const mailer = { command: process.execPath, args: [MCP_SERVER, outbox] };

/** Within which time programs ask the service once the models have answered: about as long as hosts take to come to their calls. */
const GUESTS_COME_MS = 1_500;

let world: World;
let scene: Scene;
let service: Service;
before(async () => {
  world = await World.open({ gatewayConfig: { mcp: { servers: { mailer } } } });
  scene = await Scene.open({ stateDir: world.stateDir, mail: world.mail, mailer });
  service = new Service(undefined, world.stateDir);
  await service.start();
});
after(async () => {
  await service?.remove();
  await scene?.close();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command as a program does that has asked. */
async function run(command: string): Promise<string> {
  const env = { ...process.env, PATH: `${world.mail.bin}:${process.env.PATH}` };
  return (await promisify(execFile)("/bin/sh", ["-c", command], { env })).stdout;
}

/** A program that asks at `/v1/before`; gives what came of its command, or why it did not run it. */
async function byGate(from: string, command: string): Promise<string> {
  const client = new CallosumClient({ url: service.socket });
  try {
    const { verdict, call, text } = await client.before({ tool: "exec", params: { command }, session: from });
    if (verdict !== "allow") return text ?? verdict;
    const told = await run(command);
    await client.after({ call, session: from, outcome: "complete" });
    return told;
  } finally {
    client.close();
  }
}

/** The same by the five endpoints, with `enforce`. */
async function byInstance(from: string, command: string): Promise<string> {
  const client = new CallosumClient({ url: service.socket, instance: from });
  try {
    const { proceed, call, contextKey, warning } = await client.intercept("exec", "", { command }, { enforce: true });
    if (!proceed) return warning ?? "stopped";
    const told = await run(command);
    await client.complete(contextKey, { told }, { id: String(call) });
    return told;
  } finally {
    client.close();
  }
}

test("sessions of all and programs are after one mail to Alice at once: exactly one is sent, and every story of it is true", async () => {
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
  const hosted = [...turns, ...sessions];
  await until("every model to be asked", () => hosted.every(({ asked, turn }) => asked(turn.name) === 1), 60_000);
  world.model.release("go");
  scene.model.release("go");
  // Who comes first is chance, and all that follows is true whoever does.
  const guests = Object.entries({ "http-before": byGate, "http-intercept": byInstance }).map(([from, ask]) => ({
    from,
    told: sleep(Math.random() * GUESTS_COME_MS).then(() => ask(from, mail(from))),
  }));
  const all = [...hosted.map(({ from, turn }) => ({ from, told: turn.results().then(([first]) => first ?? "") })), ...guests];
  const told = await Promise.all(all.map(({ told }) => told));

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
    // A gateway and a program tell of no project.
    const project = ["openclaw", "http"].includes(begun.runtime) ? "" : " in project";
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
