// What people do to the shared context's files by hand while two gateways work with them: editors that save over, and a Git repository.
// Nothing is lost, and nothing that somebody took away comes back.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { curate, prompt, propose } from "../harness/shared-context.ts";
import { CALLOSUM } from "../harness/stage.ts";
import { home, one, two, usual } from "./shared.ts";

const file = (path: string) => join(usual, path);
const read = (path: string) => readFileSync(file(path), "utf8");
const priorities = () => read("priorities.md");
/** How often a text stands in the priorities. */
const count = (text: string) => priorities().split(text).length - 1;
const withoutLine = (text: string) =>
  priorities()
    .split("\n")
    .filter((line) => !line.includes(text))
    .join("\n");
/** An editor saves as many do: a new file in the place of the old one. */
function saved(text: string): void {
  writeFileSync(file(".priorities.md.swp"), text);
  renameSync(file(".priorities.md.swp"), file("priorities.md"));
}
async function context(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await one.gateway.asPerson(CALLOSUM, ["context", ...args, "--json"], { HOME: home });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("what a person saves before the curator runs stays, by `sed -i`, by `mv` over it, and by what an editor had loaded before", async () => {
  execFileSync("sed", ["-i", "s/^## Current$/&\\n\\n- By sed/", file("priorities.md")]);
  await propose(one, "First proposal");
  await curate(one);
  assert.deepEqual([count("- By sed"), count("First proposal")], [1, 1], priorities());
  // Loaded before the curator ran, saved after it: what it had put there is gone, and is put back, once.
  const loaded = priorities();
  await propose(one, "Second proposal");
  await curate(one);
  saved(loaded.replace("- By sed", "- By sed\n- By an editor"));
  assert.equal(count("Second proposal"), 0);
  await curate(two);
  assert.deepEqual([count("- By an editor"), count("First proposal"), count("Second proposal")], [1, 1, 1], priorities());
  copyFileSync(file("priorities.md"), join(home, "mine.md"));
  execFileSync("mv", [join(home, "mine.md"), file("priorities.md")]);
  await curate(one);
  assert.deepEqual([count("- By an editor"), count("First proposal"), count("Second proposal")], [1, 1, 1]);
});

test("what a person takes away afterwards never comes back, whichever gateway curates", async () => {
  saved(withoutLine("First proposal"));
  await curate(one);
  await curate(two);
  assert.deepEqual([count("First proposal"), count("Second proposal"), count("- By sed")], [0, 1, 1], priorities());
});

test("what two gateways take over at once is taken over once, and both say the operator's words in the same bytes", async () => {
  await propose(one, "From one");
  await propose(two, "From two");
  await Promise.all([curate(one), curate(two)]);
  assert.deepEqual([count("From one"), count("From two")], [1, 1], priorities());
  const said = [await prompt(one), await prompt(two)];
  assert.match(said[0] ?? "", /Priorities:\n- By sed\n- By an editor\n/);
  assert.equal(said[0], said[1]);
});

test("an older state of its own Git repository takes nothing from an inbox, and revives nothing", async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", usual, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "Before");
  await propose(one, "After the commit");
  await curate(one);
  saved(withoutLine("Second proposal"));
  const whole = read("priorities.inbox.md");
  git("checkout", "-q", "HEAD", "--", "priorities.inbox.md");
  assert.ok(!read("priorities.inbox.md").includes("After the commit"));
  await curate(two);
  const status = JSON.parse(await one.cli("status", "--json")) as {
    sharedContexts: Array<{ tampered: Array<{ path: string; isInbox: boolean }> }>;
  };
  const tampered = status.sharedContexts.flatMap((shared) => shared.tampered);
  assert.deepEqual(
    tampered.map(({ path, isInbox }) => [path, isInbox]),
    [["priorities.inbox.md", true]],
  );
  assert.deepEqual((await context("restore")).restored, ["priorities.inbox.md"]);
  assert.equal(read("priorities.inbox.md"), whole);
  // A stash and what comes back from it is a person's work like any other.
  git("add", "-A");
  git("stash", "-q");
  assert.equal(count("Second proposal"), 1);
  git("stash", "pop", "-q");
  assert.deepEqual((await context("restore")).restored, []);
  await curate(one);
  assert.deepEqual([count("Second proposal"), count("After the commit")], [0, 1], priorities());
});
