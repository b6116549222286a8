import assert from "node:assert/strict";
import { test } from "node:test";
import { paramsFrom } from "../../../plugin/page/src/model/explain-params.ts";
import { isFiltered, journalRequest, NO_FILTERS, readPlace, writePlace } from "../../../plugin/page/src/model/url-state.ts";

test("the address brings a reader back to the same place", () => {
  const place = {
    tab: "journal" as const,
    window: "6h" as const,
    filters: { ...NO_FILTERS, key: "email:a&b=c#d@example.com", text: "50% “off”", minTier: "3", since: "7d" },
    group: "project" as const,
    story: { keys: ["git:a&b#c", "file:/ü"], seq: 12 },
  };
  assert.deepEqual(readPlace(writePlace(place), "timeline"), place);
  // A record that names no resource has a story too: that it has none.
  for (const story of [{ keys: [], seq: 3 }, { keys: ["k"] }, undefined])
    assert.deepEqual(readPlace(writePlace({ ...place, story }), "timeline").story, story);
  assert.equal(writePlace(readPlace("", "timeline")), "#/timeline");
});

test("a wrong address is a place too", () => {
  for (const hash of ["#", "#/nowhere?minTier=9&since=1y&window=2h&text=&by=colour", "#%E0%A4%A", "#/journal?&&=&key"]) {
    const place = readPlace(hash, "leases");
    assert.ok(place.tab === "leases" || place.tab === "journal");
    assert.equal(place.window, "fit");
    assert.equal(place.group, "");
    assert.equal(place.story, undefined);
    assert.equal(isFiltered(place.filters), false);
  }
  assert.equal(readPlace(`#/journal?text=${"x".repeat(5_000)}`, "timeline").filters.text.length, 1_024);
  const many = `#/journal?at=x&story=${"x".repeat(5_000)}${"&story=k".repeat(50)}`;
  assert.deepEqual(readPlace(many, "timeline").story, { keys: Array(20).fill("k") });
});

test("filters become a request that has only what is wanted", () => {
  assert.deepEqual(journalRequest(NO_FILTERS, 0), {});
  assert.deepEqual(journalRequest({ ...NO_FILTERS, tool: " exec ", minTier: "0", since: "1h" }, 10_000_000), {
    tool: "exec",
    minTier: 0,
    since: 6_400_000,
  });
});

test("exec takes a command line, every tool takes JSON", () => {
  assert.deepEqual(paramsFrom("exec", " git push "), { params: { command: "git push" } });
  assert.deepEqual(paramsFrom("exec", '{"command": "ls"}'), { params: { command: "ls" } });
  assert.deepEqual(paramsFrom("exec", "{ echo a; echo b; }"), { params: { command: "{ echo a; echo b; }" } });
  assert.deepEqual(paramsFrom("exec", "[ -f x ] && rm x"), { params: { command: "[ -f x ] && rm x" } });
  assert.deepEqual(paramsFrom("message", ""), { params: {} });
  assert.ok("problem" in paramsFrom("message", "[1]"));
  assert.ok("problem" in paramsFrom("message", "git push"));
});
