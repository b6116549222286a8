// Telegram's servers, as far as a bot asks them, on loopback.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The only chat there is. */
export const CHAT = 42;

export class Telegram {
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
