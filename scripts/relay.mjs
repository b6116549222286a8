// Runs a program in the foreground and passes on the signals that mean "stop", so that ending an npm script ends what it started, and what it
// started can clean up first.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Resolves when the program has ended.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @param {(line: string) => void} [said] is told each line of its standard output, where that is a pipe
 * @returns {Promise<{status: number | null, signal: NodeJS.Signals | null}>}
 */
export function relay(command, args, options, said) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    if (child.stdout !== null && said !== undefined) createInterface(child.stdout).on("line", said);
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => void child.kill(signal);
    for (const signal of STOPPING) process.on(signal, pass);
    const done = () => {
      for (const signal of STOPPING) process.off(signal, pass);
    };
    child.once("error", (error) => {
      done();
      reject(error);
    });
    child.once("close", (status, signal) => {
      done();
      resolve({ status, signal });
    });
  });
}
