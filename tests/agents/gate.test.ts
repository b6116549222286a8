// The gate in the real Codex and the real Gemini: what reaches the mailbox, what the model is told, what the journal says.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { send } from "../openclaw/harness/mail.ts";
import { until } from "../openclaw/harness/world.ts";
import type { Agent } from "./harness/agent.ts";
import { Scene } from "./harness/scene.ts";

/** Where nobody tells that the model has seen a pause, it counts as seen after 500 ms. */
const SEEN_MS = 700;
const PAUSED = /\[Callosum\] "/;

for (const runtime of ["codex", "gemini"] as const) {
  describe(runtime, () => {
    let scene: Scene;
    let agent: Agent;
    before(async () => {
      scene = await Scene.open();
      agent = scene[runtime];
    });
    after(() => scene?.close());

    const mail = (name: string, options = {}) => agent.shell(send(`${name}@example.com`, "hello", options));
    const key = (name: string) => `email:${name}@example.com`;
    const sent = (name: string) => scene.mail.sent(`${name}@example.com`).length;

    test("a second session is paused, its model reads why, and its retry passes", async () => {
      const [first] = await scene.play(agent, mail("alice"));
      assert.match(first ?? "", /Message sent\./);

      const second = scene.begin(agent, mail("alice"), { calls: [mail("alice")], hold: "retry" });
      await until("the model to be told of the pause", () => second.requests().length === 2, 30_000);
      assert.equal(sent("alice"), 1);
      await sleep(SEEN_MS);
      scene.model.release("retry");
      const [told, retried] = await second.results();

      const rows = await scene.journal(key("alice"));
      assert.deepEqual(
        rows.map((row) => row.action),
        ["intercept", "complete", "blocked", "intercept", "complete"],
      );
      const [a, b] = [rows[0]?.session, rows[2]?.session];
      assert.ok(a !== undefined && b !== undefined && a !== b);
      assert.deepEqual(
        rows.map((row) => row.session),
        [a, a, b, b, b],
      );
      assert.ok(rows.every((row) => row.runtime === runtime && row.tool === "exec"));
      assert.ok(told !== undefined);
      assert.match(told, PAUSED);
      assert.ok(told.includes(`"${key("alice")}" was already acted on`), told);
      assert.ok(told.includes(`(${runtime} session ${a} in project): exec, complete; parameters identical`), told);
      assert.match(told, /If this is intentionally different, retry\. Otherwise, skip it\./);
      assert.match(retried ?? "", /Message sent\./);
      assert.equal(sent("alice"), 2);
    });

    test("a session begins with what the others did", async () => {
      await scene.play(agent, mail("bob"));
      const session = scene.begin(agent);
      await session.results();
      const [request] = session.requests();
      assert.ok(request !== undefined);
      assert.ok(request.includes("[Callosum] What agent sessions on this machine did lately"), request);
      assert.ok(request.includes(key("bob")));
    });

    test("a session is there before its first call, and over once it ended", async () => {
      const before = (await scene.sessions()).length;
      const session = scene.begin(agent, { calls: [agent.shell("echo called")], hold: "first-call" });
      await until("the model to be asked", () => session.requests().length === 1, 30_000);
      const heard = await scene.sessions();
      assert.equal(heard.length, before + 1);
      const [{ calls, over, runtime: whose } = {}] = heard;
      assert.deepEqual([calls, over, whose], [0, undefined, runtime]);
      scene.model.release("first-call");
      await session.results();
      const [ended] = await scene.sessions();
      assert.deepEqual([ended?.session, ended?.calls, ended?.over], [heard[0]?.session, 1, "ended"]);
    });

    test("a mail that could not be sent is no evidence", async () => {
      await scene.play(agent, mail("carol", { fail: 2 }));
      const [told] = await scene.play(agent, mail("carol"));
      assert.match(told ?? "", /Message sent\./);
      const rows = await scene.journal(key("carol"));
      assert.deepEqual(
        rows.map((row) => row.action),
        ["intercept", "failed", "intercept", "complete"],
      );
      assert.equal(rows[1]?.exitCode, 2);
    });

    test("of a mail left running by a session that ended nobody knows how it ended", async () => {
      const call = mail("frank", { slow: 2 });
      const going = { codex: { yield_time_ms: 250 }, gemini: { is_background: true } }[runtime];
      await scene.play(agent, { ...call, args: { ...call.args, ...going } });
      const actions = (await scene.journal(key("frank"))).map((row) => row.action);
      assert.ok(actions.includes("intercept") && !actions.includes("complete"), actions.join());
      const [told] = await scene.play(agent, mail("frank"));
      assert.match(told ?? "", PAUSED);
      assert.match(told ?? "", /the outcome is unknown/);
    });

    test("two equal calls in one message: one mail", async () => {
      const told = await scene.play(agent, { calls: [mail("dave", { slow: 1 }), mail("dave", { slow: 1 })] });
      assert.equal(told.length, 2);
      assert.equal(sent("dave"), 1, told.join("\n---\n"));
      assert.equal(told.filter((text) => PAUSED.test(text)).length, 1);
      assert.deepEqual(
        (await scene.journal(key("dave"))).map((row) => row.action),
        ["intercept", "blocked", "complete"],
      );
    });

    test("the runtime holds the lease, not the hook's process", async () => {
      const session = scene.begin(agent, mail("erin", { slow: 3 }));
      await until("the mail", () => sent("erin") === 1, 30_000);
      const [row] = await scene.journal(key("erin"));
      assert.ok(row !== undefined);
      const { pid } = row.holder as { pid: number };
      const running = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      assert.match(running, runtime === "codex" ? /codex\0exec\0/ : /gemini\.js\0/);
      await session.results();
      // It is no other than the one that ran this session.
      assert.throws(() => readFileSync(`/proc/${pid}/cmdline`));
    });
  });
}

test("gemini: a project's environment file does not move the gate", async () => {
  const scene = await Scene.open();
  try {
    const { gemini } = scene;
    const own = join(gemini.project, "own");
    mkdirSync(own);
    writeFileSync(join(own, "settings.json"), '{ "mode": "observe" }');
    writeFileSync(join(gemini.project, ".env"), `CALLOSUM_STATE_DIR=${own}\n`);
    const mail = gemini.shell(send("alice@example.com"));
    await scene.play(gemini, mail);
    const [told] = await scene.play(gemini, mail);
    assert.match(told ?? "", PAUSED);
    assert.equal(scene.mail.sent("alice@example.com").length, 1);
    assert.deepEqual(readdirSync(own), ["settings.json"]);

    // So does it reach a hook that leaves the place to its environment.
    gemini.editHooks((settings) => settings.replaceAll(` --state-dir ${scene.stateDir}`, ""));
    await scene.play(gemini, mail);
    assert.ok(readdirSync(own).includes("journal.jsonl"));
  } finally {
    await scene.close();
  }
});

describe("what is broken", () => {
  for (const runtime of ["codex", "gemini"] as const) {
    test(`${runtime}: a refusal that the hook can't write still refuses`, async () => {
      const scene = await Scene.open();
      try {
        const agent = scene[runtime];
        agent.editHooks((settings) => settings.replaceAll(/ --state-dir [^"]*/g, "$& >/dev/full"));
        const mail = agent.shell(send("alice@example.com"));
        const [first] = await scene.play(agent, mail);
        assert.match(first ?? "", /Message sent\./);
        const [told] = await scene.play(agent, mail);
        assert.match(told ?? "", PAUSED);
        assert.equal(scene.mail.sent("alice@example.com").length, 1);
      } finally {
        await scene.close();
      }
    });

    test(`${runtime}: without the program every tool runs`, async () => {
      const scene = await Scene.open({ uninstalled: true });
      try {
        const [told] = await scene.play(scene[runtime], scene[runtime].shell(send("alice@example.com")));
        assert.match(told ?? "", /Message sent\./);
      } finally {
        await scene.close();
      }
    });

    test(`${runtime}: without a state directory ordinary commands run, and mails don't`, async () => {
      const scene = await Scene.open();
      try {
        // A file where the directory should be.
        writeFileSync(scene.stateDir, "in the way");
        const agent = scene[runtime];
        const told = await scene.play(agent, agent.shell("echo tier-one"), agent.shell(send("alice@example.com")));
        assert.match(told[0] ?? "", /tier-one/);
        assert.ok(told[1]?.includes(scene.stateDir), told[1]);
        assert.equal(scene.mail.sent("alice").length, 0);
      } finally {
        await scene.close();
      }
    });
  }
});
