// Runs a program in the foreground and passes on the signals that mean "stop", so that ending an npm script ends what it started, and what it
// started can clean up first.

import { spawn } from "node:child_process";

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Resolves when the program has ended.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<{status: number | null, signal: NodeJS.Signals | null}>}
 */
export function relay(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
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
