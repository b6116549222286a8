// What the npm scripts do. Started by bootstrap.mjs, on the Node that OpenClaw needs.

import { globSync } from "node:fs";
import { installBrowser } from "./browser.ts";
import { build, EXTENSION } from "./build.ts";
import { writeReferences } from "./references.ts";
import { ROOT, run, runModule, TaskError } from "./run.ts";

/** The parts of `npm test` that run alone, one after another; `npm test -- shim openclaw` runs only those two. */
const ALONE: Record<string, () => Promise<void>> = {
  rust: () => run("cargo", ["test", "--workspace", "--locked"]),
  shim: () => nodeTests(filesOf("shim")),
  golden: () => nodeTests(filesOf("golden")),
  cli: () => nodeTests(filesOf("cli")),
  races: () => nodeTests(filesOf("races")),
  suspended: () => nodeTests(filesOf("suspended")),
};
/** Those whose files start gateways, runtimes and browsers, and measure nothing: the files of all of them run two at a time. */
const SIDE_BY_SIDE = ["openclaw", "agents", "page"];
const PARTS = [...Object.keys(ALONE), ...SIDE_BY_SIDE];

const TASKS: Record<string, (args: string[]) => Promise<void>> = {
  setup: async () => console.log("The dependencies are installed."),
  build: async () => {
    await build();
    console.log(`\nThe extension is in ${EXTENSION.replace(`${ROOT}/`, "")}.`);
  },
  check,
  format: async () => {
    await run("cargo", ["fmt", "--all"]);
    await runModule("@biomejs/biome/bin/biome", ["check", "--write", "--colors=off"]);
  },
  references: writeReferences,
  demo: async () => {
    console.log("Building what the demo needs (the first time takes some minutes) …");
    await build();
    await run(process.execPath, ["scripts/demo/main.ts"]);
  },
  test,
  bench: async (args) => {
    await build();
    await run("cargo", ["build", "--release", "--locked", "-p", "callosum-bench"]);
    await run(process.execPath, ["--disable-warning=ExperimentalWarning", "scripts/bench/main.ts", ...args]);
  },
  torture: async (args) => {
    await build();
    await run(process.execPath, ["scripts/torture/main.ts", ...args]);
  },
};

async function check(): Promise<void> {
  await run("cargo", ["fmt", "--all", "--check"]);
  await run("cargo", ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]);
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
  if (chosen.some((name) => name !== "rust")) await build();
  if (chosen.includes("page")) await installBrowser();
  for (const name of chosen) await ALONE[name]?.();
  const files = SIDE_BY_SIDE.filter((name) => chosen.includes(name)).flatMap(filesOf);
  if (files.length > 0) await nodeTests(files, 2);
}

function filesOf(part: string): string[] {
  const pattern = `tests/${part}/**/*.test.ts`;
  const files = globSync(pattern, { cwd: ROOT }).sort();
  if (files.length === 0) throw new TaskError(`no test file matches ${pattern}`);
  return files;
}

/** Runs test files, so many at a time. What a file says is printed together. */
async function nodeTests(files: string[], atOnce = 1): Promise<void> {
  await run(process.execPath, ["--test", `--test-concurrency=${atOnce}`, "--test-reporter=spec", ...files]);
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
