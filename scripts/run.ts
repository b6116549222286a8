// Runs the programs that the tasks consist of, says which, and stops at the first that fails.

import type { StdioOptions } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { searchPath } from "./cargo.mjs";
import { relay } from "./relay.mjs";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** A task that can't go on, with what to do about it. */
export class TaskError extends Error {}

const NO_RUST = "Rust is missing: install it from https://rustup.rs, then run this again.";

/** How a program is started: where, what is added to the environment, and who is told each line of its standard output. */
interface Start {
  cwd?: string;
  more?: Record<string, string>;
  said?: (line: string) => void;
}

/** Runs a program in the foreground, its output passed through, with `more` added to the environment. */
export async function run(command: string, args: string[], more: Record<string, string> = {}): Promise<void> {
  const shown = announced(command, args);
  const failure = await failureOf(command, args, { more });
  if (failure !== undefined) throw new TaskError(`\`${shown}\` failed (${failure})`);
}

/** Says which program is run, and gives that. */
export function announced(command: string, args: string[]): string {
  const shown = `${command} ${args.join(" ")}`.replaceAll(`${ROOT}/`, "");
  console.log(`\n$ ${shown}`);
  return shown;
}

/** Runs a program; gives the signal or the exit code that it failed with. */
export async function failureOf(command: string, args: string[], { cwd = ROOT, more, said }: Start): Promise<string | undefined> {
  const env = { ...process.env, PATH: searchPath(), ...more };
  const stdio: StdioOptions = said === undefined ? "inherit" : ["inherit", "pipe", "inherit"];
  const ended = await relay(command, args, { cwd, env, stdio }, said).catch((error: unknown) => {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new TaskError(missing && command === "cargo" ? NO_RUST : `could not start \`${command}\`: ${error}`);
  });
  // Ctrl-C: the program has said what there is to say.
  if (ended.status === 130 || ended.signal === "SIGINT") process.exit(130);
  return ended.status === 0 ? undefined : String(ended.signal ?? ended.status);
}

/** A program of a dependency, run on this same Node. */
export async function runModule(path: string, args: string[]): Promise<void> {
  await run(process.execPath, [join(ROOT, "node_modules", path), ...args]);
}
