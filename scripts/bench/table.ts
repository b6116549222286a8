// The one table, in plain text.

import { digits, type Row, type Target } from "./rows.ts";

const HEAD = ["p50", "p99", "floor", "÷ floor", "SQLite", "÷ SQLite", "target", "measured", ""];
/** Left of the rest: the name, the target, and the verdict. */
const TEXTS = new Set([0, 7, 9]);

export function table(rows: Row[]): string {
  const lines: string[][] = [["", ...HEAD]];
  for (const [section, inSection] of Map.groupBy(rows, ({ section, unit }) => `${section}, ${unit}`)) {
    lines.push([], [section], ...inSection.flatMap(linesOf));
  }
  const widths = ["", ...HEAD].map((_, column) =>
    // A section's title stands alone in its line.
    Math.max(...lines.map((line) => (line.length === 1 ? 0 : (line[column]?.length ?? 0)))),
  );
  const cell = (text: string, column: number) =>
    TEXTS.has(column) ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(cell).join("  ").trimEnd()).join("\n");
}

/** A line for the row and its first target, and one for each further target. */
function linesOf({ name, p50, p99, floor, sqlite, targets }: Row): string[][] {
  const optional = (value: number | undefined) => (value === undefined ? "" : digits(value));
  const cells = [
    ...[`  ${name}`, digits(p50), optional(p99)],
    ...[optional(floor), optional(floor && p50 / floor), optional(sqlite), optional(sqlite && p50 / sqlite)],
  ];
  const [first, ...others] = targets;
  return [[...cells, ...targetCells(first)], ...others.map((target) => [...cells.map(() => ""), ...targetCells(target)])];
}

function targetCells(target: Target | undefined): string[] {
  if (target === undefined) return [];
  const { text, measured, unit, met } = target;
  return [text, unit === "×" ? `${digits(measured)}×` : `${digits(measured)} ${unit}`, met ? "met" : "MISSED"];
}

export function verdict(rows: Row[]): string {
  const targets = rows.flatMap((row) => row.targets);
  return `${targets.filter(({ met }) => met).length} of ${targets.length} targets are met.`;
}
