// The one file that knows how the native addon is loaded. Failure is an answer with a reason and what to do, never a throw: a plugin that can't
// load must leave the gateway as it was.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import { fileURLToPath } from "node:url";
import type { Gate, GateOptions } from "../native/binding.js";
import { isRecord, messageOf } from "./host.ts";

/** The part of the addon's `Gate` that the shim uses, so that tests can write their own. */
export type NativeGate = Pick<Gate, keyof Gate>;

/** A gate, or why there is none. */
export type Loaded = { ok: true; gate: NativeGate } | { ok: false; failure: LoadFailure };

/** Why the addon could not be loaded. */
export interface LoadFailure {
  cause: string;
  /** What the operator can do, one step each, in this order. */
  remedy: string[];
  /** When loading was tried. */
  since: string;
}

const MACHINE = `${platform}-${arch}`;
/** The build leaves it beside the addons that it put into the plugin's folder. */
const CHECKSUMS = "checksums.json";
/** Where the addon's loader lies: beside the compiled shim in an installed plugin, and at the same place in the source tree. */
const BINDING = fileURLToPath(new URL("../native/binding.js", import.meta.url));

/** The rules file inside the folder that the plugin runs from. */
export function ownRulesFile(): string | undefined {
  const beside = ["../tiers.json", "../../tiers.json"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return beside.find((path) => existsSync(path));
}

/** Loads the addon and makes a gate. It touches no state directory: that happens with the first call. */
export function loadGate(options: GateOptions, binding: string = BINDING): Loaded {
  try {
    const damage = damagedAddon(dirname(binding));
    if (damage !== undefined) return { ok: false, failure: failureOf(damage, "Install the plugin again.") };
    // Resolved from this module: each load of the plugin runs from its own copy of the folder, and must take that copy's addon.
    const addon: unknown = createRequire(import.meta.url)(binding);
    const { Gate } = addon as { Gate: new (options: GateOptions) => NativeGate };
    return { ok: true, gate: new Gate(options) };
  } catch (thrown) {
    return { ok: false, failure: failureOf(causesOf(thrown), firstStep(binding)) };
  }
}

/** The failure as one line for the log. */
export function failureLine(failure: LoadFailure, closed: boolean): string {
  const fixes = failure.remedy.map((step, index) => `${index + 1}. ${step}`).join(" ");
  const effect = closed
    ? 'every tool call is refused, because onStateError is "closed"'
    : "NO tool call is checked: the same action may happen twice";
  return `callosum: the native addon did not load, so ${effect}. Reason: ${failure.cause}. To fix it: ${fixes}`;
}

function failureOf(cause: string, first: string): LoadFailure {
  return {
    cause: `${cause} (Node ${process.version} on ${MACHINE})`,
    remedy: [
      first,
      "Run `openclaw plugins reload callosum` (on older hosts, restart the gateway), then `openclaw gateway call callosum.status`.",
    ],
    since: new Date().toISOString(),
  };
}

/**
 * Compares the addons with the checksums that the build left beside them. The loader of the system trusts what a file says of itself: an addon that
 * was copied only in part is opened, and the first touch of the missing part kills the gateway.
 */
function damagedAddon(folder: string): string | undefined {
  const list = join(folder, CHECKSUMS);
  if (!existsSync(list)) return undefined;
  const sums: unknown = JSON.parse(readFileSync(list, "utf8"));
  const damaged = Object.entries(isRecord(sums) ? sums : {}).find(([name, sum]) => {
    const file = join(folder, name);
    return existsSync(file) && createHash("sha256").update(readFileSync(file)).digest("hex") !== sum;
  });
  return damaged === undefined ? undefined : `\`native/${damaged[0]}\` is damaged: it is not the file that was built`;
}

function firstStep(binding: string): string {
  const folder = dirname(binding);
  if (!existsSync(binding)) return "Install the plugin again: its folder lacks `native/binding.js`.";
  if (readdirSync(folder).some((name) => name.endsWith(".node") && name.includes(MACHINE))) {
    return "The addon for this platform is there, but can't be used: it may have been built for another C library. Build it on this machine (`npm run build` in Callosum's repository) and install that.";
  }
  return `The plugin's folder has no addon for ${MACHINE} (\`native/*.node\`): install the plugin for this platform, or build it on this machine (\`npm run build\` in Callosum's repository).`;
}

/** What the generated loader reports besides the reason: its advice for npm users, and the other places where it looked. */
const BESIDE_THE_POINT = [/^Cannot find native binding/, /wasi/, /^Cannot find module 'callosum-/];

/** The loader tries several places and wraps what each attempt said: the reason is the one about the addon's own file. */
function causesOf(thrown: unknown): string {
  let texts: string[] = [];
  let error: unknown = thrown;
  for (let depth = 0; depth < 8 && error !== undefined && error !== null; depth += 1) {
    const [first = ""] = messageOf(error).split("\n");
    if (first !== "" && !texts.includes(first)) texts.push(first);
    error = error instanceof Error ? error.cause : undefined;
  }
  for (const noise of BESIDE_THE_POINT) {
    const rest = texts.filter((text) => !noise.test(text));
    if (rest.length > 0) texts = rest;
  }
  return texts.join("; ").slice(0, 600) || "unknown";
}
