// What a heartbeat is told: it wakes without memory of what other sessions just did, and is the likeliest to do it again.

import { setTimeout as sleep } from "node:timers/promises";
import { forModel } from "../chat/untrusted-text.ts";
import { ask, textIn } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";

const MOST = 1_300;
const ACTIONS = 8;
/** A heartbeat goes without rather than late. */
const WAIT_MS = 2_000;

/** The other sessions' live leases and last significant actions; undefined when there are none, or they can't be told in time. */
export async function heartbeatContext(
  owner: GateOwner,
  session: string | undefined,
  waitMs: number = WAIT_MS,
): Promise<{ prependContext: string } | undefined> {
  const late = sleep(waitMs, undefined, { ref: false });
  const answer = await Promise.race([ask(owner, "recent", { exceptSession: session, limit: ACTIONS }), late]);
  const text = answer?.ok ? textIn(answer.payload) : "";
  return text === "" ? undefined : { prependContext: forModel("What other sessions did lately", text, MOST) };
}
