// A browser for the page's tests: headless, with a fresh profile, and watched. Whatever it does that it should not is kept for the test to ask.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Frame, type Page } from "playwright-core";
import { findBrowser } from "../../../scripts/browser.ts";

export const BROWSER = findBrowser();
/** For `test`: where there is no browser its tests are skipped. */
export const NEEDS_BROWSER = { skip: BROWSER === undefined ? "there is no browser (CALLOSUM_CHROMIUM names one)" : false };
/** A test's patience with a thing that should come at once; bounded, not measured. */
export const PATIENCE_MS = 20_000;

/** Nothing of it goes anywhere by itself. */
const QUIET = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
];
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export async function launch(): Promise<Browser> {
  if (BROWSER === undefined) throw new Error("there is no browser");
  return await chromium.launch({ executablePath: BROWSER, args: QUIET });
}

/** A window of the browser, and what was noticed in it. */
export interface Watched {
  context: BrowserContext;
  page: Page;
  /** Requests to elsewhere, refused by policy or not; dialogs; errors of scripts; violations of a policy. */
  noticed: string[];
  /** Addresses that were asked for, without their origin. */
  requests: string[];
}

export interface WindowOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
}

/** Opens a window that may only talk to `origin`. */
export async function openWindow(browser: Browser, origin: string, options: WindowOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.theme ?? "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const watched: Watched = { context, page, noticed: [], requests: [] };
  page.on("request", (request) => {
    const { origin: to, protocol, pathname, search } = new URL(request.url());
    if (to === origin) watched.requests.push(pathname + search);
    else if (protocol !== "data:" && protocol !== "blob:") watched.noticed.push(`request to ${request.url().slice(0, 200)}`);
  });
  page.on("dialog", (dialog) => {
    watched.noticed.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => watched.noticed.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (/Content Security Policy|Refused to|violates|sandbox/i.test(text)) watched.noticed.push(`policy: ${text.slice(0, 300)}`);
  });
  return watched;
}

/** The page of Callosum inside a page of its host, or the page itself. */
export type Shown = Frame | Page;

/** Findings of axe-core that are serious or critical, in a line each. */
export async function seriousFindings(shown: Shown): Promise<string[]> {
  // By the debugger, not as an element: the page's policy lets no script in.
  await shown.evaluate(readFileSync(AXE, "utf8"));
  return await shown.evaluate(async () => {
    type Finding = { id: string; impact: string; nodes: Array<{ target: unknown; failureSummary: string }> };
    const { axe } = globalThis as unknown as { axe: { run: (where: unknown) => Promise<{ violations: Finding[] }> } };
    const { violations } = await axe.run((globalThis as unknown as { document: unknown }).document);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
  });
}

/** Keeps a picture to look at, when CALLOSUM_SCREENSHOTS names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CALLOSUM_SCREENSHOTS;
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
