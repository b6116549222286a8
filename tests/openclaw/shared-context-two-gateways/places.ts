// Where the shared context lies in real gateways: a default that changes later, a folder that is moved, and a gateway that is killed while a call of
// its empties an inbox, beside another one.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { curate, prompt, propose } from "../harness/shared-context.ts";
import { CALLOSUM } from "../harness/stage.ts";
import { exec, until } from "../harness/world.ts";
import { home, one, two, usual } from "./shared.ts";

/** A person changes the priorities, and says that it was they: calls of agents ran not long ago. */
async function change(folder: string, edit: (text: string) => string): Promise<void> {
  const path = join(folder, "priorities.md");
  writeFileSync(path, edit(readFileSync(path, "utf8")));
  const { code, stdout } = await one.gateway.asPerson(CALLOSUM, ["context", "accept", "priorities.md"], { HOME: home });
  assert.equal(code, 0, stdout);
}
/** They write a line under `Current`. */
const want = (folder: string, line: string) =>
  change(folder, (text) => text.replace("## Current\n", `## Current\n\n- ${line}\n`));
const folders = async () => {
  const status = JSON.parse(await one.cli("status", "--json")) as { sharedContexts: Array<{ dir: string; mode: string }> };
  return status.sharedContexts.map(({ dir, mode }) => `${mode} ${dir}`);
};

test("an inbox that a gateway was emptying when it was killed is back by the other one, which names the call, and stays back after the next start", async () => {
  const name = await two.edit({ sharedContextTamper: "restore" });
  await until("the new setting", async () => (await two.status()).instanceId === name);
  const all = () => two.journal({ action: "context" });
  const before = (await all()).length;
  await propose(one, "Keep this");
  const inbox = join(usual, "priorities.inbox.md");
  const whole = readFileSync(inbox, "utf8");
  const [program, emptied, stop] = ["empty.py", "emptied", "stop"].map((name) => join(one.gateway.workspace, name)) as [
    string,
    string,
    string,
  ];
  const lines = [
    "import os, time",
    `open(${JSON.stringify(inbox)}, "w").close()`,
    `open(${JSON.stringify(emptied)}, "w").close()`,
    "until = time.time() + 60",
    `while time.time() < until and not os.path.exists(${JSON.stringify(stop)}): time.sleep(0.05)`,
  ];
  writeFileSync(program, `${lines.join("\n")}\n`);
  one.begin("emptying", [exec(`python3 ${program}`)]);
  await until("the program to empty the inbox", () => existsSync(emptied), 60_000);
  await one.gateway.kill();
  assert.equal(readFileSync(inbox, "utf8"), "");
  await two.play("beside", exec("echo hello"));
  assert.equal(readFileSync(inbox, "utf8"), whole);
  const told = (await all()).slice(before);
  assert.equal(told.length, 1, JSON.stringify(told));
  const suspects = told.flatMap((row) => row.suspects as Array<{ session: string; tool: string }>);
  assert.ok(
    suspects.some(({ session, tool }) => session === "agent:main:emptying" && tool === "exec"),
    JSON.stringify(told),
  );
  writeFileSync(stop, "");
  await one.gateway.start();
  await one.play("again", exec("echo hello"));
  assert.equal(readFileSync(inbox, "utf8"), whole);
  assert.equal((await all()).length, before + 1);
});

test("a folder that a setting names later holds from then on, where the other one was; both are kept, and what is recorded last holds when the setting is gone", async () => {
  await want(usual, "In the usual place");
  assert.match(await prompt(one), /- In the usual place/);
  const later = join(home, "later");
  await one.edit({ sharedContextDir: later });
  const first = await until(
    "the other folder",
    async () => existsSync(join(later, "priorities.md")) || void (await prompt(one)),
    60_000,
  );
  assert.ok(first);
  await want(later, "In the later place");
  const said = await prompt(one);
  assert.match(said, /- In the later place/);
  assert.ok(!said.includes("In the usual place"), said);
  assert.deepEqual(await folders(), [`enforce ${usual}`, `enforce ${later}`]);
  for (const folder of [usual, later]) {
    const [refused] = await one.play("writer", exec(`echo mine > ${join(folder, "priorities.md")}`));
    assert.match(refused ?? "", /^\[Callosum\] Refused by policy `context\.curator-only`/, refused);
  }
  // The other gateway names none: it goes by what was recorded last.
  assert.match(await prompt(two), /- In the later place/);
  await one.edit({ sharedContextDir: "" });
  assert.match(await prompt(one), /- In the later place/);
});

test("a folder that is moved takes along what a person took away, and is kept where it is now", async () => {
  const [from, to] = [join(home, "later"), join(home, "moved", "shared")];
  const priorities = (folder: string) => readFileSync(join(folder, "priorities.md"), "utf8");
  await propose(one, "Taken away");
  await propose(one, "Left there");
  await curate(one);
  assert.match(priorities(from), /Taken away.*Left there/s);
  await change(from, (text) => text.replace(/^.*Taken away.*\n/m, ""));
  await curate(one);
  mkdirSync(join(home, "moved"));
  renameSync(from, to);
  await one.edit({ sharedContextDir: to });
  await until("the moved folder", async () => (await folders()).includes(`enforce ${to}`) || void (await prompt(one)), 60_000);
  assert.deepEqual(await folders(), [`enforce ${usual}`, `enforce ${to}`]);
  await curate(one);
  assert.ok(!priorities(to).includes("Taken away") && priorities(to).includes("Left there"), priorities(to));
  assert.match(await prompt(one), /- In the later place/);
  const [refused] = await one.play("writer", exec(`rm -rf ${to}/roundtable`));
  assert.match(refused ?? "", /^\[Callosum\] Refused by policy `context\.curator-only`/, refused);
  assert.ok(!existsSync(from));
});
