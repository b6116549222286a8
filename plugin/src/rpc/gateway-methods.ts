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
const SCOPES = { read: "operator.read", operate: "operator.write" } as const;

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

/** How a parameter must look. */
interface Parameter {
  expects: string;
  fits: (value: unknown) => boolean;
  required?: true;
}
type Parameters = Record<string, Parameter>;

const TEXT: Parameter = { expects: "a text", fits: isText };
const FILTERS: Parameters = {
  limit: { expects: `a whole number from 1 to ${MAX_LIMIT}`, fits: (value) => isWhole(value, 1, MAX_LIMIT) },
  tier: { expects: "a whole number from 0 to 4", fits: (value) => isWhole(value, 0, 4) },
  key: TEXT,
  session: TEXT,
  tool: TEXT,
  action: TEXT,
  since: {
    expects: "a time like 2026-01-31T09:00:00Z, or milliseconds since 1970",
    fits: (value) => isText(value) || isWhole(value, 0, Number.MAX_SAFE_INTEGER),
  },
  after: { expects: "a record's `seq`", fits: (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER) },
};
const KEY: Parameters = { key: { ...TEXT, required: true } };
const CALL: Parameters = {
  tool: { ...TEXT, required: true },
  params: { expects: "an object", fits: isRecord, required: true },
  session: TEXT,
  agent: TEXT,
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
