/** The golden cases, decided by the real addon. The Rust tests read the same file. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
  history: Line[];
  call: { session: string; tool: string; params: unknown };
  expect: {
    verdict: "allow" | "pause" | "block";
    says?: string[];
    saysNot?: string[];
    tier?: number;
    ruleName?: string;
    contextKeys?: string[];
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

for (const { name, history, call, expect } of cases) {
  test(name, async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "callosum-golden-"));
    const config = JSON.stringify({ stateDir, instanceId: "golden", durability: "os" });
    const gate = new Gate({ config, runtime: "test", hostName: "host", hostStateDir: "/state" });
    try {
      writeFileSync(join(stateDir, "journal.jsonl"), journal(history));
      const first = gate.before(call.tool, null, null, call.session, "run", "g", null, call.params);
      const answer = typeof first?.ticket === "number" ? await gate.finish(first.ticket) : first;
      const text = answer?.refuse ?? "";
      const held = text.includes("is held by another call");
      assert.equal(text === "" ? "allow" : held ? "block" : "pause", expect.verdict, text);
      for (const said of expect.says ?? []) assert.ok(text.includes(said), `${said} is not in ${text}`);
      for (const said of expect.saysNot ?? []) assert.ok(!text.includes(said), `${said} is in ${text}`);
      const { entries } = JSON.parse(await gate.ask("journal", '{"limit":1}')) as { entries: Record<string, unknown>[] };
      const row = entries[0] ?? assert.fail("no row");
      assert.equal(row["session"], call.session);
      if (expect.tier !== undefined) assert.equal(row["tier"], expect.tier);
      if (expect.ruleName !== undefined) assert.equal(row["ruleName"], expect.ruleName);
      if (expect.contextKeys !== undefined) assert.deepEqual(row["contextKeys"] ?? [], expect.contextKeys);
    } finally {
      await gate.close();
      rmSync(stateDir, { recursive: true, force: true });
    }
  });
}
