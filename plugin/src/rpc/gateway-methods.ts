// The gateway methods `callosum.*`: the questions that the core's registry offers there, with what it says of each, and verbs of the
// team's table.

import { answerOf, ask, type CoreAnswer, statusOf } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import type { WorkspaceOf } from "../hooks/before-tool-call.ts";
import { isRecord, type RpcClient } from "../host.ts";
import { type NameOn, offeredOn } from "../offered.ts";
import type { Team } from "../team/team.ts";
import { TEAM_VERBS } from "../team/verbs.ts";
import { problemIn, type Schema } from "./parameters.ts";

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

/** Who is asked, with parameters that fit. */
type Asked = (params: Record<string, unknown>, client: RpcClient | null) => Promise<CoreAnswer>;

/** All methods. */
export function gatewayMethods(owner: GateOwner, version: string, workspaceOf: WorkspaceOf, team: Team): GatewayMethod[] {
  const asked: Record<NameOn<"gateway">, Asked> = {
    status: () => statusOf(owner, version),
    journal: (params) => ask(owner, "journal", params),
    why: (params) => ask(owner, "why", params),
    explain: (params) => ask(owner, "explain", inWorkspace(workspaceOf, params)),
    release: (params, client) => answerOf(owner, (gate) => gate.release(String(params.key), callerName(client))),
  };
  const questions = offeredOn("gateway").map(({ name, right, request }) => method(name, right, request, asked[name]));
  const verbs = TEAM_VERBS.map(({ name, right }) =>
    method(name, right, TEAM_METHODS[name].request, (params) => team.ask("gateway", name, params)),
  );
  return [...questions, ...verbs];
}

/** A method that asks for what fits its schema, and names what does not. */
function method(name: string, right: keyof typeof SCOPES, request: Schema, asked: Asked): GatewayMethod {
  const answer = async ({ params, client }: Called): Promise<MethodAnswer> => {
    const said = params ?? {};
    const problem = problemIn(said, request);
    if (problem !== undefined || !isRecord(said)) return failed("INVALID_REQUEST", `callosum.${name}: ${problem}`);
    const answered = await asked(said, client);
    if (answered.ok) return answered;
    if (answered.code === BAD_REQUEST) return failed("INVALID_REQUEST", `callosum.${name}: ${answered.message}`);
    return failed("UNAVAILABLE", `callosum: ${answered.message}`);
  };
  return { name: `callosum.${name}`, scope: SCOPES[right], answer };
}

/** What the core says of a request that it can't read: what a schema does not tell. */
const BAD_REQUEST = "bad-request";

const MAX_LIMIT = 1_000;
const MAX_TEXT = 1_024;
const MAX_BODY = 4_096;

const text = (description: string): Schema => ({ type: "string", description });
const COUNT: Schema = { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: "at most so many" };

/** What a gateway adds to a question. */
export const ADDED: Partial<Record<NameOn<"gateway">, string>> = {
  status: "If the plugin could not load its addon, the answer has only `version` and `degraded`.",
  explain: "Without `cwd`, the call is explained as its agent would make it, in that agent's workspace.",
};

/** A verb of the team as everybody may be told of it: `docs/reference/gateway-methods.md` is made of this. */
interface TeamMethod {
  meaning: string;
  request: Schema;
  answer: string;
}

/** The team's methods, without the `callosum.` before their names. */
export const TEAM_METHODS: Record<TeamVerb, TeamMethod> = {
  tasks: {
    meaning: "The tasks that are not over, or those in one state, as `callosum task list --json` prints them.",
    request: {
      properties: {
        state: text("only those in this state: open, claimed, blocked, input-required, lost, stalled"),
        from: text("the first one that is listed, as `next` of an answer names it"),
        limit: COUNT,
      },
    },
    answer: "{tasks: […], next}",
  },
  task: {
    meaning: "One task, as `callosum task show --json` prints it.",
    request: { properties: { id: text("its id, or the beginning of it") }, required: ["id"] },
    answer: "{task}",
  },
  send: {
    meaning:
      "Sends a message of a person, as `callosum send --json` does; or, with the intent `ack`, says that one was understood.",
    request: {
      properties: {
        to: text("`instance/session` or the beginning of one, a runtime, a role, or `operator`"),
        body: { type: "string", minLength: 0, maxLength: MAX_BODY, description: "what it says, in at most 4096 bytes" },
        intent: {
          type: "string",
          enum: ["request", "inform", "ack"],
          description: "what it is for; `inform` by default",
        },
        urgent: { type: "boolean", description: "it should not wait" },
        replyTo: text("the message that it answers"),
      },
    },
    answer: "{message: {id, thread, intent, urgent, expiresAt, dropped}, delivery: [{session, activity, since, how, why}]}",
  },
  inbox: {
    meaning: "The messages for a person (`operator`), the newest first. They count as shown no more than before.",
    request: { properties: { limit: COUNT } },
    answer: "{messages: [{id, thread, from, intent, urgent, body, at, state}], unread, next}",
  },
  events: {
    meaning: "The newest events of the journal, or those from a place on.",
    request: {
      properties: {
        topic: text("topics with commas between them: `call.paused`, `call.*`, `calc.**`"),
        from: {
          type: "integer",
          minimum: 0,
          description: "from this place on, as `next` of an answer names it; the newest without it",
        },
        limit: COUNT,
      },
    },
    answer: "{events: [{seq, id, topic, at, from, data}], next}",
  },
  routes: {
    meaning: "The routes in force and the roles; with a text, which of them it takes, as `callosum route --json` prints it.",
    request: {
      properties: {
        text: text("what is to be done"),
        category: text("of which kind the work is"),
        files: { type: "array", items: { type: "string" }, description: "the files that it is about" },
      },
    },
    answer: "{roles, routes: […]}, or {agent, fallback, sla, category, rule, present, cooling}",
  },
};

/** The call to explain, in the workspace of its agent unless it says where it runs. */
export function inWorkspace(workspaceOf: WorkspaceOf, params: unknown): unknown {
  const call = isRecord(params) ? params : {};
  const cwd = workspaceOf(typeof call.agent === "string" ? call.agent : null) ?? undefined;
  return { cwd, ...call };
}

/** Whom the host has recognised, else what the client calls itself. */
function callerName(client: RpcClient | null): string {
  const { id, mode, displayName } = client?.connect?.client ?? {};
  const program = [displayName ?? id ?? "the gateway itself", mode === undefined ? "" : `(${mode})`].join(" ").trim();
  const person = client?.authenticatedUserProfile?.displayName ?? client?.authenticatedUserId;
  const name = person === undefined || person === null ? program : `${person}, by ${program}`;
  return name.slice(0, MAX_TEXT);
}

function failed(code: MethodFailure["code"], message: string): MethodAnswer {
  return { ok: false, error: { code, message } };
}
