// What tests need beside the project's own packages: programs of this machine, which on Debian its administrator may install.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { run, TaskError } from "./run.ts";

const APT = "/usr/bin/apt-get";

/** Installs packages of Debian where that can be done. What went wrong is printed: whoever needs them looks whether they are there. */
export async function installFromDebian(...packages: string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return;
  await trying(async () => {
    await run(APT, ["update"]);
    await run(APT, ["install", "-y", "--no-install-recommends", ...packages]);
  });
}

/** Sees to a program that a test starts, from the package of the same name, where that can be done. Without it a part is skipped, which `skipped` says. */
export async function installProgram(program: string, skipped: string): Promise<void> {
  const isThere = () => spawnSync(program, ["--version"]).status === 0;
  if (!isThere()) await installFromDebian(program);
  if (!isThere()) missing(skipped, `there is no \`${program}\`: install it`);
}

/** Does what may fail; that it did is printed. */
export async function trying(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    console.error(error.message);
  }
}

/** Says that a part of the tests will be skipped, and why; in CI that is a failure. */
export function missing(what: string, why: string): void {
  if (process.env.CI) throw new TaskError(why);
  console.error(`\n!!! ${what}: ${why} !!!\n`);
}
