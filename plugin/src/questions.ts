// The questions that are asked by name: a copy of the core's registry (`callosum_core::query::QUESTIONS`). Don't edit it:
// `CALLOSUM_RECORD=1 cargo test -p callosum-core --test it questions` writes it anew.

export const QUESTIONS = [
  { name: "head", right: "read", surfaces: ["page"] },
  { name: "status", right: "read", surfaces: ["gateway", "page", "command-line"] },
  { name: "journal", right: "read", surfaces: ["gateway", "page", "command-line"] },
  { name: "timeline", right: "read", surfaces: ["page"] },
  { name: "tally", right: "read", surfaces: ["page"] },
  { name: "rules", right: "read", surfaces: ["page"] },
  { name: "recent", right: "read", surfaces: ["page"] },
  { name: "why", right: "read", surfaces: ["gateway", "page", "command-line"] },
  { name: "explain", right: "read", surfaces: ["gateway", "page", "command-line"] },
  { name: "release", right: "operate", surfaces: ["gateway", "page"] },
] as const;

export type Question = (typeof QUESTIONS)[number];
