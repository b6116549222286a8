// What the npm scripts do. Started by bootstrap.mjs, on the Node that OpenClaw needs.

import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { archive } from "./archive.ts";
import { installBrowser } from "./browser.ts";
import { build, buildDemo, buildPanickingAddon, buildTestPrograms, DEMO_EXTENSION, EXTENSION, FAULT_INJECTION } from "./build.ts";
import { installProgram } from "./debian.ts";
import { install } from "./install.mjs";
import { pack } from "./pack.ts";
import { installPython } from "./python.ts";
import { writeReferences } from "./references.ts";
import { ROOT, run, runModule, TaskError } from "./run.ts";
import { rustTests } from "./rust-tests.ts";

/** The parts of `npm test`, in their order; `npm test -- shim openclaw` runs only those two. */
const PARTS = ["rust", "shim", "golden", "cli", "clients", "races", "openclaw", "agents", "page", "suspended"];
/** Those whose files measure nothing: the files of all of them run side by side, first those of the parts that take longest. */
const SIDE_BY_SIDE = ["openclaw", "agents", "page", "clients", "cli", "races", "shim", "golden"];
/** Files that begin before all others, the longest first: whichever began last, everything would wait for its end. */
const LONGEST = [
  "tests/openclaw/install.test.ts",
  "tests/openclaw/second-gateway.test.ts",
  "tests/openclaw/doctor.test.ts",
  "tests/openclaw/reload.test.ts",
  "tests/openclaw/one-gateway.test.ts",
  "tests/openclaw/shared-context-two-gateways.test.ts",
  "tests/page/control-ui.test.ts",
];
/** How many files run side by side, and tests of a Rust program. One of the service's may wait for half a minute; with a thread for each
 * processor the others would wait with it. One that runs a gateway computes for about half of its time: two leave two
 * processors idle. */
const AT_ONCE = 3;
/** What the tests of the Rust crates are compiled from. */
const ALL_CRATES = ["--workspace", "--locked", ...FAULT_INJECTION];
/** Those that start programs which are built for tests only. */
const WITH_PROGRAMS = ["cli", "races", "page", "suspended"];

const TASKS: Record<string, (args: string[]) => Promise<void>> = {
  setup: async () => console.log("The dependencies are installed."),
  build: async () => {
    await build();
    console.log(`\nThe extension is in ${EXTENSION.replace(`${ROOT}/`, "")}.`);
  },
  package: async () => {
    await build();
    const packed = pack();
    const names = archive();
    console.log(`\ndist/npm holds the packages for ${packed.join(", ")}, dist/archives ${names.join(", ")}.`);
  },
  check,
  format: async () => {
    await run("cargo", ["fmt", "--all"]);
    await runModule("@biomejs/biome/bin/biome", ["check", "--write", "--colors=off"]);
  },
  references: writeReferences,
  demo: async () => {
    await buildDemo();
    await run(process.execPath, ["scripts/demo/main.ts", DEMO_EXTENSION]);
  },
  test,
  "test:fast": testFast,
  bench: async (args) => {
    await build();
    await run("cargo", ["build", "--release", "--locked", "--workspace"]);
    await run(process.execPath, ["--disable-warning=ExperimentalWarning", "scripts/bench/main.ts", ...args]);
  },
  torture: async (args) => {
    await build();
    await buildTestPrograms();
    await installBrowser();
    await run(process.execPath, ["scripts/torture/main.ts", ...args]);
  },
};

async function check(): Promise<void> {
  await run("cargo", ["fmt", "--all", "--check"]);
  await run("cargo", ["clippy", "--workspace", "--all-targets", "--locked", ...FAULT_INJECTION, "--", "-D", "warnings"]);
  await build();
  await runModule("@biomejs/biome/bin/biome", ["ci", "--colors=off"]);
  await runModule("typescript/bin/tsc", ["--noEmit"]);
  await runModule("typescript/bin/tsc", ["--noEmit", "-p", "plugin/page"]);
  // The binding is generated and committed: a difference means that the addon's face changed without anybody having looked at it.
  await run("git", ["ls-files", "--error-unmatch", "plugin/native/binding.js", "plugin/native/binding.d.ts"]);
  await run("git", ["diff", "--exit-code", "--", "plugin/native"]);
  console.log("\nAll checks passed.");
}

async function test(parts: string[]): Promise<void> {
  const chosen = parts.length === 0 ? PARTS : parts;
  const unknown = chosen.filter((name) => !PARTS.includes(name));
  if (unknown.length > 0)
    throw new TaskError(`no part of the tests is called ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
  const some = (names: string[]) => names.some((name) => chosen.includes(name));
  if (some(SIDE_BY_SIDE) || some(["suspended"])) await build();
  if (some(WITH_PROGRAMS)) await buildTestPrograms();
  if (some(["rust"])) {
    await installProgram("fish", "FISH'S COMPLETIONS ARE NOT TRIED");
    await rustTests(ALL_CRATES, AT_ONCE);
  }
  if (some(["shim"])) await buildPanickingAddon();
  if (some(["agents"])) await install(join(ROOT, "tests", "agents"), "Codex and Gemini CLI for their tests (500 MB, once)");
  if (some(["cli"]) && process.platform === "linux") await installProgram("strace", "NO PROGRAM IS KILLED AT EACH OF ITS WRITES");
  if (some(["clients"])) await installPython();
  if (some(["page"])) await installBrowser();
  const files = SIDE_BY_SIDE.filter((name) => chosen.includes(name)).flatMap(filesOf);
  if (files.length > 0) await nodeTests(longestFirst(files), AT_ONCE);
  if (some(["suspended"])) await nodeTests(filesOf("suspended"));
}

/** What is quick: the unit tests of the Rust crates, and those of the shim. */
async function testFast(): Promise<void> {
  await build();
  await rustTests([...ALL_CRATES, "--lib", "--bins"], AT_ONCE);
  await buildPanickingAddon();
  await nodeTests(filesOf("shim"), AT_ONCE);
}

function filesOf(part: string): string[] {
  const pattern = `tests/${part}/**/*.test.ts`;
  const files = globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes("node_modules") }).sort();
  if (files.length === 0) throw new TaskError(`no test file matches ${pattern}`);
  return files;
}

function longestFirst(files: string[]): string[] {
  for (const file of LONGEST)
    if (!existsSync(join(ROOT, file))) throw new TaskError(`there is no ${file} that could begin first`);
  return [...LONGEST.filter((file) => files.includes(file)), ...files.filter((file) => !LONGEST.includes(file))];
}

/** Runs test files, so many at a time, in their order. What a file says is printed together. */
async function nodeTests(files: string[], atOnce = 1): Promise<void> {
  await run(process.execPath, ["scripts/test-files.ts", String(atOnce), ...files]);
}

const [name = "", ...args] = process.argv.slice(2);
const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
try {
  if (task === undefined) throw new TaskError(`no task is called "${name}"; there are ${Object.keys(TASKS).join(", ")}`);
  await task(args);
} catch (error) {
  if (!(error instanceof TaskError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
