// The product under test: the built addon, loaded and asked as the shim does it.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../../plugin/native/binding.js";
import { loadGate, type NativeGate } from "../../plugin/src/native.runtime.ts";
import { EXTENSION } from "../build.ts";
import { type Call, type Durability, KINDS, newCall, newSession } from "./calls.ts";
import { KEEP_ALL } from "./journals.ts";
import { awaited, type Times, timed } from "./samples.ts";

const AGENT = "main";
const WORKSPACE = "/srv/agent";
/** Long enough for a journal of any size that is measured here. */
const OPENING_MS = 120_000;

interface Status {
  degraded?: { cause: string };
  journal: { head: number };
}

export class Product {
  readonly #gate: NativeGate;
  readonly #durability: Durability;
  /** Calls of an unflushed gate that could not be answered at once. They were brought to their end, and are measured like all others. */
  late = 0;

  constructor(stateDir: string, durability: Durability) {
    const config = { stateDir, durability, ...KEEP_ALL };
    const loaded = loadGate(
      {
        config: JSON.stringify(config),
        runtime: "openclaw",
        hostName: "bench",
        hostStateDir: "/srv/openclaw",
        packagedTiers: join(EXTENSION, "tiers.json"),
      },
      join(EXTENSION, "native", "binding.js"),
    );
    if (!loaded.ok) throw new Error(loaded.failure.cause);
    this.#gate = loaded.gate;
    this.#durability = durability;
  }

  /** Makes the gate read its journal, and waits until it has; how many milliseconds that took. */
  async open(): Promise<number> {
    const started = performance.now();
    for (;;) {
      const { degraded } = await this.#status();
      const ms = performance.now() - started;
      if (degraded === undefined) return ms;
      if (ms > OPENING_MS) throw new Error(`the gate did not open: ${degraded.cause}`);
      await sleep(50);
    }
  }

  async #status(): Promise<Status> {
    return JSON.parse(await this.#gate.ask("status", "")) as Status;
  }

  /** Reads what others wrote, however much it is. */
  async catchUp(): Promise<void> {
    await this.settled(newCall(KINDS.mailTool, 100));
  }

  maintain(): Promise<void> {
    return this.#gate.maintain();
  }

  close(): Promise<void> {
    return this.#gate.close();
  }

  #before({ tool, session, run, id, params }: Call) {
    return this.#gate.before(tool, null, AGENT, session, run, id, WORKSPACE, params);
  }

  #after({ tool, session, run, id, params, exitCode }: Call, ended: string) {
    return this.#gate.after(tool, AGENT, session, run, id, params, ended, exitCode, null);
  }

  /** One call from its before-hook to the end of its after-hook, whatever has to be waited for. */
  async settled(call: Call): Promise<void> {
    let before = this.#before(call);
    if (before?.ticket !== undefined) before = await this.#gate.finish(before.ticket);
    if (before?.refuse !== undefined) throw new Error(`a call that should run was refused: ${before.refuse}`);
    const after = this.#after(call, "ok");
    if (after?.ticket !== undefined) await this.#gate.finish(after.ticket);
  }

  /** Times of calls that are allowed: on the JS thread, or, where they are flushed, until the flush is done. */
  async calls(calls: Call[]): Promise<Times> {
    const times: Times = [];
    for (const call of calls) {
      if (this.#durability === "disk") {
        times.push(await awaited(() => this.settled(call)));
        continue;
      }
      let answers: (Answer | null)[] = [];
      times.push(
        timed(() => {
          answers = [this.#before(call), this.#after(call, "ok")];
        }),
      );
      for (const answer of answers) if (answer !== null) await this.#finishLate(answer);
    }
    return times;
  }

  async #finishLate({ refuse, ticket, maintain }: Answer): Promise<void> {
    if (refuse !== undefined) throw new Error(`a call that should run was refused: ${refuse}`);
    this.late += 1;
    if (ticket !== undefined) await this.#gate.finish(ticket);
    if (maintain) await this.#gate.maintain();
  }

  /** Times of calls that are paused, each of another session, because one mail went out before. */
  async pauses(count: number, bytes: number): Promise<Times> {
    const times: Times = [];
    for (let done = 0; done < count; done += 1) {
      const call = newCall(KINDS.mailAgain, bytes, newSession());
      let refuse: string | undefined;
      times.push(
        timed(() => {
          refuse = this.#before(call)?.refuse;
          this.#after(call, "refused");
        }),
      );
      if (refuse === undefined) throw new Error("a call that should be paused was not");
    }
    return times;
  }

  async statuses(count: number): Promise<Times> {
    const times: Times = [];
    for (let done = 0; done < count; done += 1) times.push(await awaited(() => this.#gate.ask("status", "")));
    return times;
  }

  async journals(count: number): Promise<Times> {
    const times: Times = [];
    for (let done = 0; done < count; done += 1) times.push(await awaited(() => this.#gate.ask("journal", '{"limit":50}')));
    return times;
  }

  /** Where the journal ends. */
  async head(): Promise<number> {
    return (await this.#status()).journal.head;
  }
}
