// The real service on a state directory of the test's own, that can be stopped, killed and started again at the same address.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { built } from "../../programs.ts";

/** Rules for tools whose tiers and keys a test can rely on. */
export const RULES = [
  { name: "mail", tier: 3, tool: "mail", contextKey: "email:{params.to}" },
  { name: "wire", tier: 4, tool: "wire", contextKey: "account:{params.to}" },
  { name: "short", tier: 4, tool: "short", contextKey: "short:{params.to}", lockExpiryMs: 3_000 },
  { name: "note", tier: 1, tool: "note", contextKey: "note:{params.to}" },
];

export class Service {
  readonly stateDir: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #port = 0;

  /** On the shipped rules, unless others are given; on a state directory of its own, unless it shares one. */
  constructor(rules?: unknown, stateDir?: string) {
    this.#folder = mkdtempSync(join(tmpdir(), "callosum-service-"));
    this.stateDir = stateDir ?? join(this.#folder, "state");
    mkdirSync(this.stateDir, { mode: 0o700, recursive: true });
    if (rules !== undefined) writeFileSync(join(this.stateDir, "tiers.json"), JSON.stringify({ rules }));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get socket(): string {
    return `unix:${join(this.stateDir, "serve.sock")}`;
  }

  /** Starts it, at the address that it had before. */
  async start(...more: string[]): Promise<void> {
    const listen = ["--listen", `127.0.0.1:${this.#port}`, ...more];
    const child = spawn(built("callosum-serve"), ["--state-dir", this.stateDir, "serve", ...listen], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      said += `${line}\n`;
      const port = /^Serving .* on 127\.0\.0\.1:(\d+)\.$/.exec(line)?.[1];
      if (port === undefined) continue;
      this.#port = Number(port);
      // What it prints from now on is nobody's, but must not fill the pipe.
      child.stdout.resume();
      return;
    }
    assert.fail(`the service ended before it served: ${said}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Kills it, and starts it again. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Runs a command on its state directory. */
  run(...args: string[]): string {
    return execFileSync(built("callosum-serve"), ["--state-dir", this.stateDir, ...args], { encoding: "utf8" });
  }

  /** A new token. */
  token(name: string, ...args: string[]): string {
    return (JSON.parse(this.run("--json", "token", "add", name, ...args)) as { token: string }).token;
  }

  /** The journal's records, oldest first. */
  journal(): Array<Record<string, unknown>> {
    const lines = readFileSync(join(this.stateDir, "journal.jsonl"), "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
