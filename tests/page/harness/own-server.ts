// `callosum ui` as somebody starts it, on a state directory of the test's own, and a gate that plays the sessions on it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loadGate, type NativeGate } from "../../../plugin/src/native.runtime.ts";
import { EXTENSION } from "../../openclaw/harness/stage.ts";

const START_MS = 20_000;

export class OwnServer {
  readonly #child: ChildProcess;
  readonly #links: AsyncIterator<string>;

  private constructor(child: ChildProcess, links: AsyncIterator<string>) {
    this.#child = child;
    this.#links = links;
  }

  static start(stateDir: string): OwnServer {
    const env = { PATH: process.env.PATH ?? "", HOME: stateDir, USER: "ann", CALLOSUM_STATE_DIR: stateDir };
    const child = spawn(join(EXTENSION, "bin", "callosum"), ["ui", "--json"], { env, stdio: ["pipe", "pipe", "inherit"] });
    return new OwnServer(child, createInterface({ input: child.stdout })[Symbol.asyncIterator]());
  }

  /** The next link that it prints: the first by itself, others when asked for with Enter. */
  async link(): Promise<string> {
    const late = setTimeout(() => this.#child.kill("SIGKILL"), START_MS);
    const { value, done } = await this.#links.next();
    clearTimeout(late);
    if (done) throw new Error("`callosum ui` ended without a link");
    return (JSON.parse(value) as { url: string }).url;
  }

  pressEnter(): void {
    this.#child.stdin?.write("\n");
  }

  /** Ends it as Ctrl-C does; gives its exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGINT");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), START_MS);
    await ended;
    clearTimeout(late);
    return this.#child.exitCode;
  }
}

/** A gate on a state directory, as the plugin of a gateway has one. */
export function gateOn(stateDir: string, runtime: string, settings: Record<string, unknown> = {}): NativeGate {
  const loaded = loadGate(
    {
      config: JSON.stringify({ stateDir, ...settings }),
      runtime,
      hostName: "host",
      hostStateDir: stateDir,
      packagedTiers: join(EXTENSION, "tiers.json"),
    },
    join(EXTENSION, "native", "binding.js"),
  );
  if (!loaded.ok) throw new Error(loaded.failure.cause);
  return loaded.gate;
}

/** Begins a call; gives why it was refused, or undefined when it runs. */
export async function begin(gate: NativeGate, session: string, call: string, command: string): Promise<string | undefined> {
  const answer = gate.before("exec", null, "main", session, "r", call, "/w", { command });
  const decided = answer?.ticket === undefined || answer.ticket === null ? answer : await gate.finish(answer.ticket);
  return decided?.refuse ?? undefined;
}

/** Ends a call that ran, well. */
export async function end(gate: NativeGate, session: string, call: string, command: string): Promise<void> {
  const answer = gate.after("exec", "main", session, "r", call, { command }, "ok", 0, null);
  if (answer?.ticket !== undefined && answer.ticket !== null) await gate.finish(answer.ticket);
}
