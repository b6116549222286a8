import assert from "node:assert/strict";
import { test } from "node:test";
import { configText, isClosedOnError, stateDirIn, wantsSessionContext } from "../../plugin/src/config.ts";

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

test("only the exact word keeps heartbeats as they are", () => {
  assert.equal(wantsSessionContext({ sessionContext: false }), false);
  for (const config of [undefined, null, {}, { sessionContext: true }, { sessionContext: "false" }]) {
    assert.equal(wantsSessionContext(config), true);
  }
});

test("a state directory is a text that is not empty", () => {
  assert.equal(stateDirIn({ stateDir: "~/elsewhere" }), "~/elsewhere");
  for (const config of [undefined, null, {}, { stateDir: " " }, { stateDir: 1 }]) assert.equal(stateDirIn(config), undefined);
});
