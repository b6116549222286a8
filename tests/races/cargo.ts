// Builds the native programs of this workspace that tests run, and says where one lies.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** All of them in one go, and with the command line: alone, a program would get its dependencies, and the core, compiled with other features. */
const PROGRAMS = [
  "-p",
  "callosum-cli",
  "-p",
  "callosum-bench",
  "--bin",
  "callosum",
  "--bin",
  "make-journal",
  "--example",
  "racer",
];

export function built(name: "callosum" | "make-journal" | "racer"): string {
  const args = ["build", "--release", "--locked", ...PROGRAMS, "--message-format=json-render-diagnostics"];
  const rustup = join(homedir(), ".cargo", "bin");
  const path = existsSync(rustup) ? `${process.env.PATH}${delimiter}${rustup}` : process.env.PATH;
  const messages = execFileSync("cargo", args, {
    cwd: ROOT,
    env: { ...process.env, PATH: path },
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for (const line of messages.split("\n").reverse()) {
    if (!line.startsWith("{")) continue;
    const message = JSON.parse(line) as { reason: string; executable?: string | null; target?: { name: string } };
    if (message.reason === "compiler-artifact" && message.executable && message.target?.name === name) return message.executable;
  }
  throw new Error(`cargo built no program ${name}`);
}
