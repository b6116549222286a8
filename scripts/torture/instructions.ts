// Instructions per call, counted by valgrind: the same on a busy machine and on a quiet one. They may not grow past the baseline beside this
// file; `--accept` makes what was counted the new baseline. A shared context that calls don't name may cost them next to nothing.

import { execFileSync, type SpawnSyncOptions, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const BASELINE = fileURLToPath(new URL("instructions.json", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../target/release/repeat", import.meta.url));
const HOOKS = fileURLToPath(new URL("../../target/release/callosum", import.meta.url));
const KINDS = ["read", "write", "command", "message", "mail", "pause"];
/** Two counts, so that starting up falls out of their difference. */
const FEW = 500;
const MANY = 2_500;
/** More than this, as a ratio to the baseline, is a step back. */
const ALLOWED = 1.05;

/** The same calls on 2026-11-24, before there were shared contexts (the tree before the crate for them came). */
const BEFORE_SHARED: Record<string, number> = {
  read: 15194,
  write: 23523,
  command: 20684,
  message: 81137,
  mail: 103501,
  pause: 96630,
};
/** Calls that may write, and of which both hooks look whether they did; and what the two processes of such a call took on that day. Much of
 * that is the system's loader (glibc 2.36). */
const HOOKED: Array<[string, Record<string, string>, number]> = [
  ["Bash", { command: "cargo test --lib" }, 1_121_486],
  ["Write", { file_path: "/tmp/x", content: "x" }, 1_158_326],
];
/** With a shared context that no call names, at most this ratio to those. */
const ALLOWED_BESIDE = 1.01;

/** What valgrind counts of a program. */
function countedOf(program: string, args: string[], options: SpawnSyncOptions = {}): number {
  const own = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, ...args];
  const { status, stderr } = spawnSync("valgrind", own, { ...options, encoding: "utf8" });
  const collected = /Collected : (\d+)/.exec(stderr)?.[1];
  if (status !== 0 || collected === undefined) throw new Error(`valgrind could not count:\n${stderr}`);
  return Number(collected);
}

/** Two hook processes: before a call, and after it. */
function hooked(tool: string, input: Record<string, string>, besideShared: boolean): number {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "callosum-instructions-")));
  try {
    const env = { ...process.env, HOME: home, CALLOSUM_STATE_DIR: join(home, ".callosum") };
    if (besideShared) execFileSync(HOOKS, ["context", "init"], { env, stdio: "ignore" });
    const both = () =>
      ["PreToolUse", "PostToolUse"].map((name) => {
        const event = { session_id: "s", hook_event_name: name, cwd: home, tool_name: tool, tool_use_id: "c", tool_input: input };
        return countedOf(HOOKS, ["hook", "claude-code"], { env, input: JSON.stringify({ ...event, tool_response: {} }) });
      });
    // The first ones make what the others find: the journal, and what the folder looks like.
    both();
    const [before = Number.NaN, after = Number.NaN] = both();
    return before + after;
  } finally {
    rmSync(home, { recursive: true });
  }
}

function counted(kind: string, count: number, besideShared: boolean): number {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "callosum-instructions-")));
  // By its usual name, which the rules know: calls are looked through for any other.
  const directory = join(home, ".callosum");
  mkdirSync(directory, { mode: 0o700 });
  try {
    if (besideShared) {
      // As deep as the usual one, and of its name.
      const path = join(home, ".openclaw", "workspace", "shared-context");
      mkdirSync(path, { recursive: true });
      const folders = [{ path, mode: "enforce", by: "here", at: "2026-11-24T12:00:00Z" }];
      writeFileSync(join(directory, "context.json"), JSON.stringify({ folders }));
    }
    return countedOf(PROGRAM, [directory, kind, String(count)]);
  } finally {
    rmSync(home, { recursive: true });
  }
}

const aCall = (kind: string, besideShared = false) =>
  Math.round((counted(kind, MANY, besideShared) - counted(kind, FEW, besideShared)) / (MANY - FEW));

const { values } = parseArgs({ options: { accept: { type: "boolean", default: false } } });
execFileSync("cargo", ["build", "--release", "--locked", "--workspace", "--bin", "repeat", "--bin", "callosum"], {
  stdio: "inherit",
});
const baseline: Record<string, number> = JSON.parse(readFileSync(BASELINE, "utf8"));
const now: Record<string, number> = {};
let worst = 0;
let worstBeside = 0;
for (const kind of KINDS) {
  now[kind] = aCall(kind);
  const ratio = now[kind] / (baseline[kind] ?? Number.NaN);
  worst = Math.max(worst, ratio);
  const withOne = aCall(kind, true);
  const beside = withOne / (BEFORE_SHARED[kind] ?? Number.NaN);
  worstBeside = Math.max(worstBeside, beside);
  const told = `${ratio.toFixed(3)}× the baseline; beside a shared context ${(withOne / now[kind]).toFixed(3)}× that`;
  console.log(
    `${kind.padEnd(8)} ${String(now[kind]).padStart(8)} instructions a call, ${told}, ${beside.toFixed(3)}× what it was before there were any`,
  );
}
for (const [tool, input, before] of HOOKED) {
  const [without, withOne] = [hooked(tool, input, false), hooked(tool, input, true)];
  worstBeside = Math.max(worstBeside, withOne / before);
  console.log(
    `hooks of ${tool.padEnd(8)} ${without} instructions; beside a shared context ${(withOne / without).toFixed(3)}× that, ${(withOne / before).toFixed(3)}× what they were before there were any`,
  );
}
if (!(worstBeside <= ALLOWED_BESIDE)) {
  console.error(`Beside a shared context at most ${ALLOWED_BESIDE}× of what it was before there were any is allowed.`);
  process.exitCode = 1;
}
if (values.accept) {
  writeFileSync(BASELINE, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`The baseline is ${BASELINE}.`);
} else if (!(worst <= ALLOWED)) {
  console.error(`At most ${ALLOWED}× is allowed. If it is worth it, say \`--accept\`.`);
  process.exitCode = 1;
}
