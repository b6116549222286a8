// A server that answers what a test tells it to: for what the real service can't be made to do on demand, such as breaking off in the middle.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request that arrived. */
export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** Which connection it came on, counted from 1. */
  connection: number;
}

export type Reply = (seen: Seen, response: ServerResponse, socket: Socket) => void;

export class Scripted {
  readonly seen: Seen[] = [];
  readonly #server: Server;
  readonly #sockets = new Map<Socket, number>();
  #reply: Reply;
  #url = "";
  #came: () => void = () => {};

  private constructor(reply: Reply) {
    this.#reply = reply;
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
        const { method = "", url: path = "", headers, socket } = request;
        const seen = { method, path, headers, body, connection: this.#sockets.get(socket) ?? 0 };
        this.seen.push(seen);
        this.#reply(seen, response, socket);
        this.#came();
      });
    });
    let count = 0;
    this.#server.on("connection", (socket: Socket) => {
      count += 1;
      this.#sockets.set(socket, count);
    });
  }

  /** Listens on a free port of loopback, or on a socket at this path. */
  static async start(reply: Reply, path?: string): Promise<Scripted> {
    const scripted = new Scripted(reply);
    if (path === undefined) scripted.#server.listen(0, "127.0.0.1");
    else scripted.#server.listen(path);
    await once(scripted.#server, "listening");
    const address = scripted.#server.address();
    scripted.#url = path === undefined ? `http://127.0.0.1:${(address as AddressInfo).port}` : `unix:${path}`;
    return scripted;
  }

  get url(): string {
    return this.#url;
  }

  reply(reply: Reply): void {
    this.#reply = reply;
  }

  /** Waits until requests that arrived are as `found` wants them. */
  async until(found: (seen: Seen[]) => boolean): Promise<void> {
    while (!found(this.seen))
      await new Promise<void>((resolve) => {
        this.#came = resolve;
      });
  }

  /** Breaks off all connections. */
  breakOff(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  async stop(): Promise<void> {
    this.breakOff();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Answers with JSON. */
export function json(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

/** Answers as the service does to calls that nothing is known about. */
export const ALLOWING: Reply = ({ path, body }, response) => {
  const verdict = { verdict: "allow", tier: 3, contextKeys: ["email:alice"], call: body.call };
  json(response, path === "/v1/before" ? verdict : { ok: true });
};
