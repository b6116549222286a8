// Programs that the model writes: one call of the host's that carries others. The program itself is passed through, each call in it is gated
// under its own name. (The third wrapper, `tool_call`, is what `via` uses everywhere.)

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ScriptedCall } from "./harness/fake-model.ts";
import { send } from "./harness/mail.ts";
import { type Row, sessionKey, until, World } from "./harness/world.ts";

let world: World;
before(async () => {
  world = await World.open({ tools: { toolSearch: { mode: "code" } }, coder: true });
});
after(() => world?.close());

const WRAPPERS: Array<{ what: string; agent: string; to: string; carry: (command: string) => ScriptedCall }> = [
  {
    what: "`tool_search_code`",
    agent: "main",
    to: "uma@example.com",
    carry: (command) => ({
      name: "tool_search_code",
      args: { code: `return await openclaw.tools.call("exec", ${JSON.stringify({ command })})` },
    }),
  },
  {
    what: "`exec` in code mode",
    agent: "coder",
    to: "una@example.com",
    carry: (command) => ({ name: "exec", args: { code: `return await exec(${JSON.stringify({ command })})` } }),
  },
];

const PAUSED = /\[Callosum\] .*was already acted on/;

/** The hooks that fired for `exec` so far. */
async function counts(): Promise<{ before: number; after: number }> {
  return (await world.status()).coverage.openclaw?.exec ?? { before: 0, after: 0 };
}

// First, because it counts all calls that the host has recorded.
test("to doctor, programs of code mode are not commands that passed", async () => {
  const program = (code: string): ScriptedCall => ({ name: "exec", args: { code } });
  await world.play("coder:counted", program('return await exec({ command: "echo one" })'), program("return 1"));
  const { findings } = await world.doctor();
  // The host records what a program calls, not the program.
  const audit = findings.find(({ id }) => id === "audit");
  assert.match(audit?.title ?? "", /^OpenClaw recorded 1 call, and all passed the gate$/, JSON.stringify(findings));
});

for (const { what, agent, to, carry } of WRAPPERS) {
  test(`${what}: a mail in it is gated, a second session's is paused, and its retry passes`, async () => {
    const earlier = await counts();
    const mail = carry(send(to));
    const sent = () => world.mail.sent(to).length;
    const [first] = await world.play(`${agent}:one`, mail);
    assert.doesNotMatch(first ?? "", /Callosum/);
    assert.equal(sent(), 1);

    const [told, retried] = await world.play(`${agent}:two`, mail, mail);
    assert.match(told ?? "", PAUSED);
    assert.ok(told?.includes(sessionKey(`${agent}:one`)), told);
    assert.doesNotMatch(retried ?? "", /Callosum/);
    assert.equal(sent(), 2);

    const sessions = ["one", "two"].map((name) => sessionKey(`${agent}:${name}`));
    const about = ({ tool, session = "", action }: Row) =>
      tool !== undefined && sessions.includes(session) && action !== "delivered";
    const rows = await until("both outcomes", async () => {
      const now = (await world.journal()).filter(about);
      return now.filter((row) => row.action === "complete").length === 2 && now;
    });
    assert.deepEqual(
      rows.map((row) => row.action),
      ["intercept", "complete", "blocked", "intercept", "complete"],
    );
    // The program itself is not counted, and has left no line.
    const now = await counts();
    assert.deepEqual([now.before - earlier.before, now.after - earlier.after], [3, 3]);
    for (const row of rows) assert.deepEqual([row.tool, row.contextKeys], ["exec", [`email:${to}`]]);
  });
}

test("for several agents, as here, doctor's canary call is one of theirs", async () => {
  const { findings } = await world.doctor("--canary");
  assert.equal(findings.find(({ id }) => id === "canary")?.level, "ok", JSON.stringify(findings));
});
