// The native programs of crates/callosum-bench.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../run.ts";
import type { Times } from "./samples.ts";

export const program = (name: string) => join(ROOT, "target", "release", name);

/**
 * A program as a user has it: a copy in `folder`, written from beginning to end as npm and the build write it. The file that a
 * linker leaves, which it writes here and there, was measured to start up to a sixth slower.
 */
export function installed(folder: string, name: string): string {
  const path = join(folder, name);
  cpSync(program(name), path);
  return path;
}

const running = new Set<ChildProcess>();

/** Starts a program whose standard output is read, and whose errors are seen. */
function start(path: string, args: string[]) {
  const child = spawn(path, args, { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

/** Ends what still runs. */
export function endAll(): void {
  for (const child of running) child.kill();
}

/** Runs a program to its end, with `input` to read, and reads its answer. */
export async function ask<T>(path: string, args: string[], input = ""): Promise<T> {
  const child = start(path, args);
  child.stdin.end(input);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const [status, signal] = (await once(child, "close")) as [number | null, string | null];
  if (status !== 0) throw new Error(`\`${path} ${args.join(" ")}\` failed (${signal ?? status})`);
  return JSON.parse(text) as T;
}

/** The plain loop that nothing can be faster than, in a process that lives as long as the run. */
export class Floor {
  readonly #child: ReturnType<typeof start>;
  readonly #answers: AsyncIterator<string>;

  constructor(directory: string) {
    this.#child = start(program("floor"), [directory]);
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async calls(calls: number, bytes: number, flush: boolean): Promise<Times> {
    this.#child.stdin.write(`${JSON.stringify({ calls, bytes, flush })}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("the floor's program has ended");
    return JSON.parse(value) as Times;
  }

  close(): void {
    this.#child.stdin.end();
  }
}
