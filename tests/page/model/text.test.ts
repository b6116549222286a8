import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, rulesSource, stretches, visible } from "../../../plugin/page/src/model/text.ts";

test("what can't be seen or turns the direction is written out", () => {
  assert.equal(visible("a\u202eb"), "a⟨U+202E⟩b");
  assert.equal(visible("\u001b[31mred\u0007"), "⟨U+001B⟩[31mred⟨U+0007⟩");
  assert.equal(visible("one\ntwo\tthree\u007f"), "one↵two⇥three⟨U+007F⟩");
  for (const character of [
    "\u200b",
    "\u200d",
    "\u2066",
    "\u061c",
    "\ufeff",
    "\u00ad",
    "\u2028",
    "\u0085",
    "\u{e0041}",
    "\ue000",
    "\ud800",
  ])
    assert.match(
      visible(`x${character}y`),
      /^x⟨U\+[0-9A-F]{4,}⟩y$/,
      `U+${character.codePointAt(0)?.toString(16)} is not written out`,
    );
});

test("what people write is left as it is", () => {
  for (const text of ["email:alice@example.com", "Grüße, 你好, שלום, مرحبا", "👩‍👩‍👧 👍🏽 ❤️", "<b>&amp;</b>", "naïve é"])
    assert.equal(visible(text), text);
});

test("signs are told from the text around them", () => {
  assert.deepEqual(stretches("a\u0000b"), [
    { text: "a", sign: false },
    { text: "⟨U+0000⟩", sign: true },
    { text: "b", sign: false },
  ]);
});

test("marks piled on a letter are cut down", () => {
  const piled = `Z${"\u0301".repeat(50)}a`;
  assert.equal(visible(piled), `Z${"\u0301".repeat(4)}a`);
});

test("a cut leaves no half of a character, and only cuts what is longer", () => {
  assert.equal(cut("abc", 3), "abc");
  assert.equal(cut("abcd", 3), "ab…");
  assert.equal(cut("😀😀😀😀", 4), "😀😀😀😀");
  assert.equal(cut("😀😀😀😀", 3), "😀😀…");
  assert.equal(Array.from(cut("x".repeat(1_000_000), 80)).length, 80);
});

test("people read of the shipped rules what the glossary calls them", () => {
  assert.equal(rulesSource("built in"), "shipped");
  assert.equal(rulesSource("/home/ann/.callosum/tiers.json"), "/home/ann/.callosum/tiers.json");
});
