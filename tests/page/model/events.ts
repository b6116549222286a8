// Events and records as the core tells them, for the tests of the page's model.

import type { JournalEvent, What } from "../../../plugin/page/src/model/wire.ts";

/** Where all tests begin: noon of a day. */
export const NOON = Date.UTC(2026, 0, 15, 12);

/** An event `minutes` after noon. */
export function event(seq: number, minutes: number, what: What, more: Partial<JournalEvent> = {}): JournalEvent {
  const at = new Date(NOON + minutes * 60_000).toISOString();
  return { seq, at, what, instance: "laptop", session: "agent:main:main", runtime: "openclaw", tool: "exec", tier: 3, ...more };
}
