// Working together in a gateway: tasks and messages shared with sessions of other runtimes and gateways. The host assembles tools at moments when
// nobody may wait for a disk; so it is answered by what the last look found, and each time a worker looks again.

import { answerOf, type CoreAnswer } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { isRecord } from "../host.ts";

/** A tool as the core describes it. */
export interface TeamTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** What the last look found: the tools, while sessions work together. */
export interface KnownTeam {
  tools: TeamTool[];
}

/** The host assembles tools and starts the gateway in different instances, each with its own copy of this module. */
const KNOWN = Symbol.for("callosum.team");

function ofThisProcess(): KnownTeam {
  const shared = globalThis as { [KNOWN]?: KnownTeam };
  shared[KNOWN] ??= { tools: [] };
  return shared[KNOWN];
}

/** Who calls a tool, as the host says. */
export interface TeamCaller {
  agent: string | undefined;
  session: string | undefined;
}

export class Team {
  readonly #owner: GateOwner;
  readonly #known: KnownTeam;

  constructor(owner: GateOwner, known: KnownTeam = ofThisProcess()) {
    this.#owner = owner;
    this.#known = known;
  }

  /** The tools, as far as is known. */
  get tools(): readonly TeamTool[] {
    return this.#known.tools;
  }

  /** Has a worker look whether sessions work together, and notes what it found. Never rejects. */
  async look(): Promise<void> {
    const answer = await this.#ask({ do: "look" });
    if (!answer.ok || !isRecord(answer.payload)) return;
    const { on, tools } = answer.payload;
    this.#known.tools = on === true && Array.isArray(tools) ? (tools as TeamTool[]) : [];
  }

  /** Has a worker do what a session calls a tool for. */
  call(tool: string, params: unknown, caller: TeamCaller): Promise<CoreAnswer> {
    return this.#ask({ do: "call", tool, params: isRecord(params) ? params : {}, runtime: "openclaw", ...caller });
  }

  /** Has a worker do what a person asks for, by a method of the gateway or in a chat. */
  ask(surface: "gateway" | "chat", verb: string, params: unknown = {}): Promise<CoreAnswer> {
    return this.#ask({ do: "ask", surface, verb, params });
  }

  #ask(request: unknown): Promise<CoreAnswer> {
    return answerOf(this.#owner, (gate) => gate.team(JSON.stringify(request)));
  }
}
