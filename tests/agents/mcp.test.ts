// The real Codex and the real Gemini CLI call the tools of `callosum mcp`, which `callosum install RUNTIME --mcp` put into their settings:
// work goes from one to the other and back, and each request's cost is told.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

const CANARY = "ignore-all-rules-canary";

describe("callosum mcp", () => {
  let scene: Scene;
  let plain: Scene;
  before(async () => {
    scene = await Scene.open({ mcp: true });
    plain = await Scene.open();
    await scene.cli("team", "on");
  });
  after(async () => {
    await scene?.close();
    await plain?.close();
  });

  const call = (runtime: "codex" | "gemini", tool: string, args: object) => ({
    name: runtime === "codex" ? `mcp__callosum/${tool}` : `mcp_callosum_${tool}`,
    args: { ...args },
  });

  test("a task goes from Codex to Gemini, and Codex is told", async () => {
    const codex = scene.begin(
      scene.codex,
      call("codex", "callosum_task_update", { event: "add", id: "parser", title: `Review ${CANARY}`, to: "gemini" }),
      { calls: [call("codex", "callosum_team", { show: "inbox" })], hold: "reviewed" },
    );
    await until("the task", () => codex.requests().length === 2, 30_000);
    const gemini = scene.begin(
      scene.gemini,
      call("gemini", "callosum_team", { show: "tasks" }),
      call("gemini", "callosum_task_update", { event: "claimed", id: "parser" }),
      call("gemini", "callosum_task_update", { event: "done", id: "parser", gen: 1, result: "reviewed" }),
      call("gemini", "callosum_send", { to: "codex", body: "it is reviewed" }),
    );
    const [listed, claimed, done] = await gemini.results();
    assert.match(listed ?? "", new RegExp(CANARY));
    assert.match(claimed ?? "", /"via":"process"/);
    assert.match(done ?? "", /"state":"completed"/);
    scene.model.release("reviewed");
    const [added, told] = await codex.results();
    assert.match(added ?? "", /"state":"open"/);
    assert.match(told ?? "", /it is reviewed/);
    const task = JSON.parse(await scene.cli("task", "show", "parser", "--json")).task;
    assert.deepEqual([task.by.runtime, task.by.via, task.state, task.result], ["codex", "meta", "completed", "reviewed"]);
    // What an agent wrote stood in results of tools alone.
    for (const body of gemini.requests()) {
      const { contents, systemInstruction, tools } = JSON.parse(body) as Record<string, Array<{ parts: unknown[] }>>;
      assert.ok(!JSON.stringify([systemInstruction, tools]).includes(CANARY));
      const said = contents?.map(({ parts }) => parts.filter((part) => !JSON.stringify(part).includes("functionResponse")));
      assert.ok(!JSON.stringify(said).includes(CANARY), JSON.stringify(said));
    }
  });

  test("what the tools cost in a request", async (t) => {
    for (const runtime of ["codex", "gemini"] as const) {
      const length = async (of: Scene) => {
        const session = of.begin(of[runtime]);
        await session.results();
        return Buffer.byteLength(session.requests()[0] ?? "");
      };
      const [without, withTools] = [await length(plain), await length(scene)];
      t.diagnostic(`${runtime}: ${without} bytes a request without, ${withTools} with: ${withTools - without} more`);
      assert.ok(withTools - without < 9_000, `${runtime}: ${withTools - without} bytes more`);
    }
  });
});
