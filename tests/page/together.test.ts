// What sessions do together and share, on the page: seen once it is switched on, decided by a person, and only ever text.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { EXTENSION } from "../openclaw/harness/stage.ts";
import { until } from "../openclaw/harness/world.ts";
import { BROWSER, launch, NEEDS_BROWSER, openWindow, picture, seriousFindings } from "./harness/browser.ts";
import { begin, end, gateOn, OwnServer } from "./harness/own-server.ts";

const HOSTILE = '<img src=x onerror="alert(1)"> \u202eevil';

const dir = mkdtempSync(join(tmpdir(), "callosum-together-"));
let browser: Browser;
before(async () => {
  if (BROWSER !== undefined) browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A state directory, its shared context beside it, and the command line as a person runs it. */
function world(name: string) {
  const [stateDir, shared] = [join(dir, name), join(dir, `${name}-shared`)];
  mkdirSync(stateDir, { mode: 0o700 });
  // A gate of this process tells where the folder is by its settings, `callosum ui` by what is recorded.
  const env = { PATH: process.env.PATH ?? "", HOME: stateDir, CALLOSUM_STATE_DIR: stateDir };
  const run = (...args: string[]) =>
    execFileSync(join(EXTENSION, "bin", "callosum"), args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return { stateDir, shared, run };
}

const tab = (page: Page, name: string) => page.getByRole("tab", { name });

async function open(server: OwnServer, width = 1280, theme: "light" | "dark" = "light") {
  const link = await server.link();
  const watched = await openWindow(browser, new URL(link).origin, { width, theme });
  await watched.page.goto(link);
  await watched.page.getByText("Live", { exact: true }).waitFor();
  return watched;
}

test("until it is switched on there is no tab for it; then tasks are accepted and rejected", NEEDS_BROWSER, async () => {
  const { stateDir, run } = world("tasks");
  const gate = gateOn(stateDir, "codex");
  await begin(gate, "writer", "c1", "himalaya message send --to alice@example.com --body hello");
  await end(gate, "writer", "c1", "himalaya message send --to alice@example.com --body hello");
  const server = OwnServer.start(stateDir);
  try {
    const watched = await open(server);
    const { page } = watched;
    await page.getByText("Nothing waits for your decision").waitFor();
    for (const name of ["Tasks", "Messages", "Discoveries", "Context"]) assert.equal(await tab(page, name).count(), 0, name);
    await tab(page, "Sessions").click();
    await page.getByRole("row", { name: /writer.*codex/ }).waitFor();

    run("team", "on");
    const task = (id: string, prompt: string) => ({ id, prompt, status: "pending", priority: 1, assigned_to: "gemini-cli" });
    const queue = [task("one", `Bound the recursion ${HOSTILE}`), task("two", "Nobody wants this")];
    writeFileSync(join(dir, "bridge.json"), JSON.stringify({ version: "2.0.0", task_queue: queue }));
    run("bridge", "import", join(dir, "bridge.json"));
    run("task", "add", "Made by a person");
    run("send", "codex", "The schema has changed");
    run("publish", "calc.discovery", "--body", `libfoo 3 breaks the build ${HOSTILE}`);
    await tab(page, "Tasks").click();
    const asked = page.getByRole("region", { name: /Waiting for you/ }).getByRole("listitem");
    await until("both tasks to wait", async () => (await asked.count()) === 2);
    await picture(page, "tasks");
    await page.getByRole("button", { name: /^Accept: Bound the recursion/ }).click();
    await page.getByText("Accepted", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Reject: Nobody wants this/ }).click();
    await page.getByText("Rejected", { exact: true }).waitFor();
    await until("none to wait", async () => (await asked.count()) === 0);
    const { tasks } = JSON.parse(run("task", "list", "--json")) as { tasks: Array<{ id: string; accepted: boolean }> };
    assert.deepEqual(
      tasks.map(({ id, accepted }) => [id, accepted]).filter(([id]) => id === "one" || id === "two"),
      [["one", true]],
    );

    await tab(page, "Messages").click();
    const message = page.getByRole("listitem").filter({ hasText: "The schema has changed" });
    await message.getByText("has not been shown it yet").waitFor();
    await tab(page, "Discoveries").click();
    await page.getByText("libfoo 3 breaks the build").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.ok(!((await page.locator("body").textContent()) ?? "").includes("\u202e"));
    for (const name of ["Timeline", "Sessions", "Tasks", "Messages", "Discoveries"]) {
      await tab(page, name).click();
      await page.getByRole("tabpanel", { name }).waitFor();
      assert.deepEqual(await seriousFindings(page), [], name);
    }
    assert.deepEqual(watched.noticed, []);
    await watched.context.close();
  } finally {
    await server.stop();
    await gate.close();
  }
});

test("the shared context: a proposal is accepted, and what something else changed is told first", NEEDS_BROWSER, async () => {
  const { stateDir, shared } = world("context");
  const gate = gateOn(stateDir, "openclaw", { sharedContextEnabled: true, sharedContextDir: shared });
  const asked = async (request: object) => JSON.parse(await gate.context(JSON.stringify(request))) as { id: string };
  const call = (tool: string, agent: string, params: object) =>
    asked({ do: "call", tool, agent, params, runtime: "openclaw", session: `agent:${agent}:main`, call: "c" });
  await asked({ do: "prompt", session: "agent:main:main" });
  await call("shared_priorities_append", "research", { text: `Move the release notes ${HOSTILE}` });
  const body = "## Entities\n- email:ann@example.com";
  for (const agent of ["main", "research"]) await call("shared_context_write_output", agent, { title: `Of ${agent}`, body });
  await call("shared_context_cross_signals_run", "main", {});
  await call("shared_context_curate_daily", "main", {});
  const server = OwnServer.start(stateDir);
  try {
    const watched = await open(server);
    const { page } = watched;
    await page.getByRole("button", { name: /^What waits for you: 1/ }).click();
    await page.getByRole("heading", { name: /^Roundtable of/ }).waitFor();
    await page.getByText("Of research").first().waitFor();
    await page.getByText("ann@example.com", { exact: false }).first().waitFor();
    for (const width of [400, 1280, 2000]) {
      await page.setViewportSize({ width, height: 900 });
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        type Root = { scrollWidth: number; clientWidth: number };
        const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: Root } }).document
          .documentElement;
        return { scrollWidth, clientWidth };
      });
      assert.ok(scrollWidth <= clientWidth, `wider than ${width} px`);
      assert.deepEqual(await seriousFindings(page), [], String(width));
      await picture(page, `context-${width}`);
    }
    await page.getByRole("button", { name: /^Accept: .*Move the release notes/ }).click();
    await page.getByText("Accepted", { exact: true }).waitFor();
    await page.getByText("No proposal waits for you.").waitFor();
    assert.equal(await page.locator("img").count(), 0);

    // A call runs while the file changes: nobody can tell that a person did it.
    await begin(gate, "agent:main:main", "open", "openclaw gateway restart");
    appendFileSync(join(shared, "priorities.md"), "- sneaked in\n");
    await asked({ do: "prompt", session: "agent:other:main" });
    await page.getByText("priorities.md was changed by something else").waitFor();
    await tab(page, "Timeline").click();
    await page.getByRole("button", { name: /^What is wrong: 1/ }).waitFor();
    await tab(page, "Context").click();
    const notice = page.getByRole("alert").filter({ hasText: "priorities.md was changed by something else" });
    await notice.getByText("sneaked in").waitFor();
    assert.deepEqual(await seriousFindings(page), [], "a changed file");
    await picture(page, "context-changed");
    const file = join(shared, "priorities.md");
    await page.getByRole("button", { name: "Put back: priorities.md" }).click();
    await page.getByText("It is put back").waitFor();
    await until("the version before it", () => !readFileSync(file, "utf8").includes("sneaked in"));
    appendFileSync(file, "- wanted after all\n");
    await asked({ do: "prompt", session: "agent:other:main" });
    await notice.getByText("wanted after all").waitFor();
    // What was not seen is not kept.
    appendFileSync(file, "- and this behind it\n");
    await page.getByRole("button", { name: "Keep it: priorities.md" }).click();
    await page.getByText("was changed again meanwhile").waitFor();
    await notice.getByText("and this behind it").waitFor();
    await page.getByRole("button", { name: "Keep it: priorities.md" }).click();
    await page.getByText("It is kept as it stands").waitFor();
    await until("nothing to be wrong", async () => (await notice.count()) === 0);
    assert.match(readFileSync(file, "utf8"), /wanted after all\n- and this behind it\n$/);
    assert.deepEqual(watched.noticed, []);
    await watched.context.close();
  } finally {
    await server.stop();
    await gate.close();
  }
});
