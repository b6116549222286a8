// The gateway is killed while it acts: what it was doing is told apart from what it has done.

import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "../harness/mail.ts";
import { exec, sessionKey, until } from "../harness/world.ts";
import { world } from "./shared.ts";

const PAUSED = /^\[Callosum\] .*"email:sam@example\.com"/;
const mail = (slow?: number) => exec(send("sam@example.com", "hello", slow === undefined ? {} : { slow }));
const sent = () => world.mail.sent("sam@example.com").length;

test("killed in mid-send: unknown at once after its restart, without waiting for the lease", async () => {
  const turn = world.begin("sam-a", [mail(3)]);
  await until("the mail to be out", () => sent() === 1);
  await world.gateway.kill();
  turn.ended.catch(() => {});
  await world.gateway.start();
  const [told] = await world.play("sam-b", mail());
  assert.match(told ?? "", PAUSED);
  assert.match(told ?? "", /unknown/);
  assert.match(told ?? "", new RegExp(sessionKey("sam-a")));
  assert.equal(sent(), 1);
  assert.doesNotMatch((await world.play("sam-b", mail()))[0] ?? "", /^\[Callosum\] /);
});
