// A file system that stands still under the state directory (a snapshot, a stuck network disk): hooks return while it does, and what they left
// is written when it goes on. A real one: `fsfreeze` on a loop device, which takes root on Linux; elsewhere this is skipped, and says so.
// CALLOSUM_TORTURE=1 holds each hook to its promise besides: 20 ms, judged only where a loop that touches nothing keeps to that.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Answer, Gate } from "../../plugin/native/binding.js";
import { FULL_SIZE } from "../full-size.ts";
import { prepare } from "./processes.ts";

const PROMISE_MS = 20;
/** Whatever hangs is freed after that; nothing else takes as long. */
const WATCHDOG_S = 60;

const directory = mkdtempSync(join(tmpdir(), "callosum-frozen-"));
const mount = join(directory, "mount");
let isMounted = false;
after(() => {
  if (isMounted) {
    thaw();
    // Lazily: a gate whose test failed has files open there.
    spawnSync("umount", ["--lazy", mount]);
  }
  rmSync(directory, { recursive: true, force: true });
});

/** Why a program could not do it; undefined when it could. */
function refusedBy(program: string, ...args: string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return error?.message ?? (status === 0 ? undefined : `${program}: ${stderr.trim()}`);
}

/** Makes a file system of its own; why it can't otherwise. */
function mounted(): string | undefined {
  const image = join(directory, "image");
  writeFileSync(image, "");
  truncateSync(image, 64 << 20);
  mkdirSync(mount);
  const refused = refusedBy("mkfs.ext4", "-q", image) ?? refusedBy("mount", "-o", "loop", image, mount);
  isMounted = refused === undefined;
  return refused ?? refusedBy("fsfreeze", "--freeze", mount) ?? refusedBy("fsfreeze", "--unfreeze", mount);
}

let watchdog: ChildProcess | undefined;

function freeze(): void {
  assert.equal(refusedBy("fsfreeze", "--freeze", mount), undefined);
  // A process of its own: where a hook hangs, no timer of this one fires.
  watchdog = spawn("sh", ["-c", `sleep ${WATCHDOG_S}; fsfreeze --unfreeze "$0"`, mount], { stdio: "ignore", detached: true });
}

/** Lets the file system go on; false when it did already, because something hung until the watchdog came. */
function thaw(): boolean {
  const stoodStill = refusedBy("fsfreeze", "--unfreeze", mount) === undefined;
  // Its whole group: the sleep is a process of its own.
  if (watchdog?.pid !== undefined) process.kill(-watchdog.pid, "SIGKILL");
  watchdog = undefined;
  return stoodStill;
}

interface Row {
  call?: string;
  action: string;
}

const refused = mounted();
if (refused !== undefined)
  console.error(`SKIPPED: no file system can be frozen here, so nothing shows what hooks do then (${refused})`);

for (const isFresh of [false, true]) {
  const what = isFresh ? "a gate that was never opened" : "a gate in use";
  test(`no hook of ${what} waits for a frozen file system`, { skip: refused }, async (t) => {
    const { config } = prepare(isFresh ? join(mount, "fresh") : mount, directory);
    const gate = new Gate({ config: JSON.stringify(config), runtime: "test", hostName: "stops", hostStateDir: "/stops" });
    const held = new Map<string, number>();
    const timed = <T>(name: string, hook: () => T): T => {
      const began = performance.now();
      const result = hook();
      held.set(name, Math.max(held.get(name) ?? 0, performance.now() - began));
      return result;
    };
    const before = (tool: string, id: string, to: string): Answer | null =>
      timed(`before ${tool}`, () => gate.before(tool, null, "main", `s-${tool}`, "run", id, null, { name: id, to }));
    const end = (tool: string, id: string): Answer | null =>
      timed(`after ${tool}`, () => gate.after(tool, "main", `s-${tool}`, "run", id, { name: id }, "ok", 0, null));
    const settled = async (answer: Answer | null) => (answer?.ticket === undefined ? answer : gate.finish(answer.ticket));

    if (!isFresh) {
      assert.equal(await settled(before("send", "warm", "warm@example.com")), null);
      await settled(end("send", "warm"));
    }
    // The machine code is made, and the rules are there.
    await gate.ask("rules", "");
    held.clear();

    freeze();
    const tickets: Promise<Answer | null>[] = [];
    try {
      for (let round = 0; round < 20; round += 1) {
        for (const tool of ["look", "side-1", "side-2"]) {
          before(tool, `${tool}-${round}`, "x");
          end(tool, `${tool}-${round}`);
        }
        // As the host: one after the other, and each waited for in the background.
        if (round < 2) {
          const answer = before("send", `send-${round}`, `to-${round}@example.com`);
          assert.notEqual(answer?.ticket, undefined, "it waits for a worker");
          tickets.push(settled(answer));
        }
        timed("processEnded", () => gate.processEnded("nobody", "ok", 0));
        timed("resultPersisted", () => gate.resultPersisted("s-send", `send-${round}`));
        timed("modelCallStarted", () => gate.modelCallStarted(`run-${round}`));
        timed("notices", () => gate.notices());
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      timed("writeAtExit", () => gate.writeAtExit());
      const late = before("pay", "late", "late");
      assert.match(timed("abandon", () => gate.abandon(late?.ticket ?? 0))?.refuse ?? "", /Can't check/);
    } finally {
      const control = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      const idle = performance.now() - control;
      assert.ok(thaw(), "a hook hung until the watchdog let the file system go on");
      const [slowest, ms] = [...held].reduce((most, one) => (one[1] > most[1] ? one : most));
      t.diagnostic(
        `${what}: held longest by ${slowest}, ${ms.toFixed(1)} ms; an empty turn of the loop took ${idle.toFixed(1)} ms`,
      );
      if (FULL_SIZE) assert.ok(ms < PROMISE_MS || idle > PROMISE_MS, `${slowest} held the loop for ${ms} ms`);
    }

    // Refused when the worker gave up, or decided now that it can be: a finish never hangs.
    await Promise.all(tickets);
    await gate.maintain();
    const { waiting } = JSON.parse(await gate.ask("status", "")) as { waiting: { queued: number; lost: number } };
    assert.deepEqual([waiting.queued, waiting.lost], [0, 0]);
    const { entries } = JSON.parse(await gate.ask("journal", '{"limit":1000}')) as { entries: Row[] };
    const actions = (id: string) => entries.filter(({ call }) => call === id).map(({ action }) => action);
    for (let round = 0; round < 20; round += 1) {
      for (const [tool, rows] of [
        ["look", ["intercept"]],
        ["side-1", ["intercept"]],
        ["side-2", ["intercept", "complete"]],
      ] as const) {
        assert.deepEqual(actions(`${tool}-${round}`), rows, `${tool}-${round}`);
      }
    }
    assert.equal(actions("late").at(-1), "refused", "the host was told so");
    await gate.close();
  });
}
