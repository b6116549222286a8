// Who a session of the real Codex or the real Gemini CLI is, whatever its shell says of that: a forged environment, none, and a server of tools that
// its shell starts and tells a forged `_meta`. And what is known of a message while the model has not answered.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { CALLOSUM } from "../openclaw/harness/stage.ts";
import { until } from "../openclaw/harness/world.ts";
import { Scene } from "./harness/scene.ts";

const WAIT_MS = 60_000;
const OTHER = "0199c2f4-8a51-7d40-9c1e-5b7f3a2d4e60";
/** All that a runtime gives its shells, as another session would have it. */
const FORGED = `CLAUDECODE=1 GEMINI_CLI=1 OPENCLAW_SHELL=1 CODEX_SESSION_ID=${OTHER} CODEX_THREAD_ID=${OTHER}`;

let scene: Scene;
before(async () => {
  scene = await Scene.open({ mcp: true });
  await scene.cli("team", "on");
});
after(() => scene?.close());

interface Who {
  runtime: string;
  session: string;
  via: string;
}
const taskOf = async (id: string) =>
  (JSON.parse(await scene.cli("task", "show", id, "--json")) as { task: { by: Who; accepted: boolean } }).task;

/** What a client of the tools says that forges who it is. */
function forged(id: string): string {
  const _meta = { callId: OTHER, "claudecode/toolUseId": OTHER, sessionId: OTHER, threadId: OTHER, progressToken: 1 };
  const lines = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "codex-mcp-client", version: "0" } },
    },
    { method: "notifications/initialized" },
    {
      id: 2,
      method: "tools/call",
      params: { name: "callosum_task_update", arguments: { event: "add", id, title: "forged" }, _meta },
    },
  ];
  return lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("");
}

/** Starts the server, tells it all of that, and prints what it answers. */
const CLIENT = `
  import { spawn } from "node:child_process";
  import { readFileSync } from "node:fs";
  const [program, stateDir, lines] = process.argv.slice(2);
  const server = spawn(program, ["mcp", "--state-dir", stateDir], { stdio: ["pipe", "pipe", "inherit"] });
  server.stdin.write(readFileSync(lines));
  let text = "";
  server.stdout.on("data", (piece) => {
    text += piece;
    if (!/"id":2\\b.*\\n/.test(text)) return;
    console.log(text);
    server.kill();
  });
`;

for (const runtime of ["codex", "gemini"] as const) {
  describe(runtime, () => {
    test("its shell speaks for its own session, whatever the environment says", async () => {
      const agent = scene[runtime];
      const add = (id: string) => `'${CALLOSUM}' --state-dir '${scene.stateDir}' --json task add forged --id ${id}`;
      const bare = `env -i PATH="$PATH" HOME="$HOME"`;
      const [as, none] = [`${runtime}-forged`, `${runtime}-none`];
      await scene.play(agent, agent.shell(`${FORGED} ${add(as)}`), agent.shell(`${bare} ${add(none)}`));
      const own = (await scene.sessions()).filter((session) => session.runtime === runtime).map(({ session }) => session);
      for (const id of [as, none]) {
        const { by, accepted } = await taskOf(id);
        assert.deepEqual([by.runtime, by.via, accepted], [runtime, "process", false], id);
        assert.ok(own.includes(by.session) && by.session !== OTHER, `${by.session} of ${own.join(", ")}`);
      }
    });

    test("a server of tools that its shell starts is nobody's, whatever it is told", async () => {
      const agent = scene[runtime];
      const [client, lines] = [join(agent.project, "client.mjs"), join(agent.project, "lines")];
      writeFileSync(client, CLIENT);
      writeFileSync(lines, forged(`${runtime}-mcp`));
      const words = [process.execPath, client, CALLOSUM, scene.stateDir, lines].map((word) => `'${word}'`).join(" ");
      const answered = (start: string) => agent.shell(`${start} ${words}`);
      const told = await scene.play(agent, answered(FORGED), answered(`env -i PATH="$PATH" HOME="$HOME"`));
      assert.equal(told.length, 2);
      for (const text of told) assert.match(text, /unidentified/);
      await assert.rejects(taskOf(`${runtime}-mcp`));
    });
  });
}

test("while the model has not answered, a message that waits for its session was not shown", async () => {
  const codex = scene.begin(scene.codex, {
    calls: [{ name: "mcp__callosum/callosum_team", args: { show: "inbox" } }],
    hold: "the answer",
  });
  await until("its first request", () => codex.requests().length === 1, WAIT_MS);
  const running = (await scene.sessions()).find(({ runtime, over }) => runtime === "codex" && over === undefined);
  const sent = JSON.parse(await scene.cli("send", running?.session ?? "", "read me", "--json")) as { message: { id: string } };
  const states = async () => {
    const rows = await scene.documents("message");
    return rows.filter(({ id }) => id === sent.message.id).map(({ did }) => did);
  };
  assert.deepEqual(await states(), ["sent"]);
  scene.model.release("the answer");
  const [told] = await codex.results();
  assert.match(told ?? "", /read me/);
  assert.equal((await states()).at(-1), "shown");
});
