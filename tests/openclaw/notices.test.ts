// A notice in a real chat: a call is blocked in a real gateway, the service hears of it, and tells it by the real `openclaw` in a channel of that
// gateway: Telegram, whose servers are one on loopback here.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CALLOSUM } from "./harness/stage.ts";
import { exec, until, World } from "./harness/world.ts";

const CHAT = 42;

/** Telegram's servers, as far as a bot asks them. */
class Telegram {
  readonly sent: Array<{ chat_id: unknown; text: unknown }> = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        const method = new URL(request.url ?? "", "http://x").pathname.split("/").at(-1) ?? "";
        // Nobody writes to the bot, so that one waits until this server goes.
        if (method === "getUpdates") return;
        if (method === "sendMessage") this.sent.push(JSON.parse(body));
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ ok: true, result: this.#answer(method) }));
      });
    });
  }

  #answer(method: string): unknown {
    if (method === "getMe") return { id: 1, is_bot: true, first_name: "Bot", username: "throw_away_bot" };
    if (method === "getWebhookInfo") return { url: "", has_custom_certificate: false, pending_update_count: 0 };
    if (method === "getChat") return { id: CHAT, type: "private" };
    if (method === "sendMessage") return { message_id: this.sent.length, date: 1, chat: { id: CHAT, type: "private" } };
    return true;
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let telegram: Telegram;
let world: World;
let service: ChildProcess | undefined;

before(async () => {
  telegram = new Telegram();
  const apiRoot = await telegram.start();
  world = await World.open({
    env: { OPENCLAW_SKIP_CHANNELS: "" },
    plugins: ["telegram"],
    gatewayConfig: { channels: { telegram: { enabled: true, botToken: "1:throw-away", apiRoot } } },
    rules: { extends: "default", rules: [{ name: "wire", tier: 4, tool: "exec", command: "wire", contextKey: "bank:account" }] },
  });
});

after(async () => {
  if (service !== undefined && service.exitCode === null) {
    const ended = once(service, "exit");
    service.kill("SIGTERM");
    await ended;
  }
  await world?.close();
  telegram?.stop();
});

test("a block is told in a chat of the gateway, by the command that people have", { timeout: 400_000 }, async () => {
  const notify = { chat: { channel: "telegram", target: String(CHAT) }, on: ["block"] };
  writeFileSync(join(world.stateDir, "serve.json"), JSON.stringify({ notify }));
  const env = world.gateway.personsEnvironment();
  service = spawn(CALLOSUM, ["--state-dir", world.stateDir, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [service.stdout, service.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  await until("the service to serve", () => said.includes("Serving"), 60_000);
  // As long as the test needs the lease, and no longer than two minutes.
  const over = join(world.dir, "over");
  const holder = world.begin("holder", [exec(`wire; for i in $(seq 1200); do [ -e '${over}' ] && break; sleep 0.1; done`)]);
  await until("the lease", async () => (await world.status()).locks.length > 0, 60_000);
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
