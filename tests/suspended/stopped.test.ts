// A process stops (SIGSTOP, a debugger, a container that is paused) in the middle of a call, with the state guard in hand: everybody else gets an
// answer in time, and all is well when it goes on. One that stops with only a lease in hand holds up nobody but those who are after the same.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type Answer, Gate } from "../../plugin/native/binding.js";
import { built } from "../programs.ts";
import { readSegments } from "../races/checker.ts";
import type { Did, Order } from "../races/protocol.ts";
import { type Hammer, nativeHammer, nativeProcess, nodeHammer, prepare, raced, stopWithGuard } from "./processes.ts";

/** The gate's own deadline for a worker, and what a busy machine may add to it. */
const IN_TIME_MS = 3_000 + 2_000;

const directories: string[] = [];
const hammers: Hammer[] = [];
after(() => {
  // A stopped process would stay for ever.
  for (const { told } of hammers) told.signal("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function scene() {
  const directory = mkdtempSync(join(tmpdir(), "callosum-stops-"));
  directories.push(directory);
  return prepare(directory);
}

/** A gateway's gate, and its calls. */
class Gateway {
  readonly #gate: Gate;
  #calls = 0;

  constructor(config: Record<string, unknown>) {
    this.#gate = new Gate({ config: JSON.stringify(config), runtime: "test", hostName: "stops", hostStateDir: "/stops" });
  }

  before(tool: string, params: object): { id: string; answer: Answer | null } {
    this.#calls += 1;
    const id = `g-${this.#calls}`;
    return { id, answer: this.#gate.before(tool, null, null, "gateway", "run", id, null, params) };
  }

  after(tool: string, id: string, params: object, ended = "ok"): Answer | null {
    return this.#gate.after(tool, null, "gateway", "run", id, params, ended, 0, null);
  }

  async settled(answer: Answer | null): Promise<Answer | null> {
    return answer?.ticket === undefined ? answer : this.#gate.finish(answer.ticket);
  }

  /** A call of tier 3 or 4 to its end: why it was refused, and how long that took. */
  async guarded(tool: string, to: string): Promise<{ refused: string | null; ms: number }> {
    const began = performance.now();
    const { id, answer } = this.before(tool, { to });
    const refused = (await this.settled(answer))?.refuse ?? null;
    const ms = performance.now() - began;
    await this.settled(this.after(tool, id, { to }, refused === null ? "ok" : "refused"));
    return { refused, ms };
  }

  async status() {
    return JSON.parse(await this.#gate.ask("status", "")) as {
      degraded?: { code: string };
      waiting: { queued: number; lost: number };
      journal: { skipped: number };
    };
  }

  async actionsOn(key: string): Promise<string[]> {
    const told = JSON.parse(await this.#gate.ask("journal", JSON.stringify({ key, limit: 100 }))) as {
      entries: Array<{ action: string }>;
    };
    return told.entries.map((entry) => entry.action);
  }

  maintain = () => this.#gate.maintain();
  close = () => this.#gate.close();
}

/** Every line of the journal is whole, and the segments follow each other. */
function checkJournal(stateDir: string): void {
  let end = 0;
  for (const { name, bytes } of readSegments(stateDir)) {
    const lines = bytes.toString("utf8").split("\n");
    assert.equal(lines.pop(), "", `${name} has an unfinished line`);
    const records = lines.map((line) => JSON.parse(line) as { action: string; base?: number });
    assert.deepEqual([records[0]?.action, records[0]?.base], ["opened", end], name);
    end += bytes.length;
  }
}

describe("stopped with the state guard in hand", () => {
  const kinds = { "a Node process": nodeHammer, "a native process": nativeHammer };
  for (const [kind, start] of Object.entries(kinds))
    test(kind, async (t) => {
      const { stateDir, config } = scene();
      const gateway = new Gateway({ ...config, instanceId: "gateway" });
      const native = await nativeProcess("bystander", { ...config, instanceId: "bystander" });
      assert.equal((await gateway.guarded("send", "early@example.com")).refused, null);
      assert.ok((await raced(native, { round: 0, to: "other@example.com", side: 2 })).allowed);
      const hammer = await start("stopped", { ...config, instanceId: "stopped" });
      hammers.push(hammer);
      await stopWithGuard(hammer, stateDir);

      // Tiers 0 to 2 are answered at once, on the event loop, start and end.
      for (const [tier, tool] of ["look", "side-1", "side-2"].entries()) {
        const began = performance.now();
        const { id, answer } = gateway.before(tool, { name: `meanwhile-${tier}` });
        const took = performance.now() - began;
        assert.equal(answer?.ticket, undefined, `tier ${tier} waits for a worker`);
        assert.equal(answer?.refuse, undefined);
        assert.equal(gateway.after(tool, id, { name: `meanwhile-${tier}` })?.ticket, undefined);
        t.diagnostic(`tier ${tier}: ${(took * 1000).toFixed(0)} µs`);
      }
      // Tiers 3 and 4 are refused in time, with the cause and the remedy; several at once wait no longer than one.
      const refusals = await Promise.all([
        gateway.guarded("send", "late@example.com"),
        gateway.guarded("send", "later@example.com"),
        gateway.guarded("pay", "late@example.com"),
      ]);
      refusals.push(await gateway.guarded("send", "again@example.com"));
      for (const { refused, ms } of refusals) {
        assert.match(refused ?? "it was allowed", /^\[Callosum\] .*state guard .*was not free for/s);
        assert.match(refused ?? "", /fuser/);
        assert.ok(ms < IN_TIME_MS, `${ms} ms`);
        t.diagnostic(`tier 3 or 4: ${ms.toFixed(0)} ms`);
      }
      // So it is for a process without Node; and who only looks needs no guard.
      const began = performance.now();
      const did = await raced(native, { round: 1, to: "late@example.com", side: 2 });
      assert.deepEqual([did.allowed, did.side.map((side) => side.allowed)], [false, [true, true]]);
      assert.match(did.text ?? "", /was not free for/);
      assert.ok(performance.now() - began < IN_TIME_MS);
      const looked = execFileSync(built("callosum"), ["--state-dir", stateDir, "--json", "journal"]);
      assert.ok(JSON.parse(looked.toString("utf8")).entries.length > 0);
      const status = await gateway.status();
      assert.equal(status.degraded?.code, "guard-timeout");
      assert.ok(status.waiting.queued > 0);

      hammer.told.signal("SIGCONT");
      const deadline = performance.now() + IN_TIME_MS;
      for (let mended = false; !mended; ) {
        await gateway.maintain();
        const { degraded, waiting } = await gateway.status();
        mended = degraded === undefined && waiting.queued === 0;
        assert.ok(mended || performance.now() < deadline, JSON.stringify({ degraded, waiting }));
      }
      assert.equal((await gateway.guarded("send", "late@example.com")).refused, null);
      assert.match((await gateway.guarded("send", "early@example.com")).refused ?? "", /was already acted on/);
      // The native process writes what it had to keep with its next call, which the other's mail pauses.
      const next = await raced(native, { round: 2, to: "late@example.com", side: 0 });
      assert.match(next.text ?? "it was allowed", /was already acted on/);
      const before = await hammer.end();
      assert.ok(before.calls > 0);
      t.diagnostic(`the stopped one made ${before.calls} calls in all`);
      // Nothing was lost, and nothing was written twice.
      assert.deepEqual(await gateway.actionsOn("side:meanwhile-2"), ["intercept", "complete"]);
      assert.deepEqual(await gateway.actionsOn("side:meanwhile-1"), ["intercept"]);
      const onLate = await gateway.actionsOn("email:late@example.com");
      assert.deepEqual(onLate.toSorted(), ["blocked", "complete", "intercept", "refused", "refused"]);
      const { waiting, journal } = await gateway.status();
      assert.deepEqual([waiting.lost, journal.skipped], [0, 0]);
      native.tell({ do: "close" } satisfies Order);
      await native.answer<Did>();
      native.child.stdin?.end();
      hammer.told.child.stdin?.end();
      await gateway.close();
      checkJournal(stateDir);
    });
});

test("stopped with a lease in hand: only its resource waits, and its outcome counts when it goes on", async () => {
  const { config } = scene();
  const gateway = new Gateway({ ...config, instanceId: "gateway" });
  const holder = await nativeProcess("holder", { ...config, instanceId: "holder" });
  holder.tell({ do: "race", round: 0, to: "held", startUs: 0, workUs: 500_000, side: 0 } satisfies Order);
  const until = performance.now() + IN_TIME_MS;
  while ((await gateway.actionsOn("email:held")).length === 0) assert.ok(performance.now() < until, "it never began");
  holder.signal("SIGSTOP");
  try {
    const { refused, ms } = await gateway.guarded("send", "held");
    assert.match(refused ?? "it was allowed", /is being acted on/);
    assert.ok(ms < IN_TIME_MS, `${ms} ms`);
    assert.equal((await gateway.guarded("send", "free")).refused, null);
    assert.equal((await gateway.status()).degraded, undefined);
  } finally {
    holder.signal("SIGCONT");
  }
  const did = await holder.answer<Did>();
  assert.ok(did.did === "race" && did.allowed);
  assert.match((await gateway.guarded("send", "held")).refused ?? "it was allowed", /was already acted on/);
  assert.deepEqual(await gateway.actionsOn("email:held"), ["intercept", "blocked", "complete", "blocked"]);
  holder.child.stdin?.end();
  await gateway.close();
});
