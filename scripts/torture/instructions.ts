// Instructions per call, counted by valgrind: the same on a busy machine and on a quiet one. They may not grow past the baseline beside this
// file; `--accept` makes what was counted the new baseline. A shared context that calls don't name may cost them next to nothing.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const BASELINE = fileURLToPath(new URL("instructions.json", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../target/release/repeat", import.meta.url));
const KINDS = ["read", "write", "command", "message", "mail", "pause"];
/** Two counts, so that starting up falls out of their difference. */
const FEW = 500;
const MANY = 2_500;
/** More than this, as a ratio to the baseline, is a step back. */
const ALLOWED = 1.05;

/** With a shared context that no call names, at most this ratio to what it is without. */
const ALLOWED_BESIDE = 1.01;

function counted(kind: string, count: number, besideShared: boolean): number {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "callosum-instructions-")));
  try {
    if (besideShared) {
      // As deep as the usual one, and of its name.
      const path = join(directory, "home", ".openclaw", "workspace", "shared-context");
      mkdirSync(path, { recursive: true });
      const folders = [{ path, mode: "enforce", by: "here", at: "2026-11-24T12:00:00Z" }];
      writeFileSync(join(directory, "context.json"), JSON.stringify({ folders }));
    }
    const args = ["--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, directory, kind, String(count)];
    const { status, stderr } = spawnSync("valgrind", args, { encoding: "utf8" });
    const collected = /Collected : (\d+)/.exec(stderr)?.[1];
    if (status !== 0 || collected === undefined) throw new Error(`valgrind could not count:\n${stderr}`);
    return Number(collected);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const aCall = (kind: string, besideShared = false) =>
  Math.round((counted(kind, MANY, besideShared) - counted(kind, FEW, besideShared)) / (MANY - FEW));

const { values } = parseArgs({ options: { accept: { type: "boolean", default: false } } });
execFileSync("cargo", ["build", "--release", "--locked", "--workspace", "--bin", "repeat"], { stdio: "inherit" });
const baseline: Record<string, number> = JSON.parse(readFileSync(BASELINE, "utf8"));
const now: Record<string, number> = {};
let worst = 0;
let worstBeside = 0;
for (const kind of KINDS) {
  now[kind] = aCall(kind);
  const ratio = now[kind] / (baseline[kind] ?? Number.NaN);
  worst = Math.max(worst, ratio);
  const beside = aCall(kind, true) / now[kind];
  worstBeside = Math.max(worstBeside, beside);
  const told = `${ratio.toFixed(3)}× the baseline; ${beside.toFixed(3)}× that beside a shared context`;
  console.log(`${kind.padEnd(8)} ${String(now[kind]).padStart(8)} instructions a call, ${told}`);
}
if (!(worstBeside <= ALLOWED_BESIDE)) {
  console.error(`Beside a shared context at most ${ALLOWED_BESIDE}× is allowed.`);
  process.exitCode = 1;
}
if (values.accept) {
  writeFileSync(BASELINE, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`The baseline is ${BASELINE}.`);
} else if (!(worst <= ALLOWED)) {
  console.error(`At most ${ALLOWED}× is allowed. If it is worth it, say \`--accept\`.`);
  process.exitCode = 1;
}
