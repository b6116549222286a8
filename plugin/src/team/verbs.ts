// The verbs that a gateway offers as methods: a copy of the table `callosum_team::api::VERBS`. Don't edit it:
// `CALLOSUM_RECORD=1 cargo test -p callosum-team --test it verbs` writes it anew.

export const TEAM_VERBS = [
  { name: "tasks", right: "read" },
  { name: "task", right: "read" },
  { name: "send", right: "act" },
  { name: "inbox", right: "act" },
  { name: "events", right: "read" },
  { name: "routes", right: "read" },
] as const;
