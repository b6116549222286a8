// What a person may look for in the journal: a copy of the core's table of record kinds (`callosum_core::record::kind`). Don't
// edit it: `CALLOSUM_RECORD=1 cargo test -p callosum-core --test it record_kinds` writes it anew.

/** The words that a filter's `action` may be, and what is shown for each. */
export const ACTIONS: [string, string][] = [
  ["started", "started"],
  ["blocked", "paused or blocked"],
  ["paused", "paused"],
  ["denied", "denied"],
  ["complete", "complete"],
  ["failed", "failed"],
  ["refused", "refused"],
  ["unknown", "outcome unknown"],
  ["running", "running"],
  ["delivered", "pause read"],
  ["released", "released"],
  ["leased", "lease taken"],
  ["extended", "lease renewed"],
  ["session", "session"],
  ["context", "shared context"],
  ["unreadable", "event unreadable"],
  ["task", "task"],
  ["message", "message"],
  ["event", "event"],
  ["lost", "journal lost"],
];
