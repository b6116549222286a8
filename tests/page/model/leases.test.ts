import assert from "node:assert/strict";
import { test } from "node:test";
import { holdersOf } from "../../../plugin/page/src/model/leases.ts";
import type { Lease } from "../../../plugin/page/src/model/wire.ts";

function lease(contextKey: string, session: string): Lease {
  const at = "2026-01-15T12:00:00.000Z";
  return { contextKey, instance: "laptop", session, tool: "exec", tier: 4, since: at, expiresAt: at };
}

test("a release is about all who hold a resource now, and about nothing else", () => {
  const leases = [lease("deploy:prod", "one"), lease("deploy:test", "one"), lease("deploy:prod", "two")];
  assert.deepEqual(
    holdersOf(leases, "deploy:prod").map((holder) => holder.session),
    ["one", "two"],
  );
  assert.deepEqual(holdersOf(leases, "deploy:gone"), []);
});
