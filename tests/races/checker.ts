// Judges a race by the journal's bytes and the processes' own logs. It shares no code with the product: it reads lines, offsets and JSON itself.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RaceLog } from "./protocol.ts";

export interface Segment {
  name: string;
  bytes: Buffer;
}

interface Row {
  seq: number;
  at: string;
  line: Record<string, unknown>;
}

/** What becomes of a call, in the journal's words. */
const STARTS = ["intercept", "blocked"];
const OUTCOMES = ["complete", "failed", "refused", "unknown", "running"];
/** Rows that belong to no call. */
const HOUSEKEEPING = ["opened", "closed", "rules", "seen"];

/** The segments of a state directory, oldest first. */
export function readSegments(stateDir: string): Segment[] {
  const base = (name: string) => (name === "journal.jsonl" ? Number.POSITIVE_INFINITY : Number(name.split(".")[1]));
  return readdirSync(stateDir)
    .filter((name) => /^journal(\.\d+)?\.jsonl$/.test(name))
    .sort((one, other) => base(one) - base(other))
    .map((name) => ({ name, bytes: readFileSync(join(stateDir, name)) }));
}

/** What is wrong with a race; nothing when all is as it must be. `keyOf` names the resource that a round is about. */
export function check(logs: RaceLog[], segments: Segment[], keyOf: (round: number) => string): string[] {
  const problems: string[] = [];
  const rows = readRows(segments, problems);
  checkRounds(logs, problems);
  checkCalls(logs, rows, keyOf, problems);
  checkPauses(rows, problems);
  checkOwnOrder(logs, rows, problems);
  checkRealTime(logs, rows, problems);
  return problems;
}

/** Every line whole and JSON; segments that follow each other without a gap; sequence numbers that rise. */
function readRows(segments: Segment[], problems: string[]): Row[] {
  const rows: Row[] = [];
  let expected = 0;
  for (const [index, { name, bytes }] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const inSegment: Row[] = [];
    let offset = 0;
    while (offset < bytes.length) {
      const newline = bytes.indexOf(10, offset);
      const end = newline < 0 ? bytes.length : newline;
      const at = `${name}:${offset}`;
      if (newline < 0) problems.push(`${at}: the last line has no end`);
      const line = parse(bytes.subarray(offset, end).toString("utf8"));
      if (line === undefined) problems.push(`${at}: no JSON object`);
      else inSegment.push({ seq: expected + offset, at, line });
      offset = end + 1;
    }
    const [first] = inSegment;
    if (first?.line.action !== "opened" || first.seq !== expected || first.line.base !== expected)
      problems.push(`${name}: does not begin with an opened line of base ${expected}, where the one before ended`);
    if (name !== (isLast ? "journal.jsonl" : `journal.${expected}.jsonl`)) problems.push(`${name}: has another base in its name`);
    expected += bytes.length;
    for (const row of inSegment) {
      const { action, base, v, timestamp } = row.line;
      if (v !== 1 || typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp)))
        problems.push(`${row.at}: no record of format 1 with a time`);
      if (action === "opened" && row !== first) problems.push(`${row.at}: opened in the middle of a segment`);
      if (action === "closed" && (isLast || row !== inSegment.at(-1) || base !== expected))
        problems.push(`${row.at}: closed where the segment does not end, or with another base than the next one's`);
    }
    if (!isLast && inSegment.at(-1)?.line.action !== "closed")
      problems.push(`${name}: is followed by another segment, but not closed`);
    rows.push(...inSegment);
  }
  for (const [index, row] of rows.entries())
    if (index > 0 && row.seq <= (rows[index - 1]?.seq ?? 0)) problems.push(`${row.at}: its sequence number does not rise`);
  return rows;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The processes' own word: exactly one allowed a round, everybody else paused. */
function checkRounds(logs: RaceLog[], problems: string[]): void {
  const allowed = new Map<number, string[]>();
  for (const log of logs) {
    const names = allowed.get(log.round) ?? [];
    allowed.set(log.round, log.allowed ? [...names, log.name] : names);
    if (!log.allowed && !/acted on/.test(log.text ?? ""))
      problems.push(`round ${log.round}: ${log.name} was refused otherwise: ${log.text}`);
  }
  for (const [round, names] of allowed)
    if (names.length !== 1)
      problems.push(`round ${round}: ${names.length} allowed (${names.join(", ") || "nobody"}) instead of one`);
}

/** Every verdict has its row and every allowed call its outcome, once, on the right resource; and no row is without a verdict. */
function checkCalls(logs: RaceLog[], rows: Row[], keyOf: (round: number) => string, problems: string[]): void {
  const byCall = new Map<unknown, Row[]>();
  for (const row of rows) {
    if (HOUSEKEEPING.includes(String(row.line.action))) continue;
    byCall.set(row.line.call, [...(byCall.get(row.line.call) ?? []), row]);
  }
  const judge = (call: string, session: string, expected: string[], tier: number, key: string) => {
    const found = byCall.get(call) ?? [];
    byCall.delete(call);
    const actions = found.map((row) => row.line.action).join(", ");
    if (actions !== expected.join(", "))
      problems.push(`call ${call}: the journal says "${actions}", its process says "${expected.join(", ")}"`);
    for (const row of found) {
      const keys = Array.isArray(row.line.contextKeys) ? row.line.contextKeys : [];
      if (row.line.session !== session || row.line.tier !== tier || keys.length !== 1 || keys[0] !== key)
        problems.push(`${row.at}: not of session ${session}, tier ${tier} and ${key}`);
    }
    const [start, outcome] = found;
    if (start !== undefined && outcome !== undefined && (outcome.line.of as unknown[] | undefined)?.[0] !== start.seq)
      problems.push(`${outcome.at}: an outcome that does not point at its start ${start.seq}`);
  };
  const seen = new Set<string>();
  for (const log of logs) {
    const key = `email:${keyOf(log.round)}`;
    if (seen.has(log.call)) problems.push(`call ${log.call}: logged twice`);
    seen.add(log.call);
    judge(log.call, log.session, log.allowed ? ["intercept", "complete"] : ["blocked"], 3, key);
    for (const { call, tier, allowed } of log.side) {
      if (!allowed) problems.push(`call ${call}: tier ${tier} was refused`);
      judge(call, log.session, tier === 2 ? ["intercept", "complete"] : ["intercept"], tier, `side:${log.name}`);
    }
  }
  for (const [call, left] of byCall)
    for (const row of left) problems.push(`${row.at}: ${row.line.action} of call ${call}, which no process knows`);
}

/** A pause shows what stood in the journal at that point, and nothing else. */
function checkPauses(rows: Row[], problems: string[]): void {
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  const keyOf = (row: Row | undefined) => (Array.isArray(row?.line.contextKeys) ? row.line.contextKeys[0] : undefined);
  /** Resource → what stands of its actions so far: start → outcome. */
  const standing = new Map<unknown, Map<number, number | undefined>>();
  for (const row of rows) {
    const { action, tier, conflict, evidence } = row.line;
    const known = standing.get(keyOf(row)) ?? new Map<number, number | undefined>();
    if (action === "blocked") {
      const shown = Array.isArray(evidence) ? (evidence as Array<{ seq: number; outcome?: number }>) : [];
      if (shown.length === 0) problems.push(`${row.at}: a pause without evidence`);
      for (const piece of shown) {
        const start = bySeq.get(piece.seq);
        if (start === undefined || start.seq >= row.seq || start.line.action !== "intercept" || keyOf(start) !== keyOf(row))
          problems.push(`${row.at}: its evidence ${piece.seq} is no earlier action on ${keyOf(row)}`);
        else if (known.get(piece.seq) !== piece.outcome)
          problems.push(
            `${row.at}: shows outcome ${piece.outcome} of ${piece.seq}, but the journal says ${known.get(piece.seq)}`,
          );
      }
      if (shown.length !== known.size) problems.push(`${row.at}: shows ${shown.length} of ${known.size} actions`);
      const inFlight = [...known.values()].includes(undefined);
      if (conflict !== (inFlight ? "inFlight" : "recent"))
        problems.push(`${row.at}: says ${conflict}, which is not what stood there`);
    } else if (action === "intercept" && typeof tier === "number" && tier >= 2) {
      if (tier >= 3 && known.size > 0) problems.push(`${row.at}: allowed although ${keyOf(row)} was acted on before`);
      standing.set(keyOf(row), known.set(row.seq, undefined));
    } else if (OUTCOMES.includes(String(action))) {
      const of = (row.line.of as number[] | undefined)?.[0];
      if (of === undefined || !known.has(of)) problems.push(`${row.at}: the outcome of nothing before it`);
      else standing.set(keyOf(row), known.set(of, row.seq));
    } else if (!STARTS.includes(String(action)) && !HOUSEKEEPING.includes(String(action))) {
      problems.push(`${row.at}: ${action} has no place in a race`);
    }
  }
}

/** The rows of one process are in the order in which it did things. */
function checkOwnOrder(logs: RaceLog[], rows: Row[], problems: string[]): void {
  const done = new Map<unknown, string[]>();
  for (const log of logs) {
    const calls = done.get(log.session) ?? [];
    for (const { call } of log.side) calls.push(call);
    calls.push(log.call);
    done.set(log.session, calls);
  }
  const written = new Map<unknown, unknown[]>();
  for (const row of rows)
    if (!HOUSEKEEPING.includes(String(row.line.action))) {
      const calls = written.get(row.line.session) ?? [];
      if (calls.at(-1) !== row.line.call) calls.push(row.line.call);
      written.set(row.line.session, calls);
    }
  for (const [session, calls] of done) {
    const index = calls.findIndex((call, index) => written.get(session)?.[index] !== call);
    if (index >= 0)
      problems.push(`session ${session}: did ${calls[index]} where the journal has ${written.get(session)?.[index]}`);
  }
}

/** A verdict that was given before another was asked for comes before it in the journal. */
function checkRealTime(logs: RaceLog[], rows: Row[], problems: string[]): void {
  const byCall = new Map(logs.map((log) => [log.call, log]));
  let latest: RaceLog | undefined;
  for (const row of rows) {
    const log = STARTS.includes(String(row.line.action)) ? byCall.get(String(row.line.call)) : undefined;
    if (log === undefined) continue;
    if (latest !== undefined && latest.fromUs > log.toUs)
      problems.push(`${row.at}: ${log.call} was over before ${latest.call} began, but stands behind it`);
    if (latest === undefined || log.fromUs > latest.fromUs) latest = log;
  }
}
