// A race: several processes with the real addon or the native core on one state directory. In each round all of them try the same guarded
// call at one moment. The barrier is made of pipes and a clock; nothing of the product takes part in it.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Did, Order, RaceLog } from "./protocol.ts";

export interface RaceOptions {
  /** An empty folder. */
  directory: string;
  rounds: number;
  /** Processes with the addon. */
  node: number;
  /** Processes without Node. */
  native: number;
  /** The native racer's program. */
  program: string;
  /** Makes the same orders again. */
  seed: number;
  onProgress?: (round: number) => void;
}

export interface RaceResult {
  logs: RaceLog[];
  stateDir: string;
  elapsedMs: number;
}

/** So many times in a race all processes open their gates anew, at once. */
const PHASES = 20;
/** Every so many rounds all do their maintenance, at once. */
const MAINTENANCE_ROUNDS = 20;
/** Every so many phases intents are flushed to the disk before a call runs. */
const DISK_PHASES = 5;
/** From the order to the common start, microseconds: until then all have read it. */
const HEAD_START_US = 1_200;

/** A round that takes longer hangs, however busy the machine is. */
const HANGS_MS = 60_000;

/** The rules of the race: one guarded tool, and what else fills the journal. Its window outlasts every race: the checker needs all segments. */
const RULES = {
  rules: [
    { name: "mail", tier: 3, tool: "send", contextKey: "email:{params.to}", recentWindowMs: 86_400_000 },
    { name: "side-1", tier: 1, tool: "side-1", contextKey: "side:{params.name}" },
    { name: "side-2", tier: 2, tool: "side-2", contextKey: "side:{params.name}" },
  ],
};

/** Whom the round's mail goes to. */
export function recipient(round: number): string {
  return `race-${round}@example.com`;
}

/** Numbers from 0 to below `below`, the same for the same seed (mulberry32). */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

class Racer {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;
  #errors = "";

  constructor(name: string, command: string, args: string[]) {
    this.#name = name;
    const child = spawn(command, [...args, name], { stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    // A process that died is noticed by its answer that does not come.
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      this.#errors += String(error);
    });
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  tell(order: Order): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  async answer(): Promise<Did> {
    const line = await this.#lines.next();
    if (line.done) throw new Error(`${this.#name} ended in the middle of the race: ${this.#errors || "without a word"}`);
    return JSON.parse(line.value) as Did;
  }

  leave(): void {
    this.#child.stdin?.end();
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

export async function race(options: RaceOptions): Promise<RaceResult> {
  const stateDir = join(options.directory, "state");
  const tiersFile = join(options.directory, "race-tiers.json");
  writeFileSync(tiersFile, JSON.stringify(RULES));
  const roll = dice(options.seed);
  const racerTs = join(dirname(fileURLToPath(import.meta.url)), "racer.ts");
  const racers: Racer[] = [];
  for (let index = 0; index < options.node; index += 1) racers.push(new Racer(`node-${index}`, process.execPath, [racerTs]));
  for (let index = 0; index < options.native; index += 1) racers.push(new Racer(`native-${index}`, options.program, []));

  const all = async (order: (index: number) => Order): Promise<Did[]> => {
    for (const [index, racer] of racers.entries()) racer.tell(order(index));
    return Promise.all(racers.map((racer) => racer.answer()));
  };
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    for (const racer of racers) racer.kill();
  }, HANGS_MS);
  const logs: RaceLog[] = [];
  const phase = Math.ceil(options.rounds / PHASES);
  const began = performance.now();
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      if (round % phase === 0) {
        const durability = (round / phase) % DISK_PHASES === DISK_PHASES - 1 ? "disk" : "os";
        // One instance for all: their sessions alone tell them apart. The smallest journal there is: 16 KiB a segment.
        const config = { instanceId: "race", stateDir, tiersFile, durability, journalMaxBytes: 65_536 };
        await all(() => ({ do: "open", config }));
      } else if (round % MAINTENANCE_ROUNDS === 0) {
        await all(() => ({ do: "maintain" }));
      }
      const startUs = Number(process.hrtime.bigint() / 1000n) + HEAD_START_US;
      const answers = await all(() => {
        return { do: "race", round, to: recipient(round), startUs, workUs: roll(3_000), side: roll(4) };
      });
      for (const answer of answers) if (answer.did === "race") logs.push(answer);
      timer.refresh();
      options.onProgress?.(round + 1);
    }
    await all(() => ({ do: "close" }));
    for (const racer of racers) racer.leave();
    return { logs, stateDir, elapsedMs: performance.now() - began };
  } catch (error) {
    if (hangs) throw new Error(`no round ended for ${HANGS_MS} ms: the race was ended after ${logs.length} verdicts`);
    throw error;
  } finally {
    clearTimeout(timer);
    for (const racer of racers) racer.kill();
  }
}
