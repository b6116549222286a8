// A way into the gateway for people who may only read: a proxy that says so of every request, as one in front of a real gateway does.

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export class Readers {
  readonly #server: Server;

  private constructor(gateway: string) {
    const pass = (incoming: IncomingMessage) =>
      request(gateway + incoming.url, {
        method: incoming.method ?? "GET",
        headers: { ...incoming.headers, "x-openclaw-scopes": "operator.read" },
        agent: false,
      });
    this.#server = createServer((incoming, response) => {
      const passed = pass(incoming);
      passed.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on("error", () => response.destroy());
      response.on("close", () => passed.destroy());
      incoming.pipe(passed);
    });
    this.#server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, first: Buffer) => {
      const passed = pass(incoming);
      passed.on("upgrade", (answer, other, head) => {
        const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
        other.write(first);
        socket.write(head);
        other.pipe(socket).on("error", () => other.destroy());
        socket.pipe(other).on("error", () => socket.destroy());
      });
      passed.on("response", () => socket.destroy());
      passed.on("error", () => socket.destroy());
      passed.end();
    });
  }

  static async before(gateway: string): Promise<Readers> {
    const readers = new Readers(gateway);
    readers.#server.listen(0, "127.0.0.1");
    await once(readers.#server, "listening");
    return readers;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
