#!/usr/bin/env node
// The `callosum` command of the published package: starts the program of the platform's package, which npm installed beside this one.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"];
const machine = `${process.platform}-${process.arch}`;
// A runtime may take any exit but 0 for a refusal of its tool call: of what goes wrong a hook only complains.
const isHook = process.argv[2] === "hook";

// By this name the program knows that its parent only started it, and looks further up for the runtime whose hook it is.
process.title = "callosum";

/** @param {string} platform */
function programOf(platform) {
  try {
    return join(dirname(require.resolve(`callosum-${platform}/package.json`)), "bin", "callosum");
  } catch {
    return undefined;
  }
}

/**
 * Runs the program in the foreground and ends as it does; comes back only when it can't be started.
 * @param {string} program
 * @returns {Promise<void>}
 */
function become(program) {
  return new Promise((resolve) => {
    /** @type {import("node:child_process").ChildProcess | undefined} */
    let child;
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => void child?.kill(signal);
    const letGo = () => {
      for (const signal of STOPPING) process.off(signal, pass);
    };
    // `callosum ui` must not go on without this process; before it is there, for a signal in between.
    for (const signal of STOPPING) process.on(signal, pass);
    child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
    child.once("error", () => {
      letGo();
      resolve();
    });
    child.once("close", (code, signal) => {
      // What never started is closed too.
      if (child?.pid === undefined) return;
      letGo();
      if (isHook) process.exit(0);
      if (signal !== null) process.kill(process.pid, signal);
      process.exit(code ?? 1);
    });
  });
}

// An npm that does not know the C library of a package installs both; the one for another library can't be started.
const programs = [machine, `${machine}-gnu`, `${machine}-musl`].map(programOf).filter((path) => path !== undefined);
for (const program of programs) await become(program);
console.error(
  programs.length === 0
    ? `callosum: there is no program for ${machine} here; it comes as an optional dependency, so install without \`--omit=optional\`, on a platform that docs/install.md names.`
    : `callosum: the program for ${machine} can't be started; it may have been built for another C library.`,
);
if (isHook) {
  // A runtime that writes into a closed pipe may take that for a failure of ours; one that never ends is not waited for.
  process.stdin.on("error", () => {}).resume();
  setTimeout(() => process.exit(0), 1000).unref();
} else {
  process.exitCode = 1;
}
