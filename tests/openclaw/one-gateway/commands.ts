// What shell lines do, as a real gateway runs them: parsed, and each command by the resource it acts on.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exec } from "../harness/world.ts";
import { world } from "./shared.ts";

const PAUSED = /^\[Callosum\] /;

const remote = join(world.dir, "remote.git");
/** What a push to a branch of it acts on. */
const pushTo = (branch: string) => `git-push:${join(world.dir, "remote")}/${branch}`;
const clone = join(world.dir, "app");

function git(...args: string[]): string {
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  return execFileSync("git", ["-C", clone, ...who, ...args], { encoding: "utf8" }).trim();
}
const commit = (message: string) => git("commit", "--quiet", "--allow-empty", "--message", message);
const pushed = (branch: string) => git("ls-remote", "origin", `refs/heads/${branch}`).split("\t")[0] ?? "";
mkdirSync(clone);
execFileSync("git", ["init", "--quiet", "--bare", remote]);
git("init", "--quiet", "--initial-branch=main");
git("remote", "add", "origin", remote);
commit("first");

/** What is journaled on a resource: action and tier, and of calls the rule. */
async function story(key: string): Promise<string[]> {
  const rows = (await world.journal({ key })).filter((row) => row.action !== "delivered");
  return rows.map((row) => [row.action, row.tier, row.ruleName].filter((part) => part !== undefined).join(" "));
}

test("a push is known by repository and branch: another session's is paused, one's own next is not", async () => {
  const key = pushTo("main");
  const [first] = await world.play("ann", exec(`cd ${clone} && git push origin HEAD:main 2>&1`));
  assert.doesNotMatch(first ?? "", PAUSED);
  assert.equal(pushed("main"), git("rev-parse", "HEAD"));

  commit("second");
  const push = exec(`bash -lc "git -C ${clone} push origin main"`);
  const [told, again] = await world.play("bob", push, push);
  assert.match(told ?? "", PAUSED);
  assert.ok(told?.includes(`"${key}"`) && told.includes("ann"), told);
  assert.doesNotMatch(again ?? "", PAUSED);
  assert.equal(pushed("main"), git("rev-parse", "HEAD"));

  commit("third");
  const own = exec(`cd ${clone} && git push origin main`);
  assert.doesNotMatch((await world.play("bob", own, own)).join("\n"), /Callosum/);
  assert.deepEqual((await story(key)).slice(0, 4), [
    "intercept 3 git-push",
    "complete 3",
    "blocked 3 git-push",
    "intercept 3 git-push",
  ]);
});

test("what is only mentioned is no push", async () => {
  const key = pushTo("quoted");
  await world.play("cid", exec(`cd ${clone} && git push origin HEAD:quoted`));
  const said = await world.play(
    "dan",
    exec("echo 'git push origin quoted'"),
    exec(
      `cd ${clone} && git -c user.name=D -c user.email=d@example.com commit -q --allow-empty -m "then git push origin quoted"`,
    ),
    exec("cat > note.txt <<'EOF'\ngit push origin quoted\nEOF\ngrep -c 'git push' note.txt"),
    exec(`cd ${clone} && git push --dry-run origin HEAD:quoted`),
  );
  assert.equal(said.length, 4);
  for (const text of said) assert.doesNotMatch(text, PAUSED);
  assert.deepEqual(await story(key), ["intercept 3 git-push", "complete 3"]);
});

test("a line with several effects has the keys of all, and no exit code proves that none was done", async () => {
  const keys = [pushTo("both"), "email:eve@example.com"];
  await world.play(
    "eve",
    exec(`cd ${clone} && git push origin HEAD:both && sendmail-is-not-here; himalaya send eve@example.com; false`),
  );
  for (const key of keys) assert.deepEqual(await story(key), ["intercept 3 git-push", "unknown 3"]);
  assert.notEqual(pushed("both"), "");
});

test("the exit code of the line's last command proves that it did nothing", async () => {
  // The second push would take a commit back: git refuses it.
  const push = (commit: string) => exec(`cd ${clone} && git push origin ${commit}:failed`);
  await world.play("fay", push("HEAD"), push("HEAD~1"));
  assert.deepEqual(await story(pushTo("failed")), ["intercept 3 git-push", "complete 3", "intercept 3 git-push", "failed 3"]);
});

test("two worktrees of a repository meet, two repositories do not, by the folder that the call runs in", async () => {
  const fix = join(world.dir, "app-fix");
  git("worktree", "add", "--quiet", "-b", "fix-login", fix);
  const other = join(world.dir, "lib");
  execFileSync("git", ["clone", "--quiet", clone, other]);
  const otherRemote = join(world.dir, "lib-remote.git");
  execFileSync("git", ["init", "--quiet", "--bare", otherRemote]);
  execFileSync("git", ["-C", other, "remote", "set-url", "origin", otherRemote]);

  const key = pushTo("shared");
  const [first] = await world.play("gil", exec("git push origin HEAD:shared", { workdir: clone }));
  assert.doesNotMatch(first ?? "", PAUSED);
  const [told, own, elsewhere] = await world.play(
    "hal",
    exec("git push origin HEAD:shared", { workdir: fix }),
    exec("git push origin HEAD", { workdir: fix }),
    exec("git push origin HEAD:shared", { workdir: other }),
  );
  assert.ok(told?.startsWith("[Callosum] ") && told.includes(`"${key}"`), told);
  for (const text of [own, elsewhere]) assert.doesNotMatch(text ?? "", PAUSED);
  assert.deepEqual(await story(key), ["intercept 3 git-push", "complete 3", "blocked 3 git-push"]);
  assert.deepEqual(await story(pushTo("fix-login")), ["intercept 3 git-push", "complete 3"]);
});

test("what an option says of the repository is what the folder says of it", async () => {
  // A stand-in for GitHub's program: nothing here reaches GitHub.
  const programs = join(world.dir, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "gh"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const hub = join(world.dir, "hub");
  execFileSync("git", ["init", "--quiet", hub]);
  execFileSync("git", ["-C", hub, "remote", "add", "origin", "git@github.com:acme/app.git"]);

  const gh = (words: string, workdir: string) => exec(`PATH="${programs}:$PATH" gh ${words}`, { workdir });
  const [first] = await world.play("ivy", gh("pr merge 12 --squash", hub));
  assert.doesNotMatch(first ?? "", PAUSED);
  const [told, another] = await world.play("joe", gh("pr merge 12 -R Acme/App", clone), gh("pr merge 12 -R acme/lib", clone));
  assert.ok(told?.startsWith("[Callosum] ") && told.includes('"github:acme/app#12"'), told);
  assert.doesNotMatch(another ?? "", PAUSED);
});
