// Reading the page: a story has an address and closes by a step back, tabs are steps, keys and search lead on, what is shown can be taken along.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { until } from "../openclaw/harness/world.ts";
import { BROWSER, launch, NEEDS_BROWSER, openWindow, picture, seriousFindings } from "./harness/browser.ts";
import { begin, end, gateOn, OwnServer } from "./harness/own-server.ts";

const MAIL = "himalaya message send --to alice@example.com --body hello";

const dir = mkdtempSync(join(tmpdir(), "callosum-reading-"));
let browser: Browser;
before(async () => {
  if (BROWSER !== undefined) browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Does `look` on the page of a state directory where two sessions did the same. */
async function reading(name: string, look: (watched: Awaited<ReturnType<typeof openWindow>>, link: string) => Promise<void>) {
  const stateDir = join(dir, name);
  mkdirSync(stateDir, { mode: 0o700 });
  const [claude, codex] = [gateOn(stateDir, "claude-code"), gateOn(stateDir, "codex", { instanceId: "other" })];
  await begin(claude, "one", "c1", MAIL);
  await end(claude, "one", "c1", MAIL);
  await begin(codex, "two", "c2", MAIL);
  const server = OwnServer.start(stateDir);
  try {
    const link = await server.link();
    const watched = await openWindow(browser, new URL(link).origin);
    await watched.page.goto(link);
    await watched.page.getByText("Live", { exact: true }).waitFor();
    await look(watched, link);
    assert.deepEqual(watched.noticed, []);
    await watched.context.close();
  } finally {
    await server.stop();
    await claude.close();
    await codex.close();
  }
}

test("a story has an address, opens at its title, and a step back closes it; tabs are steps too", NEEDS_BROWSER, () =>
  reading("story", async ({ page, context }) => {
    const story = page.getByRole("dialog", { name: "Story" });
    await page.getByRole("button", { name: /^paused: exec on email:alice/ }).click();
    await story.getByRole("listitem").first().waitFor();
    await until("the address of the story", () => page.url().includes("story=email%3Aalice%40example.com"));
    assert.equal(
      await story.evaluate((element) => (element as unknown as { parentElement: { scrollTop: number } }).parentElement.scrollTop),
      0,
    );
    await picture(page, "story-own");
    const address = page.url();
    await page.goBack();
    await story.waitFor({ state: "detached" });
    assert.ok(!page.url().includes("story="), page.url());

    // Sent to somebody who has the page open in this browser.
    const other = await context.newPage();
    await other.goto(address);
    const there = other.getByRole("dialog", { name: "Story" });
    await there.getByText("email:alice@example.com").first().waitFor();
    await other.keyboard.press("Escape");
    await there.waitFor({ state: "detached" });
    await other.getByText("Live", { exact: true }).waitFor();
    await other.close();

    await page.getByRole("tab", { name: "Leases" }).click();
    await page.getByRole("tab", { name: "Journal" }).click();
    await page.goBack();
    await page.getByRole("tab", { name: "Leases", selected: true }).waitFor();
    await page.goBack();
    await page.getByRole("tab", { name: "Timeline", selected: true }).waitFor();
  }),
);

test("keys, search and groups lead on, and a pause of a hook is not said to be unread", NEEDS_BROWSER, () =>
  reading("keys", async ({ page }) => {
    // The whole of a young journal is in view, and fills it.
    await page.getByText(/\(5 min\)/).waitFor();
    await page.getByText("It has not retried.").waitFor();
    assert.equal(await page.getByText("not known whether the model has read it").count(), 0);
    await page.getByLabel("Group by").selectOption("runtime");
    await until(
      "the groups",
      async () => (await page.locator(".lane-labels .lane-group").allInnerTexts()).toSorted().join() === "claude-code,codex",
    );
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await keys.waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await page.keyboard.press("/");
    const search = page.getByRole("dialog", { name: "Search" });
    await search.getByRole("searchbox").fill("ALICE@");
    await search
      .getByRole("region", { name: "Resources" })
      .getByRole("button", { name: /email:alice@example\.com/ })
      .waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await search.getByRole("button", { name: /email:alice@example\.com/ }).click();
    await page.getByRole("dialog", { name: "Story" }).getByRole("listitem").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Story" }).waitFor({ state: "detached" });
    await page.keyboard.press("2");
    await page.getByRole("tab", { name: "Leases", selected: true }).waitFor();
  }),
);

test("what is shown is taken along as JSON and CSV, and an old answer goes when the question changes", NEEDS_BROWSER, () =>
  reading("export", async ({ page }) => {
    await page.getByRole("tab", { name: "Journal" }).click();
    await page.getByRole("searchbox", { name: "Text" }).fill("alice@");
    await until("only what is about alice", async () => {
      const words = await page.locator("td.c-what").allInnerTexts();
      return words.length >= 2 && words.length <= 4;
    });
    const shown = await page.locator("td.c-what").count();
    const save = async (format: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("group", { name: "Export these rows" }).getByRole("button", { name: format }).click(),
      ]);
      const file = join(dir, download.suggestedFilename());
      await download.saveAs(file);
      return { name: download.suggestedFilename(), text: readFileSync(file, "utf8") };
    };
    const json = await save("JSON");
    assert.equal(json.name, "callosum-journal.json");
    const rows = JSON.parse(json.text) as Array<{ keys: string[]; action: string }>;
    assert.equal(rows.length, shown);
    assert.ok(rows.some(({ keys, action }) => action === "blocked" && keys[0] === "email:alice@example.com"));
    const csv = await save("CSV");
    assert.equal(csv.text.trim().split("\r\n").length, shown + 1);

    await page.getByRole("tab", { name: "Rules" }).click();
    await page.getByLabel("Command line").fill(MAIL);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("It would be paused").waitFor();
    await page.getByLabel("Tool", { exact: true }).fill("message");
    await page.getByText("It would be paused").waitFor({ state: "detached" });
    await page.getByLabel("Parameters as JSON").fill("not json");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText(/This is not JSON/).waitFor();
    assert.equal(await page.locator(".answer").count(), 0);
  }),
);
