// The native command and the addon of a running gateway look at one journal: the same records, the same status.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Answer, Gate } from "../../plugin/native/binding.js";
import { built } from "../programs.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-cli-"));
const stateDir = join(directory, "state");
const rules = [
  { name: "mail", tier: 3, tool: "send", contextKey: "email:{params.to}" },
  { name: "note", tier: 1, tool: "note", contextKey: "note:{params.to}" },
];

/** A gate as a gateway has one. */
function open(): Gate {
  const config = JSON.stringify({ stateDir, instanceId: "gateway" });
  return new Gate({ config, runtime: "openclaw", hostName: "host", hostStateDir: "/nowhere" });
}

const gateway = open();
let program: string;

async function settled(answer: Answer | null): Promise<Answer | null> {
  return answer?.ticket === undefined ? answer : gateway.finish(answer.ticket);
}

async function call(tool: string, session: string, to: string, ended?: string): Promise<Answer | null> {
  const answer = await settled(gateway.before(tool, null, "main", session, "run", `${session}-${to}`, null, { to }));
  if (ended !== undefined)
    await settled(gateway.after(tool, "main", session, "run", `${session}-${to}`, { to }, ended, null, null));
  return answer;
}

function callosum(...args: string[]): Record<string, unknown> {
  const text = execFileSync(program, ["--state-dir", stateDir, "--json", ...args], { encoding: "utf8" });
  return JSON.parse(text) as Record<string, unknown>;
}

function contents(): Record<string, string> {
  return Object.fromEntries(readdirSync(stateDir).map((name) => [name, readFileSync(join(stateDir, name), "latin1")]));
}

before(async () => {
  program = built("callosum");
  mkdirSync(stateDir, { mode: 0o700 });
  writeFileSync(join(stateDir, "tiers.json"), JSON.stringify({ rules }));
  assert.equal(await call("send", "ann", "alice", "ok"), null);
  assert.match((await call("send", "bob", "alice", "refused"))?.refuse ?? "", /was already acted on/);
  assert.equal(await call("send", "bob", "carol"), null);
  assert.equal(await call("note", "ann", "self", "ok"), null);
  await gateway.maintain();
});
after(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
});

test("the journal is the same, whole and filtered", async () => {
  for (const [filter, args] of [
    ["{}", []],
    ['{"tier":3,"limit":2}', ["--tier", "3", "-n", "2"]],
    ['{"session":"bob","action":"blocked"}', ["--session", "bob", "--action", "blocked"]],
    ['{"key":"email:alice","tool":"send"}', ["--key", "email:alice", "--tool", "send"]],
  ] as const) {
    const expected = JSON.parse(await gateway.ask("journal", filter)) as { entries: unknown[] };
    assert.ok(expected.entries.length > 0, filter);
    assert.deepEqual(callosum("journal", ...args), expected, filter);
  }
});

test("the status is the same, but for whose it is", async () => {
  const own = ["instanceId", "rules"];
  const expected = JSON.parse(await gateway.ask("status", "{}")) as Record<string, unknown>;
  const status = callosum("status");
  assert.deepEqual(Object.keys(status), Object.keys(expected));
  for (const field of Object.keys(expected).filter((field) => !own.includes(field)))
    assert.deepEqual(status[field], expected[field], field);
  assert.deepEqual((status.rules as { source: string }).source, join(stateDir, "tiers.json"));
  assert.deepEqual(
    (status.locks as Array<{ contextKey: string; session: string }>).map(({ contextKey, session }) => [contextKey, session]),
    [["email:carol", "bob"]],
  );
});

test("nobody's look writes anything", async () => {
  const before = contents();
  callosum("status");
  callosum("journal");
  await gateway.ask("status", "{}");
  // A gateway's other instance, which answers the RPC and has seen no call.
  const other = open();
  await other.ask("status", "{}");
  await other.ask("journal", "{}");
  await other.close();
  assert.deepEqual(contents(), before);
});
