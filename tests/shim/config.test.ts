import assert from "node:assert/strict";
import { test } from "node:test";
import { configText, isClosedOnError } from "../../plugin/src/config.ts";

test("settings cross as they were written, wrong ones too: the core names them", () => {
  assert.deepEqual(configText({ recentWindowMs: "soon" }), { text: '{"recentWindowMs":"soon"}' });
  assert.deepEqual(configText(undefined), { text: "{}" });
  assert.deepEqual(configText(null), { text: "{}" });
});

test("settings that can't be text are no settings, and that is said", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  assert.equal(configText(circular).text, "{}");
  assert.match(configText(circular).problem ?? "", /default/);
  assert.match(configText({ n: 1n }).problem ?? "", /default/);
});

test("only the exact word closes the gate", () => {
  assert.equal(isClosedOnError({ onStateError: "closed" }), true);
  for (const config of [undefined, null, "closed", {}, { onStateError: "open" }, { onStateError: true }]) {
    assert.equal(isClosedOnError(config), false);
  }
});
