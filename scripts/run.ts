// Runs the programs that the tasks consist of, says which, and stops at the first that fails.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { searchPath } from "./cargo.mjs";
import { relay } from "./relay.mjs";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** A task that can't go on, with what to do about it. */
export class TaskError extends Error {}

export const NO_RUST = "Rust is missing: install it from https://rustup.rs, then run this again.";

/** Runs a program in the foreground, its output passed through, with `more` added to the environment. */
export async function run(command: string, args: string[], more: Record<string, string> = {}): Promise<void> {
  const shown = `${command} ${args.join(" ")}`.replaceAll(`${ROOT}/`, "");
  console.log(`\n$ ${shown}`);
  const env = { ...process.env, PATH: searchPath(), ...more };
  const ended = await relay(command, args, { cwd: ROOT, env, stdio: "inherit" }).catch((error: unknown) => {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new TaskError(missing && command === "cargo" ? NO_RUST : `could not start \`${shown}\`: ${error}`);
  });
  // Ctrl-C: the program has said what there is to say.
  if (ended.status === 130) process.exit(130);
  if (ended.status !== 0) throw new TaskError(`\`${shown}\` failed (${ended.signal ?? ended.status})`);
}

/** A program of a dependency, run on this same Node. */
export async function runModule(path: string, args: string[]): Promise<void> {
  await run(process.execPath, [join(ROOT, "node_modules", path), ...args]);
}
