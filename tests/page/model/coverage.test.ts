import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { coverageOf, isLacking, RUNTIMES, uncoveredOf } from "../../../plugin/page/src/model/coverage.ts";
import type { Uncovered } from "../../../plugin/page/src/model/wire.ts";

const LAST = "2026-01-15T12:00:00.000Z";

function seen(name: string, verb?: string): Uncovered {
  return { runtime: "codex", kind: "tool", name, calls: 3, last: LAST, ...(verb === undefined ? {} : { verb }) };
}

test("all that sounds like an effect is listed, and of the rest the most used", () => {
  const rest = Array.from({ length: 25 }, (_, place) => seen(`look_${place}`));
  const effects = Array.from({ length: 30 }, (_, place) => seen(`send_${place}`, "send"));
  const lists = uncoveredOf([...effects, ...rest]);
  assert.equal(lists.effects.length, 30);
  assert.deepEqual(
    lists.others.map((entry) => entry.name),
    rest.slice(0, 20).map((entry) => entry.name),
  );
  assert.equal(lists.more, 5);
  assert.deepEqual(uncoveredOf([]), { effects: [], others: [], more: 0 });
});

test("calls that were paused are not missed behind", () => {
  assert.equal(isLacking({ before: 20, after: 2, paused: 18 }), false);
  assert.equal(isLacking({ before: 20, after: 0, paused: 20 }), false);
  assert.equal(isLacking({ before: 20, after: 2, paused: 0 }), true);
  assert.equal(isLacking({ before: 20, after: 2 }), true);
  assert.equal(isLacking({ before: 38, after: 2, paused: 18 }), true);
  const counts = { before: 20, after: 2, first: LAST, last: LAST, covered: true };
  const [codex] = coverageOf({ codex: { exec: { ...counts, paused: 18 }, mail: { ...counts, paused: 0 } } });
  assert.deepEqual(
    codex?.tools.map(({ tool, lacking }) => [tool, lacking]),
    [
      ["exec", false],
      ["mail", true],
    ],
  );
});

test("a tool that no rule names is told from one that a rule is for", () => {
  const counts = { before: 1, after: 1, paused: 0, first: LAST, last: LAST };
  const [codex] = coverageOf({ codex: { exec: { ...counts, covered: true }, acme: { ...counts, covered: false } } });
  assert.deepEqual(
    codex?.tools.map(({ tool, covered }) => [tool, covered]),
    [
      ["acme", false],
      ["exec", true],
    ],
  );
});

test("how a runtime joins is what the quick start says", () => {
  const quickStart = readFileSync(new URL("../../../docs/quick-start.md", import.meta.url), "utf8");
  for (const { join } of RUNTIMES) assert.ok(quickStart.includes(`$ ${join}\n`), join);
});
