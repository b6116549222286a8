// `npm run torture`: everything `npm test` shows in small, at full size and one part after the other, with a table at the end.
//
//   npm run torture                      all of it: some hours
//   npm run torture -- kills races-8     these parts
//   npm run torture -- --seed 7 kills    with the same dice as before
//
// A part whose tool is missing is skipped, loudly, and the table says so. A part whose tests don't run, because its filter selects none or
// because all are skipped, fails.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { relay } from "../relay.mjs";
import { ROOT } from "../run.ts";

interface Part {
  name: string;
  what: string;
  command: [string, ...string[]];
  /** How its output says how many tests ran: a part of tests in which none did has shown nothing. */
  ran?: RegExp;
  env?: Record<string, string>;
  /** A folder that must be there. */
  folder?: string;
  /** A program that must be there, and how to get it. */
  needs?: { program: [string, ...string[]]; install: string };
}

interface Result {
  part: Part;
  verdict: "passed" | "FAILED" | "SKIPPED";
  seconds: number;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const seed = values.seed ?? String(randomInt(1, 1_000_000_000));
if (!/^\d{1,15}$/.test(seed)) throw new Error(`--seed must be a whole number, and \`${seed}\` is none`);

type Tests = Pick<Part, "command" | "ran">;

const rust = (filter: string, ...target: string[]): Tests => ({
  command: ["cargo", "test", "--release", "--locked", ...target, "--", "--nocapture", filter],
  ran: /^test result: \w+\. (\d+) passed; (\d+) failed/,
});
const core = (filter: string): Tests => rust(filter, "-p", "callosum-core", "--test", "it");
const node = (...files: string[]): Tests => ({
  command: [process.execPath, "--test", "--test-reporter=spec", "--test-concurrency=1", ...files],
  ran: /^ℹ (?:pass|fail) (\d+)/,
});
/** The same of files that are small in `npm test`. */
const atFullSize = (...files: string[]): Tests & Pick<Part, "env"> => ({ ...node(...files), env: { CALLOSUM_TORTURE: "1" } });

function races(count: number): Part {
  return {
    name: `races-${count}`,
    what: `${count} processes, half of them Node's, 10,000 rounds: exactly one allowed a round`,
    ...node("tests/races/races.test.ts"),
    env: { CALLOSUM_RACE_ROUNDS: "10000", CALLOSUM_RACE_NODE: `${count / 2}`, CALLOSUM_RACE_NATIVE: `${count / 2}` },
  };
}

/** Seconds that each fuzz target runs. */
const FUZZ_SECONDS = 600;
const FUZZER = { program: ["cargo", "fuzz", "--version"] as [string, ...string[]], install: "cargo install cargo-fuzz" };

function fuzz(target: string): Part {
  const limits = [`-max_total_time=${FUZZ_SECONDS}`, "-timeout=10", "-max_len=4096", `-seed=${Number(seed) % 2 ** 31}`];
  return {
    name: `fuzz-${target}`,
    what: `${FUZZ_SECONDS / 60} minutes of coverage-guided input`,
    command: [
      "cargo",
      "fuzz",
      "run",
      "--fuzz-dir",
      "fuzz",
      target,
      `target/corpus/${target}`,
      `fuzz/corpus/${target}`,
      "--",
      ...limits,
    ],
    // Sanitizers are for a nightly compiler only; this lets a stable one do it.
    env: { RUSTC_BOOTSTRAP: "1" },
    folder: `target/corpus/${target}`,
    needs: FUZZER,
  };
}

const PARTS: Part[] = [
  races(2),
  races(8),
  races(16),
  {
    name: "kills",
    what: "10,000 SIGKILLs, at random moments and inside append, rotation and index",
    ...core("faults::kills::"),
    env: { CALLOSUM_KILLS: "10000" },
  },
  {
    name: "power-cuts",
    what: "a disk that forgets, cut at every write, sync and rename",
    ...core("faults::power_cuts::"),
    env: { CALLOSUM_CHANCES: "200" },
  },
  {
    name: "disk-faults",
    what: "the Nth open, write, sync, rename … fails, for every N",
    ...core("faults::disk_faults::"),
    env: { CALLOSUM_FAULTS: "all" },
  },
  {
    name: "damage",
    what: "every byte given every other value, every truncation, a damaged index",
    ...core("damage::"),
    env: { CALLOSUM_TORTURE: "1" },
  },
  {
    name: "stops",
    what: "the guard's holder stopped; a frozen file system, 20 ms a hook; hooks under contention, 1 ms at p99.9",
    ...atFullSize("tests/suspended/stopped.test.ts", "tests/suspended/frozen.test.ts", "tests/suspended/event-loop.test.ts"),
  },
  {
    name: "installs",
    what: "each way to install, in an OpenClaw that ran before: gated each time, and no trace afterwards",
    ...atFullSize("tests/openclaw/install.test.ts"),
  },
  {
    name: "reloads",
    what: "the plugin loaded anew ten times under traffic: everything is gated, nothing is lost or piles up",
    ...atFullSize("tests/openclaw/reload.test.ts"),
  },
  {
    name: "gateways",
    what: "gateways with other rules and windows prune nothing that one of them needs; a program that outlives its gateway is told of",
    ...atFullSize("tests/openclaw/several-gateways.test.ts", "tests/openclaw/curator.test.ts"),
  },
  {
    name: "page",
    what: "the page in both themes at each width; a journal of a million lines",
    ...atFullSize("tests/page/control-ui.test.ts", "tests/page/own-server.test.ts"),
  },
  {
    name: "secrets",
    what: "20,000 calls with a marked secret in random shapes, looked for in everything written and said",
    ...core("a_secret_in_a_random_shape"),
    env: { CALLOSUM_SECRETS: "20000" },
  },
  { name: "clocks", what: "clocks that step, suspend, boots", ...core("clock") },
  { name: "versions", what: "lines of the original, of a newer minor, of a newer major", ...core("versions::") },
  {
    name: "model",
    what: "the protocol, searched exhaustively over the real decision; 33 mutants found out",
    ...core("state_model::"),
    env: { CALLOSUM_MODEL: "full" },
  },
  {
    name: "nestings",
    what: "5 minutes of guarded commands in random carriers, quotes and lengths: no tier below the bare command's",
    ...rust("no_nesting_lowers_the_tier", "-p", "callosum-shell", "--lib"),
    env: { CALLOSUM_NESTINGS: "300" },
  },
  ...["rules", "templates", "commands", "lines", "journals", "bodies"].map(fuzz),
  {
    name: "instructions",
    what: "instructions per call, at most 1.05× of the baseline",
    command: [process.execPath, "scripts/torture/instructions.ts"],
    needs: { program: ["valgrind", "--version"], install: "the package `valgrind`" },
  },
  {
    name: "mutants",
    what: "decision, evidence, rules and recovery changed in every way: at least 95 % caught",
    command: [process.execPath, "scripts/torture/mutants.ts"],
    needs: { program: ["cargo", "mutants", "--version"], install: "cargo install cargo-mutants" },
  },
];

const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`No part is called ${unknown.join(", ")}; there are ${PARTS.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}
const chosen = positionals.length === 0 ? PARTS : PARTS.filter(({ name }) => positionals.includes(name));

async function torture(part: Part): Promise<Result["verdict"]> {
  if (part.needs !== undefined) {
    const [program, ...args] = part.needs.program;
    if (spawnSync(program, args).status !== 0) {
      console.error(`SKIPPED: ${part.name} needs \`${part.needs.program.join(" ")}\`; install it: ${part.needs.install}`);
      return "SKIPPED";
    }
  }
  if (part.folder !== undefined) mkdirSync(join(ROOT, part.folder), { recursive: true });
  const [program, ...args] = part.command;
  const env = { ...process.env, CALLOSUM_SEED: seed, CALLOSUM_RACE_SEED: seed, ...part.env };
  const { ran } = part;
  let tests = 0;
  const said = (line: string) => {
    console.log(line);
    for (const count of ran?.exec(line)?.slice(1) ?? []) tests += Number(count);
  };
  const output = ran === undefined ? "inherit" : "pipe";
  const { status, signal } = await relay(program, args, { cwd: ROOT, env, stdio: ["inherit", output, "inherit"] }, said);
  // Ctrl-C: the rest is not wanted either.
  if (status === 130 || signal !== null) process.exit(130);
  if (ran !== undefined && tests === 0) console.error(`FAILED: no test of ${part.name} ran`);
  return status === 0 && (ran === undefined || tests > 0) ? "passed" : "FAILED";
}

console.log(`seed ${seed}: \`npm run torture -- --seed ${seed}\` rolls the same dice again`);
const results: Result[] = [];
for (const [number, part] of chosen.entries()) {
  console.log(`\n[${number + 1} of ${chosen.length}] ${part.name}: ${part.what}`);
  const start = performance.now();
  const verdict = await torture(part);
  results.push({ part, verdict, seconds: (performance.now() - start) / 1000 });
}

const width = Math.max(...results.map(({ part }) => part.name.length));
console.log(`\nTorture of ${new Date().toISOString().slice(0, 10)}, seed ${seed}\n`);
for (const { part, verdict, seconds } of results) {
  console.log(`${part.name.padEnd(width)}  ${verdict.padEnd(7)}  ${seconds.toFixed(0).padStart(6)} s  ${part.what}`);
}
if (results.some(({ verdict }) => verdict === "FAILED")) process.exitCode = 1;
