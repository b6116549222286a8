// The entry of every npm script. It runs on whatever Node a fresh machine has (20 or newer): installs the dependencies when they are missing or
// older than the lock file, finds the Node that OpenClaw needs, and hands over to tasks.ts, which runs on that one.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEMO_BUILD, searchPath } from "./cargo.mjs";
import { install } from "./install.mjs";
import { relay } from "./relay.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const newEnough = "24.16 or newer (below 25), or 26.1 or newer";

/**
 * @param {string[]} lines
 * @returns {never}
 */
function fail(...lines) {
  for (const line of lines) console.error(line);
  process.exit(1);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
async function run(command, args) {
  const { status } = await relay(command, args, { cwd: root, stdio: "inherit" }).catch((error) =>
    fail(`could not start \`${command}\`: ${error.message}`),
  );
  if (status !== 0) process.exit(status ?? 1);
}

/** @param {string} version */
function fits(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return (major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26;
}

/** The Node that OpenClaw and the TypeScript sources run on: a dependency where there is one, else this machine's. */
function findNode() {
  const packaged = join(root, "node_modules", ".bin", "node");
  if (existsSync(packaged)) return packaged;
  if (fits(process.version)) return process.execPath;
  return fail(
    `OpenClaw needs Node ${newEnough}; this is ${process.version}, and for ${process.platform}-${process.arch} none comes with the dependencies.`,
    "Install Node 24 (for example with nvm, fnm or from nodejs.org), then run this again.",
  );
}

if (Number(process.version.slice(1).split(".")[0]) < 20)
  fail(`Node 20 or newer is needed to begin with; this is ${process.version}.`);
// The packages come from the network, and the demo waits longest for the compiler: one begins while the others come. What goes wrong
// with that is told where it is done again.
let compiling;
if (process.argv[2] === "demo") {
  console.log("Building what the demo needs (the first time takes a minute or two) …");
  const env = { ...process.env, PATH: searchPath() };
  compiling = relay("cargo", DEMO_BUILD, { cwd: root, env, stdio: "ignore" }).catch(() => undefined);
}
try {
  await install(root, "the dependencies (about a minute, once)");
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
// Ctrl-C has ended it: then nothing else begins.
const compiled = await compiling;
if (compiled?.signal === "SIGINT" || compiled?.status === 130) process.exit(130);
await run(findNode(), [join(root, "scripts", "tasks.ts"), ...process.argv.slice(2)]);
