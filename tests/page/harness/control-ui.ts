// The host's Control UI in the browser, as the operator meets it: signed in by the link with the token, the sidebar on the left.

import type { Frame } from "playwright-core";
import { until } from "../../openclaw/harness/world.ts";
import { PATIENCE_MS, type Watched } from "./browser.ts";

const FRAMES = { Callosum: "/plugins/callosum/", "Callosum leases": "/plugins/callosum-leases/" };
export type TabName = keyof typeof FRAMES;

/** Signs in and waits for the sidebar. */
export async function signIn({ page }: Watched, origin: string, token: string, path = "/"): Promise<void> {
  await page.goto(`${origin}${path}#token=${token}`);
  await page.getByRole("link", { name: "Callosum", exact: true }).first().waitFor({ state: "attached" });
}

/** Opens a tab from the sidebar and gives the frame with the page, once it is up. */
export async function openTab(watched: Watched, name: TabName): Promise<Frame> {
  await watched.page.getByRole("link", { name, exact: true }).first().click();
  return await frameOf(watched, name);
}

/** The frame of a tab that is shown. */
export async function frameOf({ page }: Watched, name: TabName): Promise<Frame> {
  const frame = await until(
    `the frame of ${name}`,
    () =>
      page.frames().find((known) => new URL(known.url(), "http://none").pathname === FRAMES[name] && !known.url().includes("?")),
    PATIENCE_MS,
  );
  await frame.getByRole("tablist", { name: "Views" }).waitFor();
  return frame;
}
