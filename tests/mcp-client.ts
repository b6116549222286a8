// A client of `callosum mcp` in plain JSON lines: what it sends is exactly what a test writes.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** An answer to a request. */
export interface Reply {
  id: number | string | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** What a tool told. */
export interface Told {
  structured: Record<string, unknown>;
  texts: string[];
  isError: boolean;
}

/** A document of an error, as every tool tells it. */
export interface Refused {
  code: string;
  message: string;
  remedy: string;
}

export class McpClient {
  readonly #child: ChildProcess;
  readonly #replies = new Map<string, (reply: Reply) => void>();
  /** Answers to nothing that was asked. */
  readonly strays: Reply[] = [];
  #requests = 0;

  /** Starts the server, by way of `callosum` or of what is put before it. */
  constructor(command: string, args: string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("no output");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const reply = JSON.parse(line) as Reply;
      const waiting = this.#replies.get(String(reply.id));
      if (waiting === undefined) this.strays.push(reply);
      else waiting(reply);
    });
  }

  /** Writes a line as it is. */
  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  request(method: string, params: unknown = {}): Promise<Reply> {
    this.#requests += 1;
    const id = this.#requests;
    const reply = new Promise<Reply>((resolve) => this.#replies.set(String(id), resolve));
    // The id stands at the end, as most clients write it.
    this.write(JSON.stringify({ jsonrpc: "2.0", method, params, id }));
    return reply;
  }

  async open(protocolVersion = "2025-06-18"): Promise<Reply> {
    const clientInfo = { name: "test", version: "1" };
    const reply = await this.request("initialize", { protocolVersion, capabilities: {}, clientInfo });
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return reply;
  }

  async call(name: string, args: unknown = {}, meta?: unknown): Promise<Told> {
    const { result, error } = await this.request("tools/call", {
      name,
      arguments: args,
      ...(meta !== undefined && { _meta: meta }),
    });
    if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
    const texts = (result.content as Array<{ text: string }>).map(({ text }) => text);
    return { structured: result.structuredContent as Told["structured"], texts, isError: result.isError === true };
  }

  /** Ends its input, and waits for its end. */
  async end(): Promise<number | null> {
    this.#child.stdin?.end();
    const [code] = this.#child.exitCode === null ? await once(this.#child, "close") : [this.#child.exitCode];
    return code as number | null;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
