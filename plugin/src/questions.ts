// The questions that are asked by name: a copy of the core's registry (`callosum_core::query::QUESTIONS`). Don't edit it:
// `CALLOSUM_RECORD=1 cargo test -p callosum-core --test it questions` writes it anew.

export const QUESTIONS = [
  { name: "head", right: "read", surfaces: ["page", "http"] },
  { name: "status", right: "read", surfaces: ["gateway", "page", "command-line", "http"] },
  { name: "leases", right: "read", surfaces: ["command-line", "http"] },
  { name: "sessions", right: "read", surfaces: ["command-line", "http"] },
  { name: "journal", right: "read", surfaces: ["gateway", "page", "command-line", "http"] },
  { name: "timeline", right: "read", surfaces: ["page", "http"] },
  { name: "tally", right: "read", surfaces: ["page", "http"] },
  { name: "rules", right: "read", surfaces: ["page", "http"] },
  { name: "recent", right: "read", surfaces: ["page", "http"] },
  { name: "why", right: "read", surfaces: ["gateway", "page", "command-line", "http"] },
  { name: "explain", right: "read", surfaces: ["gateway", "page", "command-line", "http"] },
  { name: "observed", right: "read", surfaces: ["http"] },
  { name: "release", right: "operate", surfaces: ["gateway", "page", "http"] },
] as const;

export type Question = (typeof QUESTIONS)[number];
