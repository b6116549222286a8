// The gateway methods `callosum.*`: the questions that the core's registry offers there.

import { answerOf, ask, type CoreAnswer, statusOf } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import type { WorkspaceOf } from "../hooks/before-tool-call.ts";
import { isRecord, type RpcClient } from "../host.ts";
import { type NameOn, offeredOn } from "../offered.ts";

export interface MethodFailure {
  code: "INVALID_REQUEST" | "UNAVAILABLE";
  message: string;
}

export type MethodAnswer = { ok: true; payload: unknown } | { ok: false; error: MethodFailure };

/** What a method is called with. */
interface Called {
  params: unknown;
  client: RpcClient | null;
}

/** A method as the host registers it. */
export interface GatewayMethod {
  name: string;
  scope: "operator.read" | "operator.write";
  answer: (called: Called) => Promise<MethodAnswer>;
}

/** The host's scope for each right of the registry. */
export const SCOPES = { read: "operator.read", operate: "operator.write" } as const;

/** All methods. */
export function gatewayMethods(owner: GateOwner, version: string, workspaceOf: WorkspaceOf): GatewayMethod[] {
  const answers: Record<NameOn<"gateway">, GatewayMethod["answer"]> = {
    status: () => status(owner, version),
    journal: ({ params }) => journal(owner, params),
    why: ({ params }) => why(owner, params),
    explain: ({ params }) => explain(owner, workspaceOf, params),
    release: ({ params, client }) => release(owner, params, client),
  };
  return offeredOn("gateway").map(({ name, right }) => ({
    name: `callosum.${name}`,
    scope: SCOPES[right],
    answer: answers[name],
  }));
}

const MAX_LIMIT = 1_000;
const MAX_TEXT = 1_024;

/** A parameter: how it must look, and what it is for. */
interface Parameter {
  expects: string;
  meaning: string;
  fits: (value: unknown) => boolean;
  required?: true;
}
type Parameters = Record<string, Parameter>;

const text = (meaning: string): Parameter => ({ expects: "a text", meaning, fits: isText });
const FILTERS: Parameters = {
  limit: {
    expects: `a whole number from 1 to ${MAX_LIMIT}`,
    meaning: "at most this many records, the newest; 50 by default",
    fits: (value) => isWhole(value, 1, MAX_LIMIT),
  },
  tier: { expects: "a whole number from 0 to 4", meaning: "only records of this tier", fits: (value) => isWhole(value, 0, 4) },
  key: text("only records on this context key"),
  session: text("only records of this session"),
  tool: text("only records of this tool"),
  action: text(
    "only records whose `action` this is; `started` finds `intercept`, `paused` the pauses, `blocked` the pauses and the blocks",
  ),
  since: {
    expects: "a time like 2026-01-31T09:00:00Z, or milliseconds since 1970",
    meaning: "only records since then",
    fits: (value) => isText(value) || isWhole(value, 0, Number.MAX_SAFE_INTEGER),
  },
  after: {
    expects: "a record's `seq`",
    meaning: "only records that came after that one",
    fits: (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER),
  },
};
const KEY: Parameters = { key: { ...text("the context key of the resource"), required: true } };
const CALL: Parameters = {
  tool: { ...text("the tool, as the host calls it"), required: true },
  params: { expects: "an object", meaning: "the call's parameters", fits: isRecord, required: true },
  session: text("the session that would make the call"),
  agent: text("the agent that would make it, in whose workspace it would run"),
};

/** What everybody may be told about a method: `docs/reference/gateway-methods.md` is made of this. */
interface Method {
  meaning: string;
  parameters: Parameters;
  answer: string;
}

/** The methods, without the `callosum.` before their names. */
export const METHODS: Record<NameOn<"gateway">, Method> = {
  status: {
    meaning: "What an operator sees at a glance: live leases (`locks`), recent actions, the hooks seen, and what is wrong.",
    parameters: {},
    answer:
      "{instanceId, version, stateDir, mode, ruleCount, rules {source, loadedAt, error?}, locks, recentContexts, journal {lines, bytes, segments, skipped, head, oldest}, journalLines, coverage, waiting, settingErrors?, lost?, degraded?}",
  },
  journal: {
    meaning:
      "The newest records of the journal, newest last. All conditions must hold. `next` is null when nothing older can match.",
    parameters: FILTERS,
    answer: "{entries: […], next}",
  },
  why: {
    meaning: "The story of a resource: what happened, oldest first, and `text` for people.",
    parameters: KEY,
    answer: "{key, events: […], earlier, leases, text}",
  },
  explain: {
    meaning: "What a call would get now, as `callosum explain --json` prints it. Runs nothing, writes nothing.",
    parameters: CALL,
    answer: "{tier, ruleName, contextKeys, recentWindowMs, scope, verdict, text, journalParams, matched, rough, unread}",
  },
  release: {
    meaning: "Ends the live leases on a resource. The journal records who did it, and what was done stays evidence.",
    parameters: KEY,
    answer: "{key, released: [{contextKey, instance, session, tool, tier, since, expiresAt}]}",
  },
};

/** `callosum.status` */
export async function status(owner: GateOwner, version: string): Promise<MethodAnswer> {
  return answered(await statusOf(owner, version));
}

/** `callosum.journal` */
export async function journal(owner: GateOwner, params: unknown): Promise<MethodAnswer> {
  const filter = params ?? {};
  const problem = problemIn(filter, FILTERS);
  if (problem !== undefined) return invalid("callosum.journal", problem);
  return answered(await ask(owner, "journal", filter));
}

/** `callosum.why` */
export async function why(owner: GateOwner, params: unknown): Promise<MethodAnswer> {
  const problem = problemIn(params, KEY);
  if (problem !== undefined) return invalid("callosum.why", problem);
  return answered(await ask(owner, "why", params));
}

/** `callosum.explain`: as if the agent called it in its workspace. */
export async function explain(owner: GateOwner, workspaceOf: WorkspaceOf, params: unknown): Promise<MethodAnswer> {
  const problem = problemIn(params, CALL);
  if (problem !== undefined) return invalid("callosum.explain", problem);
  return answered(await ask(owner, "explain", inWorkspace(workspaceOf, params)));
}

/** The call to explain, in the workspace of its agent unless it says where it runs. */
export function inWorkspace(workspaceOf: WorkspaceOf, params: unknown): unknown {
  const call = isRecord(params) ? params : {};
  const cwd = workspaceOf(typeof call.agent === "string" ? call.agent : null) ?? undefined;
  return { cwd, ...call };
}

/** `callosum.release`: the journal says who did it. */
export async function release(owner: GateOwner, params: unknown, client: RpcClient | null): Promise<MethodAnswer> {
  const problem = problemIn(params, KEY);
  if (problem !== undefined) return invalid("callosum.release", problem);
  return answered(await answerOf(owner, (gate) => gate.release(keyIn(params), callerName(client))));
}

/** Whom the host has recognised, else what the client calls itself. */
function callerName(client: RpcClient | null): string {
  const { id, mode, displayName } = client?.connect?.client ?? {};
  const program = [displayName ?? id ?? "the gateway itself", mode === undefined ? "" : `(${mode})`].join(" ").trim();
  const person = client?.authenticatedUserProfile?.displayName ?? client?.authenticatedUserId;
  const name = person === undefined || person === null ? program : `${person}, by ${program}`;
  return name.slice(0, MAX_TEXT);
}

function problemIn(params: unknown, known: Parameters): string | undefined {
  if (!isRecord(params)) return "the parameters must be an object";
  for (const [name, value] of Object.entries(params)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (parameter === undefined)
      return `no parameter is called \`${name.slice(0, 64)}\`; there are ${Object.keys(known).join(", ")}`;
    if (!parameter.fits(value)) return `\`${name}\` must be ${parameter.expects}`;
  }
  const missing = Object.keys(known).find((name) => known[name]?.required && !Object.hasOwn(params, name));
  return missing === undefined ? undefined : `\`${missing}\` is missing: ${known[missing]?.expects}`;
}

function keyIn(params: unknown): string {
  return isRecord(params) ? String(params.key) : "";
}

function answered(answer: CoreAnswer): MethodAnswer {
  if (answer.ok) return answer;
  return { ok: false, error: { code: "UNAVAILABLE", message: `callosum: ${answer.message}` } };
}

function invalid(method: string, problem: string): MethodAnswer {
  return { ok: false, error: { code: "INVALID_REQUEST", message: `${method}: ${problem}` } };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_TEXT;
}
