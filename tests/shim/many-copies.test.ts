// The host maps another copy of the addon with each load of the plugin, and never lets one go. Several copies in one process, worker threads that
// end in the middle, gates that come and go: nothing of it may abort the process. A child process loads them, because an abort is what is feared.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "callosum-copies-"));
after(() => rmSync(dir, { recursive: true, force: true }));

const built = globSync("dist/callosum/native/*.node", { cwd: ROOT })[0];
assert.ok(built !== undefined, "the addon is not built");
const COPIES = ["one", "two", "three"].map((name) => {
  const copy = join(dir, `${name}.node`);
  copyFileSync(join(ROOT, built), copy);
  return copy;
});

/** In front of each program: opens gates of any copy on one state directory, and makes calls. */
const PRELUDE = `
  const [state, ...copies] = process.argv.slice(1);
  const assert = require("node:assert");
  const open = (copy, more) => {
    const { Gate } = require(copy);
    const config = JSON.stringify({ stateDir: state, ...more });
    return new Gate({ config, runtime: "test", hostName: "h", hostStateDir: "/s" });
  };
  const settle = async (gate, answer) => (answer?.ticket ? await gate.finish(answer.ticket) : answer);
  const mail = (gate, session, call, to) =>
    gate.before("exec", null, null, session, "r", call, null, { command: "mail -s hi " + to + "@example.com" });
  const done = (gate, session, call) => gate.after("exec", null, session, "r", call, {}, "ok", 0, null);
  const journal = async (gate, filter) => JSON.parse(await gate.ask("journal", JSON.stringify({ limit: 10000, ...filter }))).entries;
`;

function run(program: string): string {
  const state = mkdtempSync(join(dir, "state-"));
  const args = ["--expose-gc", "-e", `${PRELUDE}\n(async () => {${program}})();`, state, ...COPIES];
  const child = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([child.status, child.signal], [0, null], child.stderr);
  return child.stdout;
}

test("three copies and one path twice in a process: one truth, and a clean end with and without closing", () => {
  for (const close of [true, false]) {
    run(`
      const again = () => {
        delete require.cache[copies[0]];
        return open(copies[0]);
      };
      const gates = [...copies.map((copy) => open(copy)), open(copies[0]), again()];
      assert.strictEqual(await settle(gates[0], mail(gates[0], "a", "1", "alice")), null);
      for (const [index, gate] of gates.entries()) {
        const told = await settle(gate, mail(gate, "b" + index, "1", "alice"));
        assert.match(told?.refuse ?? "", /is being acted on/, "copy " + index);
      }
      await settle(gates[0], done(gates[0], "a", "1"));
      for (const gate of gates) {
        assert.strictEqual((await journal(gate, { action: "complete" })).length, 1);
        ${close ? "await gate.close();" : ""}
      }
    `);
  }
});

test("worker threads that end by themselves, are ended in mid-call, or leave gates open", () => {
  run(`
    const { Worker } = require("node:worker_threads");
    const source = \`
      const { workerData } = require("node:worker_threads");
      const { Gate } = require(workerData.copy);
      const config = JSON.stringify({ stateDir: workerData.state });
      const gate = new Gate({ config, runtime: "test", hostName: "h", hostStateDir: "/s" });
      const work = async () => {
        for (let call = 0; call < workerData.calls; call += 1) {
          const params = { command: "mail -s hi w" + workerData.number + "-" + call + "@example.com" };
          const answer = gate.before("exec", null, null, "w" + workerData.number, "r", "c" + call, null, params);
          // Every other one is left under way.
          const under = answer?.ticket ? gate.finish(answer.ticket) : undefined;
          void gate.maintain();
          void gate.ask("status", "");
          if (call % 2) await under;
        }
        if (workerData.exits) process.exit(0);
        if (workerData.closes) await gate.close();
      };
      void work();
    \`;
    const main = open(copies[0]);
    await settle(main, mail(main, "main", "1", "before"));
    let number = 0;
    const one = async (copy, how) => {
      number += 1;
      const workerData = { copy, state, number, calls: 20, ...how };
      const worker = new Worker(source, { eval: true, workerData });
      const ended = new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject));
      if (how.kill !== undefined) setTimeout(() => worker.terminate(), how.kill);
      await ended;
    };
    const ways = [{}, { closes: true }, { exits: true }, { calls: 2000, kill: 60 }, { calls: 2000, kill: 90 }, { calls: 2000, kill: 140 }];
    for (const copy of copies) await Promise.all(ways.map((how) => one(copy, how)));
    // The main thread's gate is as well as before, and the journal whole.
    assert.strictEqual(await settle(main, mail(main, "main", "2", "after")), null);
    const status = JSON.parse(await main.ask("status", "{}"));
    assert.strictEqual(status.degraded, undefined);
    assert.strictEqual(status.journal.skipped, 0);
    const intercepts = await journal(main, { action: "intercept" });
    for (const worker of [1, 2, 3]) {
      const calls = intercepts.filter((row) => row.session === "w" + worker).map((row) => row.call);
      // In whatever order: half of them were not waited for.
      assert.deepStrictEqual(new Set(calls), new Set(Array.from({ length: 20 }, (_, call) => "c" + call)));
      assert.strictEqual(calls.length, 20);
    }
    await main.close();
  `);
});

test("hundreds of gates opened and closed leave no file and no thread behind", () => {
  run(`
    const fs = require("node:fs");
    const files = () => (process.platform === "linux" ? fs.readdirSync("/proc/self/fd").length : 0);
    // What a gate holds is freed with its object, whenever that is collected.
    const collected = async () => {
      for (let round = 0; round < 3; round += 1) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return process.memoryUsage().rss;
    };
    const cycle = async (count) => {
      for (let round = 0; round < count; round += 1) {
        const gate = open(copies[round % copies.length], { durability: "os" });
        assert.strictEqual(await settle(gate, mail(gate, "s" + round, "1", "x" + round + "-" + count)), null);
        const closing = gate.close();
        // A call that comes meanwhile is still gated, or answered with nothing.
        const late = await settle(gate, mail(gate, "s" + round, "2", "late" + round + "-" + count));
        assert.strictEqual(late, null);
        await closing;
        // Else garbage of all rounds would stand at once, and the process keeps what it ever had.
        if (round % 50 === 0) await collected();
      }
    };
    await cycle(200);
    const [memoryBefore, filesBefore] = [await collected(), files()];
    await cycle(300);
    assert.ok(files() <= filesBefore + 1, filesBefore + " files, then " + files());
    const memory = await collected();
    assert.ok(memory - memoryBefore < 32 * 1024 * 1024, memoryBefore + " bytes, then " + memory);
    const gate = open(copies[0]);
    assert.ok((await journal(gate, { action: "intercept" })).length >= 500);
  `);
});

test("a gate that is closed while many calls wait for their answer: each gets one", () => {
  run(`
    const gate = open(copies[0]);
    const answers = Array.from({ length: 200 }, (_, n) => settle(gate, mail(gate, "s" + n, "1", "x" + n)));
    const closing = gate.close();
    for (const answer of await Promise.all(answers)) assert.strictEqual(answer, null);
    await closing;
    const fresh = open(copies[1]);
    assert.strictEqual((await journal(fresh, { action: "intercept" })).length, 200);
    await fresh.close();
  `);
});
