// Where nobody switched the shared context on, a model is asked what it would be asked if there were none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { via, World } from "./harness/world.ts";

/** The first request of a turn, without what differs between two gateways and two moments. */
async function body(config: Record<string, unknown>): Promise<string> {
  // The tools are allowed: what is missing without the switch is missing for that reason.
  const world = await World.open({ tools: { alsoAllow: ["callosum"] }, config });
  try {
    const turns = [];
    // The first prompt looks whether there is one; the second would have what it found.
    for (const name of ["first", "second"]) {
      const playing = world.begin(name, [via("callosum_recent", {})]);
      await playing.ended;
      turns.push(world.model.turn(playing.name)[0]?.body);
    }
    const own = turns.join("\n").replaceAll(world.dir, "DIR");
    return own.replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+/g, "NOW").replaceAll(world.gateway.origin, "ORIGIN");
  } finally {
    await world.close();
  }
}

test("until it is switched on, a model is asked byte for byte as where nothing of it is registered", async () => {
  const [unset, off] = await Promise.all([body({}), body({ sharedContextEnabled: false })]);
  assert.ok(unset.length > 2_000);
  assert.equal(unset, off);
  assert.doesNotMatch(unset, /shared_|Shared context/);
});
