// The state directory fails under a running gateway, by real means: each tier as `onStateError` says (tiered, the default), an answer in time, a
// status that says what and how to fix it, and all well again when the cause ends, without a restart.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ScriptedCall } from "./harness/fake-model.ts";
import { send } from "./harness/mail.ts";
import { exec, type Status, until, World } from "./harness/world.ts";

/** The state directory is a file system of its own where that can be had: only so it can be full, or read-only for root too. */
const TMPFS_KB = 512;
let world: World;
let dir: string;
let mounted = false;

before(async () => {
  world = await World.open({}, ({ stateDir }) => {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    mounted = can("mount", "-t", "tmpfs", "-o", `size=${TMPFS_KB}k,mode=0700`, "none", stateDir);
  });
  dir = world.stateDir;
});
after(async () => {
  await world?.gateway.stop();
  if (mounted) can("umount", dir);
  await world?.close();
});

function can(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore", timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

const mail = (name: string): ScriptedCall => exec(send(`${name}@example.com`));
const sent = (name: string) => world.mail.sent(`${name}@example.com`).length;
const read = (name: string): ScriptedCall => ({ name: "read", args: { path: join(world.gateway.workspace, `${name}.txt`) } });
const degraded = async (): Promise<Status["degraded"]> => (await world.status()).degraded;
const actionsOn = async (name: string) =>
  (await world.journal({ key: `email:${name}@example.com` })).map((row) => row.action).filter((action) => action !== "delivered");

/** The shim's deadline, the host's own time for a turn, and a slow machine. */
const IN_TIME_MS = 9_000;

interface Expected {
  code: string;
  cause: RegExp;
  remedy: RegExp;
}

/** Makes the state fail, looks what holds meanwhile, ends the cause, and looks that all is well. */
async function degrade(name: string, expected: Expected, fail: () => unknown, mend: () => unknown): Promise<void> {
  const early = `${name}-early`;
  const late = `${name}-late`;
  writeFileSync(join(world.gateway.workspace, `${name}.txt`), `text of ${name}`);
  await world.play(`${name}-a`, mail(early));
  assert.equal(sent(early), 1);
  await fail();
  try {
    // Tier 3 is refused, with the cause and the remedy for whoever reads it; tiers 0 and 1 go on.
    const started = Date.now();
    const [told] = await world.play(`${name}-b`, mail(late));
    assert.ok(Date.now() - started < IN_TIME_MS, `${Date.now() - started} ms`);
    assert.match(told ?? "", /^\[Callosum\] /);
    assert.match(told ?? "", expected.cause);
    assert.match(told ?? "", expected.remedy);
    assert.equal(sent(late), 0);
    const [text] = await world.play(`${name}-b`, read(name));
    assert.match(text ?? "", new RegExp(`text of ${name}`));
    const [echoed] = await world.play(`${name}-b`, exec(`echo ${name} goes on`));
    assert.match(echoed ?? "", new RegExp(`${name} goes on`));

    const status = await world.status();
    assert.equal(status.degraded?.code, expected.code, JSON.stringify(status.degraded));
    assert.match(status.degraded.cause, expected.cause);
    assert.match(status.degraded.remedy, expected.remedy);
    const { waiting } = status;
    assert.ok(waiting.unwritten > 0 && waiting.queued > 0, JSON.stringify(waiting));
    assert.equal(waiting.lost, 0);
    await until("the log", () => expected.cause.test(world.gateway.log()));
  } finally {
    await mend();
  }
  await until("the gate to be well", async () => (await degraded()) === undefined, 15_000);
  const [again] = await world.play(`${name}-c`, mail(late));
  assert.doesNotMatch(again ?? "", /^\[Callosum\] /);
  assert.equal(sent(late), 1);
  // What was refused meanwhile is one row, and came before.
  assert.deepEqual(await actionsOn(late), ["refused", "intercept", "complete"]);
  assert.equal((await world.status()).waiting.queued, 0);
}

/** As [`degrade`], with a journal that is still the same one afterwards: what was done before is known. */
async function degradeAndRemember(name: string, expected: Expected, fail: () => unknown, mend: () => unknown): Promise<void> {
  await degrade(name, expected, fail, mend);
  const [told] = await world.play(`${name}-d`, mail(`${name}-early`));
  assert.match(told ?? "", /was already acted on/);
  assert.equal(sent(`${name}-early`), 1);
}

test("others may write it", async () => {
  await degradeAndRemember(
    "shared",
    { code: "writable-by-others", cause: /can be written by other users \(mode 770\)/, remedy: /chmod go-w/ },
    () => chmodSync(dir, 0o770),
    () => chmodSync(dir, 0o700),
  );
});

test("the guard is held by a process that has stopped", async () => {
  let holder: ChildProcess | undefined;
  await degradeAndRemember(
    "stopped",
    { code: "guard-timeout", cause: /state guard .* was not free/, remedy: /fuser/ },
    async () => {
      // `flock` takes the lock and becomes the program that says so.
      holder = spawn("flock", [join(dir, "state.guard"), "sh", "-c", "echo held; exec sleep 120"], {
        stdio: ["ignore", "pipe", "ignore"],
        detached: true,
      });
      assert.ok(holder.stdout);
      await once(holder.stdout, "data");
      process.kill(-(holder.pid ?? 0), "SIGSTOP");
    },
    async () => {
      const ended = once(holder as ChildProcess, "exit");
      process.kill(-(holder?.pid ?? 0), "SIGKILL");
      await ended;
    },
  );
});

test("the disk is full", async (t) => {
  if (!mounted) return t.skip("SKIPPED: this machine lets us mount nothing, and no other disk may be filled");
  const ballast = join(dir, "ballast");
  await degradeAndRemember(
    "full",
    { code: "io", cause: /No space left on device/, remedy: /free some disk space/ },
    () => {
      // To the last byte: dd stops where nothing fits any more, and the journal's own last page is filled with it.
      can("dd", "if=/dev/zero", `of=${ballast}`, "bs=1k");
      const journal = join(dir, "journal.jsonl");
      can(
        "sh",
        "-c",
        `size=$(stat -c %s ${journal}); rest=$((4096 - size % 4096)); head -c $((rest - 1)) /dev/zero | tr '\\0' ' ' >> ${journal}; echo >> ${journal}`,
      );
    },
    () => rmSync(ballast),
  );
});

test("it is mounted read-only", async (t) => {
  if (!mounted) return t.skip("SKIPPED: this machine lets us mount nothing");
  // A file that is open for writing keeps a file system writable, so it becomes so behind the gateway's back: another one is laid over it.
  await degrade(
    "read-only",
    { code: "io", cause: /Read-only file system/, remedy: /make the file system writable/ },
    () => assert.ok(can("mount", "-t", "tmpfs", "-o", "ro,mode=0700", "none", dir)),
    () => assert.ok(can("umount", dir)),
  );
});

test("it is deleted, and a file lies in its place", async () => {
  if (mounted) {
    // A mount point can't be moved away: from here on the directory is one on the common disk.
    assert.ok(can("umount", "-l", dir));
    mounted = false;
    chmodSync(dir, 0o700);
  }
  await degrade(
    "file",
    { code: "not-a-directory", cause: /is not a directory/, remedy: /move it away/ },
    () => {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, "");
    },
    () => rmSync(dir),
  );
});

test("it is moved away and comes back: the same story goes on", async () => {
  const away = `${dir}.away`;
  await degradeAndRemember(
    "moved",
    { code: "not-a-directory", cause: /is not a directory/, remedy: /move it away/ },
    () => {
      renameSync(dir, away);
      writeFileSync(dir, "");
    },
    () => {
      rmSync(dir);
      renameSync(away, dir);
    },
  );
});

test("it is deleted altogether: it is made anew at the next call, and what this gateway did counts", async () => {
  await world.play("anew-a", mail("anew"));
  rmSync(dir, { recursive: true });
  assert.match((await world.play("anew-b", mail("anew")))[0] ?? "", /was already acted on/);
  assert.equal(sent("anew"), 1);
  assert.ok(existsSync(join(dir, "journal.jsonl")));
  assert.equal(await degraded(), undefined);
});

test("it is replaced under the running gateway and comes back: what was done meanwhile counts, too", async () => {
  await world.play("swap-a", mail("swap"));
  const kept = `${dir}.kept`;
  renameSync(dir, kept);
  assert.match((await world.play("swap-b", mail("swap")))[0] ?? "", /was already acted on/);
  await world.play("swap-c", mail("meanwhile"));
  rmSync(dir, { recursive: true });
  renameSync(kept, dir);
  for (const to of ["swap", "meanwhile"]) {
    assert.match((await world.play(`swap-d-${to}`, mail(to)))[0] ?? "", /was already acted on/);
    assert.equal(sent(to), 1);
  }
});
