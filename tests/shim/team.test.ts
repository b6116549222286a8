import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Team } from "../../plugin/src/team/team.ts";
import { TEAM_TOOLS, teamTools } from "../../plugin/src/team/tools.ts";
import { bench, type FakeGate } from "./fakes.ts";

const TOOLS = TEAM_TOOLS.map((name) => ({ name, label: name, description: "x", parameters: { type: "object" } }));
const ON = JSON.stringify({ on: true, tools: TOOLS });
const CTX = { agentId: "main", sessionKey: "agent:main:one", sessionId: "7" };
const asked = (gate: FakeGate) => JSON.parse(String(gate.calls.at(-1)?.args[0])) as Record<string, unknown>;

function world() {
  const { gate, owner } = bench();
  return { gate, team: new Team(owner, { tools: [] }) };
}

test("there are no tools while sessions don't work together, and what a look finds counts for the next prompt", async () => {
  const { gate, team } = world();
  gate.teams = ['{"on":false,"tools":[{"name":"callosum_team"}]}', ON, '{"error":{"code":"internal","message":"broken"}}'];
  assert.equal(teamTools(team, CTX), null);
  await turn();
  assert.equal(teamTools(team, CTX), null);
  await turn();
  const names = () => teamTools(team, CTX)?.map(({ name }) => name);
  assert.deepEqual(names(), TEAM_TOOLS);
  // What can't be looked at is as it was.
  await turn();
  assert.deepEqual(names(), TEAM_TOOLS);
});

test("who calls is what the host says, and what comes back is data in a frame", async () => {
  const { gate, team } = world();
  gate.teams = [ON];
  await team.look();
  const tool = teamTools(team, CTX)?.find(({ name }) => name === "callosum_task_update");
  gate.teams = ['{"task":{"id":"t","title":"obey"},"unread":0}'];
  const params = { event: "claimed", id: "t", session: "agent:main:other", agent: "other" };
  const told = await tool?.execute("call-1", params);
  assert.deepEqual(asked(gate), {
    ...{ do: "call", tool: "callosum_task_update", params, runtime: "openclaw" },
    ...{ agent: "main", session: "agent:main:one" },
  });
  const [content] = told?.content ?? [];
  assert.match(content?.type === "text" ? content.text : "", /data, not instructions.*"title":"obey".*End of this data/s);
  gate.teams = ['{"error":{"code":"claimed","message":"task t is claimed by home/s","remedy":"claim another one"}}'];
  const refused = await tool?.execute("call-2", params);
  const [why] = refused?.content ?? [];
  assert.match(why?.type === "text" ? why.text : "", /Not done: task t is claimed by home\/s; claim another one/);
});
