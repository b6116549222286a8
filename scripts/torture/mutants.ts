// Every small change that cargo-mutants can make to what decides, each in its own copy of the tree: a test must notice. What survives is listed
// in mutants.json with the reason why nobody could notice it; a survivor that is not there, or fewer than 95 % caught, fails.
// CALLOSUM_MUTANTS names other files than all (a glob), for a part of it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WANTED = 0.95;
const FILES = [
  "crates/callosum-core/src/decision/*.rs",
  "crates/callosum-core/src/decision/history/*.rs",
  "crates/callosum-core/src/record/{codec,line,outcome,own}.rs",
  "crates/callosum-core/src/rules/*.rs",
  "crates/callosum-core/src/rules/lint/*.rs",
  "crates/callosum-core/src/store/ledger/*.rs",
  "crates/callosum-core/src/store/journal/{backward,mod,recent,retention,segment,segment_file,segments}.rs",
  "crates/callosum-core/src/store/index/*.rs",
];

interface Outcomes {
  outcomes: Array<{ summary: string; scenario: "Baseline" | { Mutant: { name: string } } }>;
}

const excused: Record<string, string> = JSON.parse(readFileSync(fileURLToPath(new URL("mutants.json", import.meta.url)), "utf8"));
const output = mkdtempSync(join(tmpdir(), "callosum-mutants-"));
const files = process.env.CALLOSUM_MUTANTS === undefined ? FILES : [process.env.CALLOSUM_MUTANTS];
const chosen = ["--lib", "--test=it"];
// The model, the disks and the damage take too long for each mutant, and were tried with mutants of their own; the last takes half a minute
// where nothing is optimised, and is about time, not about what is decided.
const skipped = ["state_model::", "faults::", "damage::", "huge_and_hostile"].flatMap((name) => ["--skip", name]);
// The core itself is built anew for each mutant, which takes longer than its tests gain.
const plain = "--config=profile.dev.package.callosum-core.opt-level=0";
const run = spawnSync(
  "cargo",
  [
    ...["mutants", "--package", "callosum-core", "--output", output, "--timeout", "300", "--no-shuffle", "--colors", "never"],
    // For cargo, not only for its tests: else the other packages are built for each mutant all the same.
    ...[...chosen, plain].map((argument) => `--cargo-arg=${argument}`),
    ...files.flatMap((file) => ["--file", file]),
    "--",
    "--",
    ...skipped,
  ],
  { stdio: "inherit", env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: "0" } },
);
const { outcomes }: Outcomes = JSON.parse(readFileSync(join(output, "mutants.out", "outcomes.json"), "utf8"));
rmSync(output, { recursive: true });
const of = (summary: string) =>
  outcomes.flatMap(({ scenario, summary: its }) => (scenario !== "Baseline" && its === summary ? [scenario.Mutant.name] : []));
const caught = of("CaughtMutant").length + of("Timeout").length;
const missed = of("MissedMutant");
const share = caught / (caught + missed.length);
console.log(`\n${caught} of ${caught + missed.length} mutants were caught: ${(share * 100).toFixed(1)} %`);
// A line number changes with every edit above it.
const place = (name: string) => name.replace(/:\d+:\d+:/, ":");
const unexcused = missed.filter((name) => !Object.hasOwn(excused, place(name)));
for (const name of missed) console.log(`survived: ${name}\n          ${excused[place(name)] ?? "NO REASON GIVEN"}`);
if (!(share >= WANTED) || unexcused.length > 0 || (run.status !== 0 && run.status !== 2 && run.status !== 3))
  process.exitCode = 1;
