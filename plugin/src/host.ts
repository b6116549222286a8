// What the shim needs of the host's types, kept small so that tests can stand in for the host. OpenClaw exports the type of its plugin API but
// not of its hook events; index.ts hands its handlers to the real API, so the compiler still checks these shapes against the host's.

/** The event of `before_tool_call`, and the fields that it shares with `after_tool_call`. */
export interface ToolEvent {
  toolName: string;
  params: unknown;
  toolKind?: string | undefined;
  runId?: string | undefined;
  toolCallId?: string | undefined;
}

/** The event of `after_tool_call`. */
export interface AfterToolEvent extends ToolEvent {
  result?: unknown;
  error?: string | undefined;
}

/** The context of both tool hooks. */
export interface ToolContext {
  agentId?: string | undefined;
  sessionKey?: string | undefined;
  sessionId?: string | undefined;
  runId?: string | undefined;
  toolCallId?: string | undefined;
  toolKind?: string | undefined;
}

/** What `before_tool_call` answers to refuse a call. */
export interface Refusal {
  block: true;
  blockReason: string;
}

/** What it answers to have a person asked. */
export interface Question {
  requireApproval: {
    title: string;
    description: string;
    severity: "warning";
    timeoutMs: number;
    allowedDecisions: ("allow-once" | "deny")[];
    /** Told what they decided; hosts since 2026 tell more than that: that nobody did, or that the run was aborted meanwhile. */
    onResolution: (resolution: string) => void;
  };
}

/** The event and context of `tool_result_persist`; it carries no run. */
export interface PersistEvent {
  toolCallId?: string | undefined;
}
export interface PersistContext {
  sessionKey?: string | undefined;
  toolCallId?: string | undefined;
}

/** Who calls a gateway method: what the client says of itself, and whom the host has recognised behind it. */
export interface RpcClient {
  connect?: { client?: { id?: string; mode?: string; displayName?: string } };
  authenticatedUserId?: string;
  authenticatedUserProfile?: { displayName: string | null };
}

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Whose call it is, in the words of the core. */
export interface Caller {
  agent: string | null;
  session: string;
  run: string | null;
  call: string | null;
}

/** Reads the ids of a tool call: the context first, because the host fills it on more paths than the event. */
export function callerOf(event: ToolEvent, ctx: ToolContext): Caller {
  const run = ctx.runId ?? event.runId ?? null;
  return {
    agent: ctx.agentId ?? null,
    session: ctx.sessionKey ?? ctx.sessionId ?? run ?? "unknown",
    run,
    call: ctx.toolCallId ?? event.toolCallId ?? null,
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text of anything that was thrown. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "an error that can't be shown";
  }
}
