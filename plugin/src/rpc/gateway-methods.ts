// The gateway methods `callosum.*`: the questions that the core's registry offers there.

import { answerOf, ask, type CoreAnswer, statusOf } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import type { WorkspaceOf } from "../hooks/before-tool-call.ts";
import { isRecord, type RpcClient } from "../host.ts";
import { type NameOn, offeredOn } from "../offered.ts";
import type { Team } from "../team/team.ts";
import { TEAM_VERBS } from "../team/verbs.ts";

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
export const SCOPES = { read: "operator.read", act: "operator.write", operate: "operator.write" } as const;

/** A verb of the team's table that is a method here. */
type TeamVerb = (typeof TEAM_VERBS)[number]["name"];

/** All methods. */
export function gatewayMethods(owner: GateOwner, version: string, workspaceOf: WorkspaceOf, team: Team): GatewayMethod[] {
  const answers: Record<NameOn<"gateway">, GatewayMethod["answer"]> = {
    status: () => status(owner, version),
    journal: ({ params }) => journal(owner, params),
    why: ({ params }) => why(owner, params),
    explain: ({ params }) => explain(owner, workspaceOf, params),
    release: ({ params, client }) => release(owner, params, client),
  };
  const questions = offeredOn("gateway").map(({ name, right }) => ({
    name: `callosum.${name}`,
    scope: SCOPES[right],
    answer: answers[name],
  }));
  const verbs = TEAM_VERBS.map(({ name, right }) => ({
    name: `callosum.${name}`,
    scope: SCOPES[right],
    answer: ({ params }: Called) => together(team, name, params),
  }));
  return [...questions, ...verbs];
}

const MAX_LIMIT = 1_000;
const MAX_TEXT = 1_024;
const MAX_BODY = 4_096;

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
const COUNT: Parameter = {
  expects: `a whole number from 1 to ${MAX_LIMIT}`,
  meaning: "at most so many",
  fits: (value) => isWhole(value, 1, MAX_LIMIT),
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
export const METHODS: Record<NameOn<"gateway"> | TeamVerb, Method> = {
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
  tasks: {
    meaning: "The tasks that are not over, or those in one state, as `callosum task list --json` prints them.",
    parameters: {
      state: text("only those in this state: open, claimed, blocked, input-required, lost, stalled"),
      from: text("the first one that is listed, as `next` of an answer names it"),
      limit: COUNT,
    },
    answer: "{tasks: […], next}",
  },
  task: {
    meaning: "One task, as `callosum task show --json` prints it.",
    parameters: { id: { ...text("its id, or the beginning of it"), required: true } },
    answer: "{task}",
  },
  send: {
    meaning:
      "Sends a message of a person, as `callosum send --json` does; or, with the intent `ack`, says that one was understood.",
    parameters: {
      to: text("`instance/session` or the beginning of one, a runtime, a role, or `operator`"),
      body: {
        expects: "a text of at most 4096 bytes",
        meaning: "what it says",
        fits: (value) => typeof value === "string" && value.length <= MAX_BODY,
      },
      intent: {
        expects: "`request`, `inform` or `ack`",
        meaning: "what it is for; `inform` by default",
        fits: (value) => ["request", "inform", "ack"].includes(value as string),
      },
      urgent: { expects: "`true` or `false`", meaning: "it should not wait", fits: (value) => typeof value === "boolean" },
      replyTo: text("the message that it answers"),
    },
    answer: "{message: {id, thread, intent, urgent, expiresAt, dropped}, delivery: [{session, activity, since, how, why}]}",
  },
  inbox: {
    meaning: "The messages for a person (`operator`), the newest first. They count as shown no more than before.",
    parameters: { limit: COUNT },
    answer: "{messages: [{id, thread, from, intent, urgent, body, at, state}], unread, next}",
  },
  events: {
    meaning: "The newest events of the journal, or those from a place on.",
    parameters: {
      topic: text("topics with commas between them: `call.paused`, `call.*`, `calc.**`"),
      from: {
        expects: "a whole number from 0",
        meaning: "from this place on, as `next` of an answer names it; the newest without it",
        fits: (value) => isWhole(value, 0, Number.MAX_SAFE_INTEGER),
      },
      limit: COUNT,
    },
    answer: "{events: [{seq, id, topic, at, from, data}], next}",
  },
  routes: {
    meaning: "The routes in force and the roles; with a text, which of them it takes, as `callosum route --json` prints it.",
    parameters: {
      text: text("what is to be done"),
      category: text("of which kind the work is"),
      files: {
        expects: "a list of texts",
        meaning: "the files that it is about",
        fits: (value) => Array.isArray(value) && value.every(isText),
      },
    },
    answer: "{roles, routes: […]}, or {agent, fallback, sla, category, rule, present, cooling}",
  },
};

/** A verb of the team's table, asked for by a person. */
export async function together(team: Team, verb: TeamVerb, params: unknown): Promise<MethodAnswer> {
  const asked = params ?? {};
  const problem = problemIn(asked, METHODS[verb].parameters);
  if (problem !== undefined) return invalid(`callosum.${verb}`, problem);
  return answered(await team.ask("gateway", verb, asked));
}

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
