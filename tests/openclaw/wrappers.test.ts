// Programs that the model writes: one call of the host's that carries others. The program itself is passed through, each call in it is gated
// under its own name. (The third wrapper, `tool_call`, is what `via` uses everywhere.)

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedCall } from "./harness/fake-model.ts";
import { send } from "./harness/mail.ts";
import { type Row, sessionKey, until, World } from "./harness/world.ts";

const WRAPPERS: Array<{ what: string; tools: Record<string, unknown>; carry: (command: string) => ScriptedCall }> = [
  {
    what: "`tool_search_code`",
    tools: { toolSearch: { mode: "code" } },
    carry: (command) => ({
      name: "tool_search_code",
      args: { code: `return await openclaw.tools.call("exec", ${JSON.stringify({ command })})` },
    }),
  },
  {
    what: "`exec` in code mode",
    tools: { codeMode: true },
    carry: (command) => ({ name: "exec", args: { code: `return await exec(${JSON.stringify({ command })})` } }),
  },
];

const PAUSED = /\[Callosum\] .*was already acted on/;

for (const { what, tools, carry } of WRAPPERS) {
  test(`${what}: a mail in it is gated, a second session's is paused, and its retry passes`, async () => {
    const world = await World.open({ tools });
    try {
      const mail = carry(send("uma@example.com"));
      const sent = () => world.mail.sent("uma@example.com").length;
      const [first] = await world.play("uma-a", mail);
      assert.doesNotMatch(first ?? "", /Callosum/);
      assert.equal(sent(), 1);

      const [told, retried] = await world.play("uma-b", mail, mail);
      assert.match(told ?? "", PAUSED);
      assert.ok(told?.includes(sessionKey("uma-a")), told);
      assert.doesNotMatch(retried ?? "", /Callosum/);
      assert.equal(sent(), 2);

      const about = (row: Row) => row.tool !== undefined && row.action !== "delivered";
      const rows = await until("both outcomes", async () => {
        const now = (await world.journal()).filter(about);
        return now.filter((row) => row.action === "complete").length === 2 && now;
      });
      assert.deepEqual(
        rows.map((row) => row.action),
        ["intercept", "complete", "blocked", "intercept", "complete"],
      );
      // The program itself is not counted, and has left no line.
      const { before, after } = (await world.status()).coverage.openclaw?.exec ?? {};
      assert.deepEqual([before, after], [3, 3]);
      for (const row of rows) assert.deepEqual([row.tool, row.contextKeys], ["exec", ["email:uma@example.com"]]);
    } finally {
      await world.close();
    }
  });
}
