// The entry of every npm script. It runs on whatever Node a fresh machine has (20 or newer): installs the dependencies when they are missing or
// older than the lock file, finds the Node that OpenClaw needs, and hands over to tasks.ts, which runs on that one.

import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** True when node_modules is what the lock file says, as far as their times tell. */
function installed() {
  const written = join(root, "node_modules", ".package-lock.json");
  return existsSync(written) && statSync(written).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

async function install() {
  if (installed()) return;
  console.log("Installing the dependencies (about a minute, once) …");
  // npm warns about packages made for a newer Node than the one that installs them; the newer one comes along, so only errors matter.
  const args = ["ci", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  if (npm?.endsWith(".js")) await run(process.execPath, [npm, ...args]);
  else await run("npm", args);
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
await install();
await run(findNode(), [join(root, "scripts", "tasks.ts"), ...process.argv.slice(2)]);
