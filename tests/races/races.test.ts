// Several processes after one resource at one moment: exactly one gets it, round after round, and the journal stays whole.
// CALLOSUM_RACE_ROUNDS, _NODE, _NATIVE and _SEED make it longer, larger, and the same again.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { built } from "../programs.ts";
import { check, readSegments } from "./checker.ts";
import { race, recipient } from "./race.ts";

const directory = mkdtempSync(join(tmpdir(), "callosum-race-"));
let passed = false;
after(() => {
  if (passed) rmSync(directory, { recursive: true });
  else console.error(`the journal of the failed race is in ${directory}`);
});

function setting(name: string, fallback: number): number {
  const number = Number(process.env[`CALLOSUM_RACE_${name}`] ?? fallback);
  assert.ok(Number.isSafeInteger(number) && number >= 0, `CALLOSUM_RACE_${name} must be a whole number`);
  return number;
}

const rounds = setting("ROUNDS", 500);
const node = setting("NODE", 4);
const native = setting("NATIVE", 2);
const seed = setting("SEED", Date.now() % 1_000_000_000);

test(`${node} Node and ${native} native processes, ${rounds} rounds`, async (t) => {
  t.diagnostic(`seed ${seed}: CALLOSUM_RACE_SEED=${seed} gives the same orders again`);
  const program = built("racer");
  const onProgress = (round: number) => {
    if (round % 1_000 === 0) t.diagnostic(`${round} of ${rounds} rounds`);
  };
  const { logs, stateDir, elapsedMs } = await race({ directory, rounds, node, native, program, seed, onProgress });

  const segments = readSegments(stateDir);
  const problems = check(logs, segments, recipient);
  assert.deepEqual(problems.slice(0, 20), [], `${problems.length} problems`);
  assert.equal(logs.length, rounds * (node + native));
  const notices = logs.flatMap((log) => log.notices).filter((notice) => !/rules in force/.test(notice));
  assert.deepEqual(notices, []);

  const waited = logs.filter((log) => log.waited).length;
  const winners = new Map<string, number>();
  for (const log of logs) if (log.allowed) winners.set(log.name, (winners.get(log.name) ?? 0) + 1);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes.length, 0);
  t.diagnostic(`${(elapsedMs / 1000).toFixed(1)} s; ${waited} of ${logs.length} verdicts took a worker thread`);
  t.diagnostic(
    `${segments.length} segments, ${bytes} bytes; won: ${[...winners].map(([name, won]) => `${name} ${won}`).join(", ")}`,
  );
  // Else it was no race: the processes must have met, and the journal must have gone on to new segments meanwhile.
  assert.ok(waited > 0 || rounds < 100, "no two processes ever met");
  assert.ok(winners.size > 1 || rounds < 100, "always the same process was first");
  assert.ok(segments.length > 3 || rounds < 100, "the journal was never rotated");
  passed = true;
});
