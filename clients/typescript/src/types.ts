// What the service is told, and what it answers. Answers may get more fields; none changes its meaning.

/** The parameters of a tool call: a JSON object. */
export type Params = Readonly<Record<string, unknown>>;

/** A tool call that somebody is about to make. */
export interface ToolCall {
  /** The tool, by the name that the rules know. */
  readonly tool: string;
  readonly params: Params;
  /** The conversation or run that makes the call. The service asks for it where a call may be paused: pauses belong to sessions. */
  readonly session?: string;
  readonly agent?: string;
  /** The call's id, unique among the session's calls; the same id gets the same verdict. Without one the client makes one. */
  readonly call?: string;
  /** The folder in which a command would run: an absolute path. */
  readonly cwd?: string;
  /** The program or framework that runs the agent. */
  readonly runtime?: string;
}

/** Why a call is refused for another reason than others' actions. */
export type RefusalReason = "policy" | "limit" | "state" | "unconfirmed";

/** What the gate says of a tool call. */
export interface Verdict {
  readonly verdict: "allow" | "pause" | "block" | "refuse";
  /** Of `refuse` alone. */
  readonly reason?: RefusalReason;
  /** How risky the call is, 0 to 4. */
  readonly tier: number;
  /** The rule that said so; of a call that is refused by policy, what it breaks. */
  readonly ruleName?: string;
  /** Whether any rule could apply to the tool. Where none could, no other call is held against one of it. */
  readonly covered?: boolean;
  /** The resources that the call acts on. */
  readonly contextKeys: readonly string[];
  /** The id by which the call is spoken of from now on. */
  readonly call: string;
  /** What the model is to read when the call must not run. */
  readonly text?: string;
  /** The actions on the same resources that a pause or a block is about. */
  readonly evidence?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  /** When the lease of a call that was allowed ends (RFC 3339). Each piece of evidence that still runs has its own. */
  readonly expiresAt?: string;
}

/** A call, by the id that its verdict named. */
export interface CallName {
  readonly call: string;
  /** Its session, where the id was chosen by somebody who has other sessions with calls of the same id. */
  readonly session?: string;
}

/** How a call ended. */
export interface Outcome extends CallName {
  /** `failed` is proved not done, `refused` never ran; after an error in the middle, what was done is `unknown`. */
  readonly outcome: "complete" | "failed" | "unknown" | "refused";
  /** Of a command. */
  readonly exitCode?: number;
  readonly error?: string;
}

/** The answer to `POST /intercept`. */
export interface InterceptAnswer {
  readonly proceed: boolean;
  readonly tier: number;
  /** The first resource that the call acts on: what `complete` takes. */
  readonly contextKey: string;
  readonly contextKeys: readonly string[];
  /** The call's id: what `complete` takes as `id`. */
  readonly call: string;
  readonly conflicts?: readonly unknown[];
  readonly warning?: string;
  /** The sequence numbers of the conflicts in the journal. */
  readonly evidence?: readonly number[];
  /** When the call's lease ends, or what speaks against it lapses (RFC 3339). */
  readonly expiresAt?: string;
  readonly [more: string]: unknown;
}

/** The answer to `POST /complete` and `DELETE /lock/:key`. */
export interface Done {
  readonly ok: boolean;
  readonly error?: string;
  readonly [more: string]: unknown;
}

/** The answer to `POST /lock`. */
export interface LockAnswer {
  readonly acquired: boolean;
  readonly conflict?: unknown;
  /** When the lease ends (RFC 3339). */
  readonly expiresAt?: string;
  readonly [more: string]: unknown;
}

/** The answer to `GET /status`. */
export interface StatusAnswer {
  readonly locks: readonly unknown[];
  readonly recentActions: readonly unknown[];
  readonly [more: string]: unknown;
}

/** Something that happened, or a stretch of the journal that was pruned before it could be told. */
export interface StreamEvent {
  /** Where to go on after this event: what `after` takes. */
  readonly cursor: string;
  readonly seq?: number;
  readonly id?: string;
  readonly topic?: string;
  readonly at?: string;
  readonly from?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly gap?: { readonly from: number; readonly to: number };
}
