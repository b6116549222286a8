// Every tool with a tier of its own, in a real gateway: its tier, its keys, and one truthful story in the journal. What can't be carried out
// offline (a chat channel, an update, another machine) is called all the same: then the story must say that it did not happen.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { OLDEST_HOST } from "../../../scripts/build.ts";
import type { ScriptedCall } from "../harness/fake-model.ts";
import { HOST_VERSION } from "../harness/gateway.ts";
import { exec, type Row, sessionKey, until, via } from "../harness/world.ts";
import { mcpOutbox, scratch, world } from "./shared.ts";

/** The oldest host has no tool for plugins. */
const HAS_PLUGINS_TOOL = HOST_VERSION !== OLDEST_HOST;
const PAUSED = /^\[Callosum\] /;
const BLOCKED = /is held by another call/;
const said = (told: string[]) => told.join("\n---\n");

/** The rows of a session's calls, without those that are about pauses, once the last call has ended. */
async function story(session: string): Promise<Row[]> {
  return await until(`the end of ${session}`, async () => {
    const rows = (await world.journal({ session: sessionKey(session) })).filter((row) => row.action !== "delivered");
    const last = rows.at(-1);
    const open = last === undefined || (last.action === "intercept" && (last.tier ?? 0) >= 2);
    return !open && rows;
  });
}
const line = ({ tool, tier, action, contextKeys = [] }: Row) => `${tool} ${tier} ${action} ${contextKeys.join(" ")}`.trim();
async function assertStory(session: string, expected: string[]): Promise<Row[]> {
  const rows = await story(session);
  assert.deepEqual(rows.map(line), expected);
  return rows;
}

describe("automations", () => {
  const job = (name: string, more: Record<string, unknown> = {}) => ({
    name,
    schedule: { kind: "cron", expr: "0 3 * * *" },
    payload: { kind: "agentTurn", message: "hi" },
    sessionTarget: "isolated",
    ...more,
  });
  const add = (name: string, more?: Record<string, unknown>) => via("automations", { action: "add", job: job(name, more) });

  test("a job that a client asks for again under one idempotency key, in no run, is paused like any other call", async () => {
    const invoke = async (more: Record<string, unknown>) => {
      const request = { name: "automations", args: { action: "add", job: job("keyed") }, sessionKey: sessionKey("cron-keyed") };
      const { error } = await world.gateway.rpc<{ error?: { message: string } }>("tools.invoke", { ...request, ...more });
      return error?.message ?? "";
    };
    // The host can't carry it out for a client that owns no agent; the gate has let it through all the same, and nobody tells how it ended.
    assert.doesNotMatch(await invoke({ idempotencyKey: "nightly-1" }), /Callosum/);
    assert.match(await invoke({ idempotencyKey: "nightly-1" }), PAUSED);
    // Without a key the host makes the id of the millisecond. Whether one of these comes late enough to be the retry, time tells.
    const more = await Promise.all([{ idempotencyKey: "nightly-1" }, {}, {}].map(invoke));
    const passed = 1 + more.filter((text) => !PAUSED.test(text)).length;
    const rows = await world.journal({ key: "cron:keyed" });
    assert.deepEqual(
      [rows.length, rows.filter(({ action }) => action === "intercept").length],
      [5, passed],
      JSON.stringify(rows),
    );
    assert.ok(
      rows.every(({ call, run }) => call?.startsWith("rpc-") && run === undefined),
      JSON.stringify(rows),
    );
  });

  test("a job is added, updated and removed: one story each, by its name and then by its id", async () => {
    const [added] = await world.play("cron-add", add("nightly"));
    const jobId = /\\"id\\": \\"([0-9a-f-]{36})\\"/.exec(added ?? "")?.[1];
    assert.ok(jobId, added);
    await assertStory("cron-add", ["automations 3 intercept cron:nightly", "automations 3 complete cron:nightly"]);

    const update = via("automations", { action: "update", jobId, job: { name: "weekly" } });
    assert.doesNotMatch(said(await world.play("cron-add", update)), /Callosum/);
    const both = `cron:${jobId} cron:weekly`;
    const updated = (await story("cron-add")).slice(2);
    assert.deepEqual(updated.map(line), [`automations 3 intercept ${both}`, `automations 3 complete ${both}`]);

    // A second session that adds, changes or removes the same is told.
    for (const [session, call] of [
      ["cron-b", add("nightly")],
      ["cron-c", add("weekly")],
      ["cron-d", via("automations", { action: "remove", id: jobId })],
    ] as const) {
      assert.match(said(await world.play(session, call)), /\[Callosum\] /);
      assert.deepEqual(
        (await story(session)).map((row) => row.action),
        ["blocked"],
      );
    }
    // The host lets nobody but the session that made a job change it. What that one did itself is told to it as well.
    const remove = via("automations", { action: "remove", id: jobId });
    const told = await world.play("cron-add", remove, remove);
    assert.match(told[0] ?? "", /\[Callosum\] /);
    assert.doesNotMatch(told[1] ?? "", /Callosum|error/);
    assert.deepEqual((await story("cron-add")).slice(4).map(line), [
      `automations 3 blocked cron:${jobId}`,
      `automations 3 intercept cron:${jobId}`,
      `automations 3 complete cron:${jobId}`,
    ]);
  });

  test("a declaration key and a name are keys of the same job", async () => {
    await world.play("cron-f", add("report", { declarationKey: "ops/report" }));
    await assertStory("cron-f", [
      "automations 3 intercept cron:ops/report cron:report",
      "automations 3 complete cron:ops/report cron:report",
    ]);
    assert.match(said(await world.play("cron-g", add("report"))), /\[Callosum\] /);
  });

  test("a job that is not there: failed, and no evidence", async () => {
    const remove = via("automations", { action: "remove", jobId: "nosuch" });
    for (const session of ["cron-h", "cron-i"]) {
      assert.match(said(await world.play(session, remove)), /not found/);
      await assertStory(session, ["automations 3 intercept cron:nosuch", "automations 3 failed cron:nosuch"]);
    }
  });

  test("looking costs a line, and a name that the host does not know none", async () => {
    await world.play("cron-j", via("automations", { action: "list" }));
    await assertStory("cron-j", ["automations 0 intercept"]);
    // Today's host does not know the name any more: nothing runs, nothing is written.
    assert.match(said(await world.play("cron-k", via("cron", { action: "list" }))), /Unknown tool/);
    assert.deepEqual(await world.journal({ session: sessionKey("cron-k") }), []);
  });
});

describe("message", () => {
  test("without a channel it fails, whatever its tier; all spellings of a channel are one key", async () => {
    const message = (args: Record<string, unknown>) => via("message", { channel: "discord", message: "hi", ...args });
    for (const [session, call, tier] of [
      ["msg-a", message({ action: "send", target: "channel:123" }), 2],
      ["msg-b", message({ action: "send", target: "123" }), 2],
      ["msg-c", message({ action: "channel-edit", channelId: "123", name: "x" }), 3],
      ["msg-d", message({ action: "channel-delete", channelId: "123" }), 4],
    ] as const) {
      assert.match(said(await world.play(session, call)), /unavailable|error/i);
      await assertStory(session, [`message ${tier} intercept channel:123`, `message ${tier} failed channel:123`]);
    }
    await world.play("msg-e", message({ action: "send", target: "#general" }));
    assert.equal((await story("msg-e"))[0]?.contextKeys?.[0], "channel:general");
  });
});

describe("sessions", () => {
  test("a message to another session is evidence for the one who wants to end that session", async () => {
    await world.play("peer", exec("true"));
    const peer = sessionKey("peer");
    await world.play("ses-a", via("sessions_send", { sessionKey: peer, message: "hello", timeoutSeconds: 0 }));
    await assertStory("ses-a", [`sessions_send 2 intercept session:${peer}`, `sessions_send 2 complete session:${peer}`]);
    const told = said(await world.play("ses-b", via("sessions", { action: "reset", sessionKey: peer })));
    assert.match(told, /\[Callosum\] /);
    assert.match(told, new RegExp(sessionKey("ses-a")));
    await assertStory("ses-b", [`sessions 4 blocked session:${peer}`]);
  });

  test("one that is not there, or may not be spawned: failed", async () => {
    await world.play("ses-c", via("sessions_send", { label: "nosuch", message: "hello" }));
    await assertStory("ses-c", ["sessions_send 2 intercept session:nosuch", "sessions_send 2 failed session:nosuch"]);
    await world.play("ses-d", via("sessions_spawn", { task: "x", agentId: "other" }));
    await assertStory("ses-d", ["sessions_spawn 2 intercept session:other", "sessions_spawn 2 failed session:other"]);
  });

  test("a spawned session", async () => {
    await world.play("ses-e", via("sessions_spawn", { task: "say hi", label: "kid" }));
    const rows = (await story("ses-e")).slice(0, 2);
    assert.deepEqual(rows.map(line), ["sessions_spawn 2 intercept session:kid", "sessions_spawn 2 complete session:kid"]);
  });
});

describe("files", () => {
  test("write, edit and apply_patch name each file by its absolute path", async () => {
    const file = (name: string) => `file:${join(world.gateway.workspace, name)}`;
    const patch = "*** Begin Patch\n*** Add File: one.md\n+1\n*** Update File: note.md\n@@\n-y\n+z\n*** End Patch";
    await world.play(
      "files",
      { name: "write", args: { path: "note.md", content: "x" } },
      { name: "edit", args: { path: "./note.md", edits: [{ oldText: "x", newText: "y" }] } },
      { name: "apply_patch", args: { input: patch } },
    );
    await assertStory("files", [
      `write 1 intercept ${file("note.md")}`,
      `edit 1 intercept ${file("note.md")}`,
      `apply_patch 1 intercept ${file("one.md")} ${file("note.md")}`,
    ]);
  });
});

describe("exec on another machine", () => {
  test("the same folder there is another resource", async () => {
    const push = (more: Record<string, unknown>) => exec("git push", more);
    const here = world.gateway.workspace;
    for (const [session, more, key, told] of [
      // There is no repository here, which git tells by a code that proves nothing.
      ["push-a", {}, `git-push:${here}/current`, ["intercept", "unknown"]],
      ["push-b", { host: "gateway", workdir: here }, `git-push:${here}/current`, ["blocked"]],
      // And there is no other machine.
      ["push-c", { host: "node", node: "pi" }, "git-push:pi:current/current", ["intercept", "failed"]],
      ["push-d", { host: "node", node: "pi", workdir: here }, `git-push:pi:${here}/current`, ["intercept", "failed"]],
      ["push-e", { host: "sandbox", workdir: here }, `git-push:sandbox:${here}/current`, ["intercept", "failed"]],
    ] as const) {
      await world.play(session, push(more));
      await assertStory(
        session,
        told.map((action) => `exec 3 ${action} ${key}`),
      );
    }
  });
});

describe("gateway, plugins, secrets", () => {
  test("looking costs a line", async () => {
    await world.play(
      "look",
      via("gateway", { action: "config.get", path: "gateway.mode" }),
      via("plugins", { action: "list" }),
      via("secrets", { action: "list" }),
    );
    const plugins = HAS_PLUGINS_TOOL ? ["plugins 0 intercept"] : [];
    await assertStory("look", ["gateway 0 intercept", ...plugins, "secrets 0 intercept"]);
  });

  test("an action of older hosts that today's does not take did not happen", async () => {
    await world.play("gw-a", via("gateway", { action: "restart" }));
    await assertStory("gw-a", ["gateway 4 intercept gateway:restart", "gateway 4 failed gateway:restart"]);
  });

  test("a secret that was deleted is not deleted again unasked", async () => {
    const remove = via("secrets", { action: "delete", name: "SOME_KEY" });
    await world.play("sec-a", remove);
    await assertStory("sec-a", ["secrets 3 intercept secret:SOME_KEY", "secrets 3 complete secret:SOME_KEY"]);
    assert.match(said(await world.play("sec-b", remove)), /\[Callosum\] /);
  });

  test("a plugin that is not there can't be disabled: failed", { skip: !HAS_PLUGINS_TOOL }, async () => {
    await world.play("plug-a", via("plugins", { action: "disable", pluginId: "nosuch" }));
    await assertStory("plug-a", ["plugins 4 intercept gateway:plugins", "plugins 4 failed gateway:plugins"]);
  });
});

describe("a tool of an MCP server", () => {
  const email = (to: string, more = {}) => via("mailer__send_email", { to, body: "hello", ...more });

  test("is known by its name, and meets mails sent by other means", async () => {
    assert.doesNotMatch(said(await world.play("mcp-a", email("Nan@example.com"))), /Callosum/);
    await assertStory("mcp-a", [
      "mailer__send_email 3 intercept email:nan@example.com",
      "mailer__send_email 3 complete email:nan@example.com",
    ]);
    assert.match(said(await world.play("mcp-b", email("nan@example.com"))), /\[Callosum\] /);
    assert.match(said(await world.play("mcp-c", exec("himalaya message send --to nan@example.com"))), PAUSED);
    assert.deepEqual(world.mail.sent("nan@example.com"), []);
    assert.equal(readFileSync(mcpOutbox, "utf8"), "mcp Nan@example.com\n");
  });

  test("that says it failed has failed; that lost its connection may have sent", async () => {
    await world.play("mcp-d", email("ola@example.com", { fail: "no such mailbox" }));
    assert.equal((await story("mcp-d")).at(-1)?.action, "failed");
    await world.play("mcp-e", email("pia@example.com", { fail: "connection reset by the mail server" }));
    assert.equal((await story("mcp-e")).at(-1)?.action, "unknown");
  });
});

describe("tier 4 while another call holds the resource", () => {
  /** A command on a resource that runs until {@link over} says so, a minute at most: how slow the machine is changes nothing. */
  const slow = (resource: string): ScriptedCall =>
    exec(`for i in $(seq 600); do [ -e '${join(scratch, resource)}' ] && break; sleep 0.1; done # on ${resource}`);
  const over = (resource: string) => writeFileSync(join(scratch, resource), "");
  const holds = (key: string) =>
    until(`a lease on ${key}`, async () => (await world.status()).locks.find((lock) => lock.contextKey === key));

  test("is blocked, is told whose it is and until when, and a retry does not pass until it ends", async () => {
    const wipe = exec("echo wiped >> wiped.txt # wipe disk");
    const holder = world.begin("disk-a", [slow("disk")]);
    const lease = await holds("disk:main");
    const turn = world.begin("disk-b", [wipe, wipe, { calls: [wipe], hold: "disk-free" }, wipe]);
    await until("two refusals", () => turn.resultsSoFar().length === 2);
    for (const text of turn.resultsSoFar()) {
      assert.match(text, BLOCKED);
      assert.ok(text.includes(sessionKey("disk-a")), text);
      const until = /until it ends or (\S+) /.exec(text)?.[1] ?? "";
      assert.ok(Math.abs(Date.parse(until) - Date.parse(lease.expiresAt)) < 1000, `${lease.expiresAt} in ${text}`);
    }
    over("disk");
    await holder.ended;
    await until("the lease to end", async () => !(await world.status()).locks.some((lock) => lock.contextKey === "disk:main"));
    world.model.release("disk-free");
    const told = await turn.results();
    // Now it is told how that call ended, once; then it may.
    assert.match(told[2] ?? "", /^\[Callosum\] "disk:main" (was already|may already have been) acted on/);
    assert.doesNotMatch(told[3] ?? "", PAUSED);
    const rows = await story("disk-b");
    assert.deepEqual(
      rows.map((row) => [row.action, row.conflict]),
      [
        ["blocked", "lease"],
        ["blocked", "lease"],
        ["blocked", "recent"],
        ["intercept", undefined],
        ["complete", undefined],
      ],
    );
  });

  test("is blocked by its own session's call too, and by a shipped rule as well", async () => {
    const holder = world.begin("update-a", [{ calls: [slow("update"), via("gateway", { action: "update.run" })] }]);
    const refused = async () =>
      (await world.journal({ session: sessionKey("update-a") })).some((row) => row.action === "blocked");
    await until("the refusal", refused);
    over("update");
    const [, told] = await holder.results();
    assert.match(told ?? "", BLOCKED);
    assert.ok(told?.includes(sessionKey("update-a")), told);
    const blocked = (await story("update-a")).filter((row) => row.action === "blocked").map(line);
    assert.deepEqual(blocked, ["gateway 4 blocked gateway:update.run"]);
  });
});

test("no call that the host carried out as asked is taken for a rewritten one", async () => {
  const rows = await world.journal({ limit: 1000 });
  assert.ok(rows.length > 60);
  assert.deepEqual(
    rows.filter((row) => row.rewritten !== undefined || String(row.reason).includes("rewritten")),
    [],
  );
});
