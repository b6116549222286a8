// The browser that the page is tested in: a Chromium of this machine. Nothing is downloaded but a package of the system's own.

import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { installFromDebian, missing } from "./debian.ts";
import { TaskError } from "./run.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const HOW = "install Chromium, or name one in CALLOSUM_CHROMIUM";

/** The browser to test in; undefined where there is none. Throws when CALLOSUM_CHROMIUM names one that is not there. */
export function findBrowser(): string | undefined {
  const named = process.env.CALLOSUM_CHROMIUM;
  if (named !== undefined && named !== "") {
    if (!runs(named)) throw new TaskError(`CALLOSUM_CHROMIUM names \`${named}\`, which can't be run`);
    return named;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const known = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...known, MAC].find(runs);
}

/** Sees to a browser where that can be done, on Debian by its administrator. Without one the tests say that they are skipped; in CI that is a failure. */
export async function installBrowser(): Promise<void> {
  if (findBrowser() !== undefined) return;
  await installFromDebian("chromium");
  if (findBrowser() === undefined) missing("THE PAGE IS NOT TESTED IN A BROWSER", `there is none: ${HOW}`);
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
