// `callosum/client`: the gate for agents that are programs of their own.

export { CallosumClient, type ClientOptions, type EventsOptions, type TeamVerb } from "./client.ts";
export { CallosumError, Paused, Refused, Repeated, ServiceError, ServiceUnreachable } from "./errors.ts";
export type { GuardOptions } from "./guard.ts";
export type {
  CallName,
  Done,
  InterceptAnswer,
  LockAnswer,
  Outcome,
  Params,
  RefusalReason,
  StatusAnswer,
  StreamEvent,
  ToolCall,
  Verdict,
} from "./types.ts";
