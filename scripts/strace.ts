// The program by which a test ends another one at a call of the system.

import { spawnSync } from "node:child_process";
import { installFromDebian, missing } from "./debian.ts";

/** Sees to it where that can be done. Without it a test says that it is skipped; in CI that is a failure. */
export async function installStrace(): Promise<void> {
  if (process.platform !== "linux" || hasStrace()) return;
  await installFromDebian("strace");
  if (!hasStrace()) missing("NO PROGRAM IS KILLED AT EACH OF ITS WRITES", "there is no `strace`: install it");
}

function hasStrace(): boolean {
  return spawnSync("strace", ["--version"]).status === 0;
}
