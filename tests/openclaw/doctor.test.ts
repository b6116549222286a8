// `callosum doctor` beside a real gateway: it says that calls are gated when they are, and which passed when they are not.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { EXTENSION } from "./harness/stage.ts";
import { type Examination, exec, sessionKey, until, via, World } from "./harness/world.ts";

function finding(examination: Examination, id: string): Examination["findings"][number] {
  const found = examination.findings.find((finding) => finding.id === id);
  assert.ok(found, `no finding \`${id}\` in ${JSON.stringify(examination, null, 2)}`);
  return found;
}

function levels(examination: Examination): Record<string, string> {
  for (const { id, level, remedy } of examination.findings) assert.equal(remedy === undefined, level === "ok", id);
  return Object.fromEntries(examination.findings.map(({ id, level }) => [id, level]));
}

describe("a gateway with the plugin", () => {
  let world: World;
  // A copy, because it is damaged later.
  const extension = mkdtempSync(join(tmpdir(), "callosum-doctor-"));
  before(async () => {
    cpSync(EXTENSION, extension, { recursive: true });
    world = await World.open({ extension });
  });
  after(async () => {
    await world?.close();
    rmSync(extension, { recursive: true, force: true });
  });

  test("gates: every call that the host recorded is in the journal; a canary call comes through, and changes nothing of that", async () => {
    const message = via("message", { action: "send", channel: "nowhere", target: "ann", message: "hi" });
    const mail = exec("himalaya message send --to ann@example.com");
    await world.play("good", mail, exec("echo one"), { name: "read", args: { path: "none.txt" } }, message);
    // One that is refused never ran, and one that does not exist was never begun.
    await world.play("paused", mail, { name: "no_such_tool", args: {} });
    // Another process sees the counts when they are written.
    const counted = async () => (await world.journal({ action: "seen" })).some((row) => "no_such_tool" in (row.seen as object));
    await until("the counts", counted);
    const examination = await world.doctor("--canary");
    const { disk: _, ...rest } = levels(examination);
    assert.deepEqual(rest, {
      "state-dir": "ok",
      permissions: "ok",
      guard: "ok",
      journal: "ok",
      clock: "ok",
      rules: "ok",
      leases: "ok",
      // The tool that does not exist had an after-hook alone.
      "hooks.openclaw": "note",
      "rules.uncovered": "ok",
      gateway: "ok",
      versions: "ok",
      plugin: "ok",
      audit: "ok",
      canary: "ok",
    });
    assert.match(finding(examination, "hooks.openclaw").detail ?? "", /seen after only: no_such_tool/);
    // The wrapper `tool_call` is recorded as a call, too, but only carries the fourth.
    assert.match(finding(examination, "audit").title, /recorded 4 calls, and all passed the gate/);
    assert.equal(examination.code, examination.ok ? 0 : 1);
    assert.equal(examination.code, 0, JSON.stringify(examination));
    const canaries = (await world.journal({ tool: "agents_list" })).filter((row) => /callosum-canary/.test(row.call ?? ""));
    assert.deepEqual(
      canaries.map((row) => [row.action, row.tier]),
      [["intercept", 0]],
    );
  });

  test("that journals elsewhere is told, with the place, and its calls are not taken for passed ones", async () => {
    const elsewhere = join(world.dir, "elsewhere");
    const examination = await world.doctor("--state-dir", elsewhere, "--canary");
    assert.equal(finding(examination, "gateway").level, "error");
    assert.ok(finding(examination, "gateway").remedy?.includes(`--state-dir ${world.stateDir}`));
    assert.equal(finding(examination, "audit").level, "note");
    assert.equal(finding(examination, "canary").level, "warning");
    assert.equal(examination.code, 1);
  });

  test("with the plugin disabled it names the calls that passed, by session and tool, and no others", async () => {
    await world.enable(false);
    await world.play("behind", exec("himalaya message send --to bob@example.com"), exec("echo two"));
    await world.play("beside", { name: "read", args: { path: "none.txt" } });
    const examination = await world.doctor("--canary");
    assert.equal(examination.code, 1);
    const { gateway, plugin, audit, canary } = levels(examination);
    assert.deepEqual({ gateway, plugin, audit, canary }, { gateway: "error", plugin: "error", audit: "error", canary: "error" });
    assert.match(finding(examination, "plugin").remedy ?? "", /plugins enable callosum/);
    const { title, detail } = finding(examination, "audit");
    assert.match(title, /^3 calls of 7 that OpenClaw recorded passed without Callosum$/);
    const lines = detail?.split("\n") ?? [];
    assert.match(lines[0] ?? "", new RegExp(`^read in session ${sessionKey("beside")}: 1 call, at \\d\\d:\\d\\d:\\d\\d$`));
    assert.match(lines[1] ?? "", new RegExp(`^exec in session ${sessionKey("behind")}: 2 calls, `));
    assert.doesNotMatch(detail ?? "", /good|paused/);
  });

  test("gated again, it says that of later calls, and still names those", async () => {
    await world.gateway.openclaw("plugins", "enable", "callosum");
    await world.play("again", exec("echo three"));
    const examination = await world.doctor();
    const { gateway, plugin, audit } = levels(examination);
    assert.deepEqual({ gateway, plugin, audit }, { gateway: "ok", plugin: "ok", audit: "warning" });
    assert.match(finding(examination, "audit").title, /^3 calls of 8 /);
    assert.match(finding(examination, "audit").remedy ?? "", /later calls were gated/);
    assert.equal(examination.code, 1);
  });

  test("that answers, is active, and has lost its before-hook is found out", async () => {
    const entry = join(extension, "src", "index.js");
    const source = readFileSync(entry, "utf8");
    writeFileSync(entry, source.replace('api.on("before_tool_call"', 'api.on("before_tool_call_not"'));
    assert.notEqual(readFileSync(entry, "utf8"), source);
    // A state of its own, where no hook was ever seen.
    const stateDir = join(world.dir, "hookless");
    const name = await world.edit({ stateDir });
    await until("the new settings", async () => (await world.status()).instanceId === name);
    await world.play("quiet", exec("echo one"), exec("himalaya message send --to cy@example.com"));
    await until("the counts", async () => (await world.journal({ action: "seen" })).length !== 0);
    const examination = await world.doctor("--canary", "--state-dir", stateDir);
    const { gateway, plugin, audit, canary, "hooks.openclaw": hooks } = levels(examination);
    assert.deepEqual(
      { gateway, plugin, audit, canary, hooks },
      { gateway: "ok", plugin: "ok", audit: "error", canary: "error", hooks: "error" },
      JSON.stringify(examination),
    );
    assert.match(finding(examination, "audit").detail ?? "", new RegExp(`exec in session ${sessionKey("quiet")}: 2 calls`));
    assert.equal(examination.code, 1);
  });

  test("without a gateway that is said, and nothing else is wrong", async () => {
    await world.gateway.stop();
    const examination = await world.doctor("--canary");
    const { gateway, plugin, audit, canary, journal } = levels(examination);
    assert.deepEqual(
      { gateway, plugin, audit, canary, journal },
      { gateway: "note", plugin: "note", audit: "note", canary: "warning", journal: "ok" },
    );
    assert.equal((await world.doctor()).code, 0);
  });
});
