// `npm run bench`: what the gate costs, beside a floor that nothing can be faster than and a gate made of SQLite, in one table. Targets are
// compared, not asserted: it ends well whatever was measured. `--quick` is for a fast look, `--dir` names another folder than the system's for
// temporary files, and `--json FILE` writes the rows.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { TaskError } from "../run.ts";
import { commandRows } from "./commands.ts";
import { Decisions } from "./decisions.ts";
import { freshRows } from "./fresh.ts";
import { makeJournals } from "./journals.ts";
import { facts, machine } from "./machine.ts";
import { memoryRows } from "./memory.ts";
import { endAll } from "./native.ts";
import { processRows } from "./processes.ts";
import { questionRows } from "./questions.ts";
import type { Row } from "./rows.ts";
import { serviceRows } from "./service.ts";
import { table, verdict } from "./table.ts";

const OPTIONS = { quick: { type: "boolean" }, dir: { type: "string" }, json: { type: "string" } } as const;

const NOTES = [
  "Floor: a native loop on open descriptors; an exclusive flock, one write of all bytes that the row's call leaves in the journal (none for looks), the unlock.",
  "SQLite: a gate on node:sqlite in WAL mode (synchronous OFF for os, FULL for disk) that need not classify, redact, or tell who was shown what.",
  "Windows: the shipped rules look back 24 hours for mail and one hour for most else, so a gate keeps 24 hours in mind.",
  "Unflushed rows are time on the JS thread; disk rows, status and journal are the time until the answer is there.",
];

function say(text: string): void {
  console.error(`bench: ${text}`);
}

async function measure(root: string, quick: boolean): Promise<Row[]> {
  const journals = await makeJournals(root, quick ? 1_000_000 : 10_000_000, say);
  say("letting the disk come to rest …");
  execFileSync("sync");
  say("starting fresh processes …");
  const fresh = await freshRows(journals, root, quick);
  say("measuring memory …");
  const memory = await memoryRows(journals);
  say("measuring calls …");
  const floorDir = join(root, "floor");
  mkdirSync(floorDir);
  const decisions = new Decisions(journals, floorDir, say);
  await decisions.measure(quick ? 8 : 20);
  await decisions.close();
  say("asking the page's questions …");
  const questions = await questionRows(journals, quick);
  say("classifying shell commands …");
  const commands = await commandRows();
  say("running several processes …");
  const processes = await processRows(root, quick);
  say("asking the service …");
  const service = await serviceRows(root, quick);
  return [...decisions.rows(), ...questions, ...commands, ...fresh, ...memory, ...processes, ...service];
}

async function main(): Promise<void> {
  const { quick = false, dir = tmpdir(), json } = parseArgs({ options: OPTIONS }).values;
  const root = mkdtempSync(join(resolve(dir), "callosum-bench-"));
  const cleanUp = () => {
    endAll();
    rmSync(root, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      cleanUp();
      process.exit(130);
    });
  try {
    const on = machine();
    const rows = await measure(root, quick);
    console.log(`\n${facts(on)}\n\n${table(rows)}\n\n${verdict(rows)}\n${NOTES.join("\n")}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine: on, quick, rows }, null, 2)}\n`);
  } finally {
    cleanUp();
  }
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  if (!(error instanceof TaskError) && !isUsage) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
