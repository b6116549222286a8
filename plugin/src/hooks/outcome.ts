// How a tool call ended, read from what OpenClaw says after it, in the neutral words of the core. A missing error proves nothing: an exec that
// exits 7 has none. In doubt an ending may have acted: calling a sent mail "failed" would let it be sent again.

import { type AfterToolEvent, isRecord } from "../host.ts";

/** "maybe": it failed in a way that may have acted. */
export type Ended = "ok" | "error" | "refused" | "aborted" | "timed-out" | "killed" | "running" | "maybe";

export interface Outcome {
  ended: Ended;
  exitCode: number | null;
  /** The background process session, when the call goes on behind it. */
  processSession: string | null;
}

/** That of a call which was not let run. */
export const NEVER_RAN: Outcome = { ended: "refused", exitCode: null, processSession: null };

/** The end of a background process that was started by an earlier call. */
export interface ProcessEnd {
  processSession: string;
  ended: Ended;
  exitCode: number | null;
}

const INTERRUPTED =
  /time[d ]?-? ?out|timeout|abort|cancel|interrupt|terminated|connection|socket|network|econn|epipe|etimedout|reset|disconnect|unreachable|fetch failed|\b50[234]\b/i;

/** Statuses of tools that wait for something and stop waiting: what they began goes on, or may have happened. */
const STOPPED_WAITING = new Set(["timeout", "timed_out", "timed-out", "aborted", "cancelled", "canceled", "partial", "lost"]);

/** What the host says of a call that it did not let run, where it says so as an error and not as a block. */
const NEVER_RAN_WORDS =
  /^(?:Plugin approval |Approval (?:timed out|cancelled)|Denied by user\. The tool call did not run|Tool call blocked because before_tool_call hook failed)/;
/** What it says where it finds nobody to ask. */
const NOBODY = /^Plugin approval (?:unavailable|required \(gateway unavailable\))/;
/** The host lists what a tool takes when arguments do not fit: parameters called `timeoutMs` are no sign that time ran out. */
const BAD_ARGUMENTS = /^Invalid arguments for tool "/;
/** How much of a tool's own words about its failure is read. */
const WORDS_READ = 4_000;

/** What it gives as the reason in runs that it asks nobody for, such as those of its cloud workers. */
const ASKS_NOBODY = "approval_required";

/** Whether the host should have asked a person about this call, and there was nobody whom it could ask. */
export function foundNobody(event: AfterToolEvent): boolean {
  const { deniedReason, reason } = detailsOf(event);
  if (deniedReason === "plugin-approval-unavailable" || reason === ASKS_NOBODY) return true;
  return typeof event.error === "string" && NOBODY.test(event.error);
}

/** How this call ended. */
export function outcomeOf(event: AfterToolEvent): Outcome {
  const details = detailsOf(event);
  const error = typeof event.error === "string" ? event.error : undefined;

  // Refused by a hook or an approval: it never ran.
  if (details.status === "blocked" && typeof details.deniedReason === "string") return NEVER_RAN;
  if (details.status === "running") return { ...outcome("running"), processSession: textOrNull(details.sessionId) };
  // Waits for a person's approval; if it is given, the command runs without another hook.
  if (details.status === "approval-pending") return outcome("running");

  const process = endOfProcess(details);
  if (process !== undefined) return { ...process, processSession: null };
  if (error === "Aborted") return outcome("aborted");
  if (error !== undefined && NEVER_RAN_WORDS.test(error)) return NEVER_RAN;
  if (error !== undefined && BAD_ARGUMENTS.test(error)) return outcome("error");

  const failed = error !== undefined || details.status === "error" || details.status === "failed";
  if (failed) return outcome(INTERRUPTED.test(`${error ?? ""} ${reasonOf(event, details)}`) ? "maybe" : "error");
  if (typeof details.status === "string" && STOPPED_WAITING.has(details.status)) return outcome("maybe");
  return outcome("ok");
}

/** The background processes that this result of the `process` tool shows to have ended. */
export function endedProcesses(event: AfterToolEvent): ProcessEnd[] {
  if (event.toolName !== "process") return [];
  const details = detailsOf(event);
  const params = isRecord(event.params) ? event.params : {};
  // `kill` answers before the process is gone, and names no session in its details.
  if (params.action === "kill" && event.error === undefined && details.status === "completed") {
    const processSession = textOrNull(params.sessionId);
    return processSession === null ? [] : [{ processSession, ended: "killed", exitCode: null }];
  }
  const shown = Array.isArray(details.sessions) ? details.sessions : [details];
  return shown.flatMap((entry: unknown) => {
    if (!isRecord(entry) || entry.status === "running") return [];
    const processSession = textOrNull(entry.sessionId);
    const end = endOfProcess(entry);
    return processSession === null || end === undefined ? [] : [{ ...end, processSession }];
  });
}

/** How a process ended, when these details are about one that did. */
function endOfProcess(details: Record<string, unknown>): { ended: Ended; exitCode: number | null } | undefined {
  const exitCode = typeof details.exitCode === "number" ? details.exitCode : null;
  if (details.timedOut === true || details.noOutputTimedOut === true) return { ended: "timed-out", exitCode };
  if (typeof details.exitSignal === "string") return { ended: "killed", exitCode };
  if (exitCode !== null) return { ended: "ok", exitCode };
  return undefined;
}

function detailsOf(event: AfterToolEvent): Record<string, unknown> {
  return isRecord(event.result) && isRecord(event.result.details) ? event.result.details : {};
}

/** Why a tool failed: its details say it, or (MCP tools: their error is just "error") its text for the model. */
function reasonOf(event: AfterToolEvent, details: Record<string, unknown>): string {
  const told = textOrNull(details.error);
  if (told !== null) return told;
  const content = isRecord(event.result) && Array.isArray(event.result.content) ? event.result.content : [];
  const words = content.map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : ""));
  return words.join(" ").slice(0, WORDS_READ);
}

function outcome(ended: Ended): Outcome {
  return { ended, exitCode: null, processSession: null };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
