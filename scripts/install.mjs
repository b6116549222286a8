// Installs npm packages as their lock file says, when they are missing or older than it.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { relay } from "./relay.mjs";

/** True when node_modules is what the lock file says, as far as their times tell. */
function installed(/** @type {string} */ folder) {
  const written = join(folder, "node_modules", ".package-lock.json");
  return existsSync(written) && statSync(written).mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs;
}

/**
 * Installs what `folder`'s package.json names; throws when that fails.
 * @param {string} folder
 * @param {string} what How a line on the terminal calls it, with how long it takes.
 */
export async function install(folder, what) {
  if (installed(folder)) return;
  console.log(`Installing ${what} …`);
  // npm warns about packages made for a newer Node than the one that installs them; the newer one comes along, so only errors matter.
  // Vite sets NODE_ENV to "production", with which npm leaves out what tests need.
  const args = ["ci", "--loglevel=error", "--include=dev"];
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm?.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  const { status } = await relay(command, [...before, ...args], { cwd: folder, stdio: "inherit" });
  if (status === 130) process.exit(130);
  if (status !== 0) throw new Error(`\`npm ${args.join(" ")}\` failed in ${folder} (${status ?? "ended by a signal"})`);
}
