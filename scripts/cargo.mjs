// What bootstrap.mjs, which runs on any Node, and the tasks both know of cargo.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Compiles what the demo runs: the plugin's addon and the command line. */
export const DEMO_BUILD = ["build", "--profile", "demo", "--locked", "-p", "callosum-node", "-p", "callosum-cli"];

/** rustup changes PATH only for shells started after it, so a fresh install is looked up too. */
export function searchPath() {
  const cargo = join(homedir(), ".cargo", "bin");
  const path = process.env.PATH ?? "";
  return existsSync(cargo) ? `${path}${delimiter}${cargo}` : path;
}
