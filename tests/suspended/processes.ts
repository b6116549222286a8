// Processes on one state directory: those that fill its journal as fast as they can, and how one of them is stopped with the state guard in hand.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { built } from "../programs.ts";
import type { Did, Order } from "../races/protocol.ts";

const HERE = dirname(fileURLToPath(import.meta.url));

/** A tool for each tier; the names that the races use where there is one. */
const RULES = {
  rules: [
    { name: "look", tier: 0, tool: "look", contextKey: "look:{params.name}" },
    { name: "side-1", tier: 1, tool: "side-1", contextKey: "side:{params.name}" },
    { name: "side-2", tier: 2, tool: "side-2", contextKey: "side:{params.name}" },
    { name: "mail", tier: 3, tool: "send", contextKey: "email:{params.to}" },
    { name: "pay", tier: 4, tool: "pay", contextKey: "account:{params.to}" },
  ],
};

/** Puts the rules into a folder, `directory` itself if nothing else is said, and says how gates are opened on the state directory in it. */
export function prepare(directory: string, rulesIn = directory): { stateDir: string; config: Record<string, unknown> } {
  const tiersFile = join(rulesIn, "stops-tiers.json");
  writeFileSync(tiersFile, JSON.stringify(RULES));
  const stateDir = join(directory, "state");
  return { stateDir, config: { stateDir, tiersFile, journalMaxBytes: 1 << 20 } };
}

/** A child process that is told and answers lines of JSON. */
export class Told {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;
  #errors = "";

  constructor(name: string, command: string, args: string[]) {
    this.#name = name;
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    const { stdin, stdout, stderr } = this.child;
    if (stdin === null || stdout === null || stderr === null) throw new Error(`${name} has no pipes`);
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    stdin.on("error", () => {});
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  tell(order: unknown): void {
    this.child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  async answer<T>(): Promise<T> {
    const line = await this.#lines.next();
    if (line.done) throw new Error(`${this.#name} ended: ${this.#errors || "without a word"}`);
    return JSON.parse(line.value) as T;
  }

  signal(signal: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    this.child.kill(signal);
  }
}

/** What a process that makes calls without a pause has done. */
export interface Hammered {
  calls: number;
  refused: number;
}

/** A process that makes calls of all tiers without a pause, until it is told to end. */
export interface Hammer {
  name: string;
  told: Told;
  end(): Promise<Hammered>;
}

export async function nodeHammer(name: string, config: Record<string, unknown>): Promise<Hammer> {
  const told = new Told(name, process.execPath, [join(HERE, "hammer.ts"), name, JSON.stringify(config)]);
  await told.answer();
  return {
    name,
    told,
    end: async () => {
      told.tell("end");
      return told.answer<Hammered>();
    },
  };
}

/** The same without Node: the racer of the races, round after round. */
export async function nativeHammer(name: string, config: Record<string, unknown>): Promise<Hammer> {
  const told = await nativeProcess(name, config);
  const done: Hammered = { calls: 0, refused: 0 };
  let ending = false;
  const rounds = (async () => {
    for (let round = 0; !ending; round += 1) {
      const did = await raced(told, { round, to: `${name}-${round % 50}@example.com`, side: 20 });
      done.calls += did.side.length + 1;
      if (!did.allowed) done.refused += 1;
    }
  })();
  // Whoever ends it hears of it.
  rounds.catch(() => {});
  return {
    name,
    told,
    end: async () => {
      ending = true;
      await rounds;
      told.tell({ do: "close" } satisfies Order);
      await told.answer<Did>();
      return done;
    },
  };
}

/** A native process with a gate. */
export async function nativeProcess(name: string, config: Record<string, unknown>): Promise<Told> {
  const told = new Told(name, built("racer"), [name]);
  told.tell({ do: "open", config } satisfies Order);
  await told.answer<Did>();
  return told;
}

/** One round of a native process: so many calls of tiers 1 and 2, then one of tier 3, at once. */
export async function raced(told: Told, round: { round: number; to: string; side: number }) {
  told.tell({ do: "race", startUs: 0, workUs: 0, ...round } satisfies Order);
  const did = await told.answer<Did>();
  if (did.did !== "race") throw new Error(`it did ${did.did}`);
  return did;
}

/** Whether somebody holds the state guard now. */
function isHeld(stateDir: string): boolean {
  const tried = spawnSync("flock", ["--nonblock", join(stateDir, "state.guard"), "true"]);
  if (tried.error) throw tried.error;
  return tried.status !== 0;
}

/** Stops a process at a moment at which it holds the guard. Nobody else may be using the guard. */
export async function stopWithGuard(hammer: Hammer, stateDir: string): Promise<void> {
  for (let attempt = 0; attempt < 5_000; attempt += 1) {
    hammer.told.signal("SIGSTOP");
    // The signal arrives when the process runs next; until then it goes on.
    await sleep(2);
    if (isHeld(stateDir)) {
      // Stopped it is by now, if it was not before: who held the guard for a moment has let go.
      await sleep(20);
      if (isHeld(stateDir)) return;
    }
    hammer.told.signal("SIGCONT");
    await sleep(1 + (attempt % 7));
  }
  throw new Error(`${hammer.name} was never met with the guard in hand`);
}
