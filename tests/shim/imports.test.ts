// What TypeScript's files import: no two need each other, however far around. That of the Rust files is in architecture.rs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const ROOT = new URL("../..", import.meta.url).pathname;
const FILES = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: ROOT, encoding: "utf8" }).trimEnd().split("\n");
/** Imports of files, also of types alone: who reads one of two such files has to read the other, too. */
const IMPORT = /^(?:import|export)\b[^;"]*?(?:from\s+)?"(\.[^"]+)"/gm;

const imports = new Map(
  FILES.map((file) => {
    const named = [...readFileSync(join(ROOT, file), "utf8").matchAll(IMPORT)].map(([, path = ""]) =>
      normalize(join(dirname(file), path)),
    );
    return [file, named.filter((path) => FILES.includes(path))];
  }),
);

/** The first way around from a file back to itself, if there is one. */
function circleFrom(file: string, way: string[], known: Set<string>): string[] | undefined {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
  if (known.has(file)) return undefined;
  known.add(file);
  for (const next of imports.get(file) ?? []) {
    const circle = circleFrom(next, [...way, file], known);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test("no file of TypeScript needs one that needs it", () => {
  assert.ok([...imports.values()].flat().length > 300, "the imports are found");
  const known = new Set<string>();
  assert.deepEqual(
    FILES.map((file) => circleFrom(file, [], known)).filter((circle) => circle !== undefined),
    [],
  );
});
