// `callosum ui` in the browser: the link that is good once, live, release; and a journal that is longer than any answer.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Locator } from "playwright-core";
import { sized } from "../full-size.ts";
import { until } from "../openclaw/harness/world.ts";
import { built } from "../programs.ts";
import { BROWSER, launch, NEEDS_BROWSER, openWindow, picture, seriousFindings } from "./harness/browser.ts";
import { begin, end, gateOn, OwnServer } from "./harness/own-server.ts";

const LINES = sized(100_000, 1_000_000);
const WEEK_MS = 7 * 24 * 3_600_000;
/** No answer may be longer, whatever the journal is. */
const MOST_ANSWER = 4 * 1024 * 1024;
/** More rows than this are never in the document. */
const MOST_ROWS = 200;

const dir = mkdtempSync(join(tmpdir(), "callosum-own-"));
let browser: Browser;
before(async () => {
  if (BROWSER !== undefined) browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
});

const scrollToEnd = (region: Locator) =>
  region.evaluate((element) => {
    const { scrollHeight: top } = element as unknown as { scrollHeight: number };
    (element as unknown as { scrollTo(to: { top: number }): void }).scrollTo({ top });
  });

test("who has the link sees the sessions live and may release; the link is good once", NEEDS_BROWSER, async () => {
  const stateDir = join(dir, "state");
  mkdirSync(stateDir, { mode: 0o700 });
  const gate = gateOn(stateDir, "claude-code");
  const server = OwnServer.start(stateDir);
  try {
    const link = await server.link();
    const { origin } = new URL(link);
    const watched = await openWindow(browser, origin);
    const { page } = watched;
    await page.goto(link);
    await page.getByText("Live", { exact: true }).waitFor();
    assert.ok(!page.url().includes("code="), page.url());
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    // A cookie would go to every server on this address, those of other users among them.
    assert.deepEqual(await watched.context.cookies(), []);
    // An address is kept in histories and logs.
    const kept = Object.entries(
      await page.evaluate(() => ({ ...(globalThis as unknown as { localStorage: object }).localStorage })),
    );
    const [[, token = ""] = []] = kept as Array<[string, string]>;
    assert.match(token, /^[0-9a-f]{32}$/);

    const mail = "himalaya message send --to alice@example.com --body hello";
    assert.equal(await begin(gate, "one", "c1", mail), undefined);
    await end(gate, "one", "c1", mail);
    await page.getByRole("button", { name: /complete: exec on email:alice@example\.com/i }).waitFor();
    assert.match((await begin(gate, "two", "c2", mail)) ?? "", /email:alice@example\.com/);
    await page.getByRole("button", { name: /paused: exec on email:alice@example\.com/i }).waitFor();

    assert.equal(await begin(gate, "three", "c3", "openclaw gateway restart"), undefined);
    await page.getByRole("tab", { name: "Leases" }).click();
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Release" }).click();
    await page.getByText("Nobody holds anything now").waitFor();
    const { entries } = JSON.parse(await gate.ask("journal", '{"action":"released"}')) as {
      entries: Array<{ contextKeys: string[]; reason: string }>;
    };
    assert.deepEqual(
      entries.map(({ contextKeys }) => contextKeys),
      [["gateway:restart"]],
    );
    assert.match(entries[0]?.reason ?? "", /^by .*in callosum ui$/);
    assert.deepEqual(await seriousFindings(page), []);
    await picture(page, "own-server");

    const other = await openWindow(browser, origin);
    assert.equal((await other.page.goto(link))?.status(), 403);
    await other.page.goto(`${origin}/`);
    await other.page.getByText("was not opened through Callosum").waitFor();
    server.pressEnter();
    await other.page.goto(await server.link());
    await other.page.getByText("Live", { exact: true }).waitFor();
    assert.equal(await server.stop(), 0);
    await page.getByText("Reconnecting").waitFor();
    assert.deepEqual([...watched.noticed, ...other.noticed], []);
    assert.ok(watched.requests.some((path) => path.startsWith("/api/release")));
    assert.deepEqual(
      watched.requests.filter((path) => path.includes(token)),
      [],
    );
    await Promise.all([watched.context.close(), other.context.close()]);
  } finally {
    await server.stop();
    await gate.close();
  }
});

test("webhooks that don't get what they are for are told with what to do", NEEDS_BROWSER, async () => {
  const stateDir = join(dir, "webhooks");
  mkdirSync(stateDir, { mode: 0o700 });
  const failing = { since: "2026-11-20T09:14:07Z", attempts: 31, error: "it answered <b>503</b>" };
  const target = "https://hooks.example.com";
  const webhooks = {
    calm: { target, next: 0, delivered: 3 },
    late: { target, next: 0, failing: { ...failing, retryAt: "2026-11-20T10:14:07Z" } },
    ops: { target, next: 0, failing },
  };
  const file = join(stateDir, "webhooks.json");
  writeFileSync(file, JSON.stringify({ webhooks }), { mode: 0o600 });
  const server = OwnServer.start(stateDir);
  try {
    const link = await server.link();
    const watched = await openWindow(browser, new URL(link).origin);
    const { page } = watched;
    await page.goto(link);
    const notice = (text: string) => page.locator(".notice", { hasText: text });
    await notice("The webhook ops was given up").waitFor();
    const told = ((await notice("The webhook ops").textContent()) ?? "").replaceAll(/\s+/g, " ");
    assert.ok(told.includes("https://hooks.example.com: it answered <b>503</b> (31 attempts, the first"), told);
    assert.match(told, /To fix it: fix the target, or correct or remove the webhook in serve\.json; then restart the service\./);
    assert.match((await notice("The webhook late does not get its next event").textContent()) ?? "", /it is tried again at/);
    assert.equal(await notice("calm").count(), 0);
    assert.deepEqual(await seriousFindings(page), []);

    writeFileSync(file, "{", { mode: 0o600 });
    await page.reload();
    await notice("The state of the service's webhooks is unknown").waitFor();
    assert.equal(await notice("The webhook").count(), 0);
    assert.deepEqual(watched.noticed, []);
    await watched.context.close();
  } finally {
    await server.stop();
  }
});

test(`a journal of ${LINES} lines opens, is scrolled and searched in pieces`, NEEDS_BROWSER, async (t) => {
  const stateDir = join(dir, "long");
  mkdirSync(stateDir, { mode: 0o700 });
  execFileSync(built("make-journal"), [stateDir, String(LINES), String(WEEK_MS)], { timeout: 300_000 });
  const server = OwnServer.start(stateDir);
  try {
    const link = await server.link();
    const watched = await openWindow(browser, new URL(link).origin);
    const { page } = watched;
    const tooLong: string[] = [];
    page.on("response", (answer) => {
      const length = Number(answer.headers()["content-length"] ?? 0);
      if (answer.url().includes("/api/") && length > MOST_ANSWER) tooLong.push(`${answer.url()}: ${length}`);
    });
    await page.goto(link);
    await page.getByText("Live", { exact: true }).waitFor();
    const paints = await page.evaluate(() => {
      const { performance } = globalThis as unknown as {
        performance: { getEntriesByType(type: string): Array<{ name: string; startTime: number }> };
      };
      return performance.getEntriesByType("paint").map(({ name, startTime }) => `${name} ${Math.round(startTime)} ms`);
    });
    t.diagnostic(`with ${LINES} lines: ${paints.join(", ")}`);
    await page.getByRole("region", { name: /^Lanes/ }).waitFor();
    await picture(page, "long-timeline");

    await page.getByRole("tab", { name: "Journal" }).click();
    const records = page.getByRole("region", { name: "Records" });
    await records.getByRole("row").nth(5).waitFor();
    const first = await records.getByRole("row").nth(1).textContent();
    for (let step = 0; step < 5; step += 1) {
      const asked = watched.requests.length;
      await until("older records to be asked for", async () => {
        // Again and again: what was asked for in the last step may come after the first scroll of this one.
        await scrollToEnd(records);
        return watched.requests.slice(asked).some((path) => path.includes("/journal"));
      });
      assert.ok((await records.getByRole("row").count()) <= MOST_ROWS);
    }
    assert.notEqual(await records.getByRole("row").nth(1).textContent(), first);
    await page.getByRole("searchbox", { name: "Text" }).fill("nothing has this text");
    await page.getByText("No record matches").first().waitFor({ timeout: 60_000 });
    await picture(page, "long-journal");

    const journals = watched.requests.filter((path) => path.includes("/api/journal"));
    for (const path of journals) {
      const asked = JSON.parse(new URLSearchParams(path.split("?")[1]).get("q") ?? "{}") as { limit?: number; budget?: boolean };
      assert.ok(asked.budget === true && (asked.limit ?? Number.POSITIVE_INFINITY) <= 1_000, path);
    }
    assert.deepEqual(tooLong, []);
    assert.deepEqual(watched.noticed, []);
    await watched.context.close();
  } finally {
    await server.stop();
  }
});

test("older records come while newer ones are on their way", NEEDS_BROWSER, async () => {
  const stateDir = join(dir, "short");
  mkdirSync(stateDir, { mode: 0o700 });
  execFileSync(built("make-journal"), [stateDir, "2000", String(WEEK_MS)], { timeout: 60_000 });
  const gate = gateOn(stateDir, "claude-code");
  const server = OwnServer.start(stateDir);
  try {
    const link = await server.link();
    const { page, context, requests } = await openWindow(browser, new URL(link).origin);
    let held: (() => Promise<void>) | undefined;
    await page.route(/api\/journal.*%22after%22/, (route) => {
      held ??= () => route.continue();
    });
    await page.goto(link);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Journal" }).click();
    const records = page.getByRole("region", { name: "Records" });
    await records.getByRole("row").nth(5).waitFor();
    await begin(gate, "one", "c1", "himalaya message send --to alice@example.com --body hello");
    const release = await until("newer records to be asked for", () => held);
    const asked = requests.length;
    await scrollToEnd(records);
    await until("older records to be asked for", () => requests.slice(asked).some((path) => path.includes("%22before%22")));
    await release();
    await page.getByRole("button", { name: /new$/ }).waitFor();
    await context.close();
  } finally {
    await server.stop();
    await gate.close();
  }
});
