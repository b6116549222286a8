/** The golden cases, decided by the real addon. The Rust tests read the same file. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Answer } from "../../plugin/native/binding.js";
import type * as Binding from "../../plugin/native/binding.js";

const { Gate } = createRequire(import.meta.url)("../../plugin/native/binding.js") as typeof Binding;

interface Line {
  ageMs: number;
  leaseMs?: number;
  v?: number;
  of?: number[];
  evidence?: { seq: number; outcome?: number }[];
  [field: string]: unknown;
}

interface Case {
  name: string;
  /** Before the shipped ones. */
  rules?: unknown[];
  history: Line[];
  call: { session: string; tool: string; params: unknown; canAsk?: boolean };
  expect: {
    verdict: "allow" | "note" | "ask" | "pause" | "block";
    /** What a replay makes of it, where that is something else. */
    simulated?: string;
    says?: string[];
    saysNot?: string[];
    tier?: number;
    ruleName?: string;
    contextKeys?: string[];
    conflict?: string;
    onConflict?: string;
    limits?: string[];
  };
}

const { cases } = JSON.parse(readFileSync(new URL("decisions.json", import.meta.url), "utf8")) as { cases: Case[] };

/** The journal that a case's history stands for: ages become times, places become sequence numbers. */
function journal(history: Line[]): string {
  const now = Date.now();
  const seqs: number[] = [];
  const seqOf = (place: number): number => seqs[place] ?? assert.fail(`no line ${place}`);
  let text = "";
  for (const { ageMs, leaseMs, v = 1, of, evidence, ...rest } of history) {
    const at = now - ageMs;
    const record = {
      ...(v === 0 ? {} : { v }),
      instance: "other",
      ...rest,
      timestamp: new Date(at).toISOString(),
      ...(leaseMs === undefined ? {} : { expiresAt: new Date(at + leaseMs).toISOString() }),
      ...(of === undefined ? {} : { of: of.map(seqOf) }),
      ...(evidence === undefined
        ? {}
        : {
            evidence: evidence.map(({ seq, outcome }) => ({
              seq: seqOf(seq),
              ...(outcome === undefined ? {} : { outcome: seqOf(outcome) }),
            })),
          }),
    };
    seqs.push(Buffer.byteLength(text));
    text += `${JSON.stringify(record)}\n`;
  }
  return text;
}

function verdictOf(answer: Answer | null): string {
  if (answer?.ask !== undefined) return "ask";
  if (answer?.warn !== undefined) return "note";
  if (answer?.refuse === undefined) return "allow";
  return answer.refuse.includes("a retry does not help") ? "block" : "pause";
}

for (const { name, rules, history, call, expect } of cases) {
  test(name, async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "callosum-golden-"));
    const config = JSON.stringify({ stateDir, instanceId: "golden", durability: "os" });
    const gate = new Gate({ config, runtime: "test", hostName: "host", hostStateDir: "/state" });
    try {
      writeFileSync(join(stateDir, "journal.jsonl"), journal(history));
      if (rules !== undefined) writeFileSync(join(stateDir, "tiers.json"), JSON.stringify({ extends: "default", rules }));
      const first = gate.before(call.tool, null, null, call.session, "run", "g", null, call.params, call.canAsk ?? false);
      const answer = typeof first?.ticket === "number" ? await gate.finish(first.ticket) : first;
      const text = answer?.refuse ?? answer?.ask ?? answer?.warn ?? "";
      assert.equal(verdictOf(answer), expect.verdict, text);
      for (const said of expect.says ?? []) assert.ok(text.includes(said), `${said} is not in ${text}`);
      for (const said of expect.saysNot ?? []) assert.ok(!text.includes(said), `${said} is in ${text}`);
      const { entries } = JSON.parse(await gate.ask("journal", '{"limit":1}')) as { entries: Record<string, unknown>[] };
      const row = entries[0] ?? assert.fail("no row");
      assert.equal(row["session"], call.session);
      if (expect.tier !== undefined) assert.equal(row["tier"], expect.tier);
      if (expect.ruleName !== undefined) assert.equal(row["ruleName"], expect.ruleName);
      for (const field of ["conflict", "onConflict", "limits"] as const)
        if (expect[field] !== undefined) assert.deepEqual(row[field], expect[field]);
      if (expect.contextKeys !== undefined) assert.deepEqual(row["contextKeys"] ?? [], expect.contextKeys);
    } finally {
      await gate.close();
      rmSync(stateDir, { recursive: true, force: true });
    }
  });
}
