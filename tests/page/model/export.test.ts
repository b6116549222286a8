import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv, toJson } from "../../../plugin/page/src/model/export.ts";

test("a file of CSV has a column for each name, and its cells are kept apart", () => {
  const rows = [
    { a: 'say "hi", you', b: 3, c: ["x", "y"] },
    { a: "two\nlines", d: null, e: true },
  ];
  assert.equal(toCsv(rows), 'a,b,c,d,e\r\n"say ""hi"", you",3,x y,,\r\n"two\nlines",,,,true\r\n');
  assert.deepEqual(JSON.parse(toJson(rows)), JSON.parse(JSON.stringify(rows)));
  assert.equal(toCsv([]), "\r\n");
});

test("no cell is a formula to a spreadsheet, whoever wrote it; a number stays one", () => {
  for (const text of ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
    assert.ok(
      toCsv([{ a: text }])
        .split("\r\n")
        .slice(1)
        .join("\r\n")
        .replace('"', "")
        .startsWith("'"),
      JSON.stringify(text),
    );
  assert.equal(toCsv([{ a: -1 }]), "a\r\n-1\r\n");
});
