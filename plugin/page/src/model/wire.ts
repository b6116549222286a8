// What the core answers, as far as the page reads it. Times are RFC 3339 in UTC unless a name ends in `Ms`.

/** How risky a call is: none, low, medium, high, critical. */
export type Tier = 0 | 1 | 2 | 3 | 4;

/** What an event says happened. */
export type What =
  | "started"
  | "retried"
  | "observed"
  | "noted"
  | "asked"
  | "paused"
  | "blocked"
  | "limited"
  | "denied"
  | "read"
  | "running"
  | "complete"
  | "failed"
  | "refused"
  | "unknown"
  | "released"
  | "leased"
  | "extended";

/** A record as `timeline` and `why` tell it. */
export interface JournalEvent {
  seq: number;
  at: string;
  what: What;
  /** Where it came from, if not from this machine. */
  machine?: string;
  instance: string;
  session?: string;
  runtime?: string;
  tool?: string;
  tier?: Tier;
  ruleName?: string;
  /** The events it is about: of an outcome its start, of a reading the pauses, of a release the calls. */
  of?: number[];
  /** The starts that a pause showed, or that a retry had been shown. */
  shown?: number[];
  exitCode?: number;
  reason?: string;
  params?: string;
  /** Of a start without an outcome: how it stands now, in words. */
  stands?: string | null;
  /** Of a block: its rule wants it, no lease. */
  byRule?: boolean;
  contextKeys?: string[];
}

/** A piece of the timeline, which is read backwards. */
export interface TimelinePiece {
  events: JournalEvent[];
  /** Go on with `before: next`; null when the range is read. */
  next: number | null;
  /** How far back this piece went, wall-clock milliseconds. */
  reached: number;
  head: number;
}

/** How many calls of a tier a session made in a span of time. */
export interface Bucket {
  at: number;
  instance: string;
  session: string;
  runtime: string;
  tier: Tier;
  calls: number;
  paused: number;
}

/** How often a rule was for a call. */
export interface RuleCount {
  /** Null: no rule was for the call. */
  rule: string | null;
  calls: number;
  paused: number;
  blocked: number;
  last: number;
}

/** A piece of the counts. */
export interface TallyPiece {
  buckets: Bucket[];
  rules: RuleCount[];
  next: number | null;
  reached: number;
}

/** A line of the journal, as it stands there. */
export interface JournalRecord {
  seq: number;
  action: string;
  timestamp: string;
  tier?: Tier;
  machine?: string;
  instance?: string;
  runtime?: string;
  agent?: string;
  session?: string;
  tool?: string;
  ruleName?: string;
  contextKeys?: string[];
  /** The original plugin's single key. */
  contextKey?: string;
  of?: number[];
  params?: string;
  conflict?: "recent" | "inFlight" | "lease" | "limit";
  /** What the rule wanted of a call that `conflict` speaks against, where that is no pause. */
  onConflict?: "ask" | "block" | "note";
  observed?: boolean;
  evidence?: { seq: number }[];
  exitCode?: number;
  reason?: string;
}

/** A piece of the journal. */
export interface JournalPiece {
  entries: JournalRecord[];
  next: number | null;
}

/** A resource that a call holds. */
export interface Lease {
  contextKey: string;
  /** Where it is held, if not on this machine. */
  machine?: string;
  instance: string;
  session: string;
  tool: string;
  tier: Tier;
  since: string;
  expiresAt: string;
}

/** How often the hooks saw a tool of a runtime. */
export interface HookCounts {
  before: number;
  after: number;
  /** Calls that were paused or blocked: in most runtimes they have no after-hook. */
  paused: number;
  /** A rule in force names the tool. */
  covered: boolean;
  /** None does, but one is for those of its calls that name what they act on by an id. */
  byId?: boolean;
  first: string;
  last: string;
}

/** A tool or a program that was seen and that no rule names. */
export interface Uncovered {
  runtime: string;
  kind: "tool" | "program";
  name: string;
  calls: number;
  /** The verb that makes its name sound like an effect outside. */
  verb?: string;
  /** A rule is for those of its calls that name what they act on by an id. */
  byId?: boolean;
  last: string;
}

/** Why the state can't be used, and what to do. */
export interface Degraded {
  code: string;
  cause: string;
  remedy: string;
  since?: string;
}

/** How a webhook of the service goes. */
export interface Webhook {
  name: string;
  /** Scheme, host and port. */
  target: string;
  state: "ok" | "failing" | "parked";
  /** Bytes of the journal that were not delivered yet. */
  behind: number;
  failingSince?: string;
  attempts?: number;
  /** What the last attempt met: a clause. */
  error?: string;
  retryAt?: string;
}

/** All but `version` may be missing: without its native part the plugin can only say why. */
export interface Status {
  version: string;
  instanceId?: string;
  stateDir?: string;
  mode?: "enforce" | "observe";
  ruleCount?: number;
  rules?: { source: string; loadedAt: string; error?: string | null };
  locks?: Lease[];
  journal?: { lines: number; bytes: number; segments: number; skipped: number; head: number; oldest?: string };
  coverage?: Record<string, Record<string, HookCounts>>;
  /** Those that sound like an effect first, then the most used. */
  uncovered?: Uncovered[];
  waiting?: { queued: number; lost: number; unwritten: number };
  webhooks?: Webhook[];
  /** Why nothing can be said of them: a clause. */
  webhooksError?: string;
  settingErrors?: string[];
  /** The last time that the journal was found lost, while that lies within the window. */
  lost?: { at: string; instance: string; how: string };
  degraded?: Degraded | null;
}

/** What the journal has on one resource. */
export interface Story {
  key: string;
  events: JournalEvent[];
  /** There is more further back than is told. */
  earlier: boolean;
  leases: Lease[];
}

/** How many calls a rule lets through. */
export interface Limit {
  count: number;
  windowMs: number;
  per: "session" | "key" | "rule";
}

/** How much of one is used. */
export interface LimitUsage extends Limit {
  ruleName: string;
  used: number;
  key?: string;
  session?: string;
  freeAt?: string;
}

/** A rule in force. */
export interface Rule {
  name: string;
  tier: Tier;
  own: boolean;
  tool: string[];
  command: string[];
  /** What else must hold, a condition each. */
  where: string[];
  contextKey: string[];
  recentWindowMs?: number | null;
  lockExpiryMs?: number | null;
  scope: string;
  onConflict?: string;
  limit?: Limit;
  reach?: string;
  mode?: "enforce" | "observe";
  comment?: string | null;
}

/** The rules in force, and where they come from. */
export interface RuleBook {
  source: string;
  loadedAt: string;
  error: string | null;
  rules: Rule[];
}

/** What a call would get now, and why. */
export interface Explained {
  tier: Tier;
  ruleName: string | null;
  contextKeys: string[];
  recentWindowMs: number;
  scope: string;
  onConflict: string;
  limits: LimitUsage[];
  verdict: "allow" | "note" | "ask" | "pause" | "block" | "observe";
  text: string | null;
  matched: { ruleName: string; tier: Tier; reach?: string; contextKeys: string[]; command: string | null; because: string }[];
  rough: boolean;
  /** What of a shell line was not read: it was only looked through for words of rules. */
  unread: { because: string; parts: number; bytes: number; begins: string }[];
}
