// A notice in a real chat: a call is blocked in a real gateway, the service hears of it, and tells it by the real `openclaw` in a channel of that
// gateway: Telegram, whose servers are one on loopback here.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CALLOSUM } from "../harness/stage.ts";
import { CHAT } from "../harness/telegram.ts";
import { exec, until } from "../harness/world.ts";
import { telegram, world } from "./shared.ts";

test("a block is told in a chat of the gateway, by the command that people have", { timeout: 400_000 }, async (t) => {
  const notify = { chat: { channel: "telegram", target: String(CHAT) }, on: ["block"] };
  writeFileSync(join(world.stateDir, "serve.json"), JSON.stringify({ notify }));
  const env = world.gateway.personsEnvironment();
  const service = spawn(CALLOSUM, ["--state-dir", world.stateDir, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(async () => {
    if (service.exitCode !== null) return;
    const ended = once(service, "exit");
    service.kill("SIGTERM");
    await ended;
  });
  let said = "";
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  await until("the service to serve", () => said.includes("Serving"), 60_000);
  // As long as the test needs the lease, and no longer than two minutes.
  const over = join(world.dir, "over");
  const holder = world.begin("holder", [exec(`wire; for i in $(seq 1200); do [ -e '${over}' ] && break; sleep 0.1; done`)]);
  const isHeld = async () => (await world.status()).locks.some(({ contextKey }) => contextKey === "bank:account");
  await until("the lease", isHeld, 60_000);
  const [blocked] = await world.play("other", exec("wire"));
  writeFileSync(over, "");
  assert.match(blocked ?? "", /\[Callosum\]/);
  const told = await until("the chat to be told", () => telegram.sent[0], 180_000).catch((error) => {
    throw new Error(`${error}: ${said}\n${world.gateway.log().slice(-2000)}`);
  });
  assert.equal(String(told.chat_id), String(CHAT));
  assert.match(String(told.text), /bank:account/);
  await holder.results();
  assert.equal(telegram.sent.length, 1);
});
