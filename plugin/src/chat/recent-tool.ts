// The agent tool `callosum_recent`: what was done lately, for a model that plans, before the gate has to stop it.

import type { AnyAgentTool } from "openclaw/plugin-sdk/plugin-entry";
import { ask, textIn } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { isRecord } from "../host.ts";
import { forModel, TRUST } from "./untrusted-text.ts";

export const RECENT_TOOL = "callosum_recent";
const MOST = 6_000;
const MAX_LIMIT = 50;
const MAX_TEXT = 1_024;

/**
 * Some of what the registry has for the question `recent`, and not a copy of it: a model is shown fewer actions than a program, is not asked
 * whom to leave out, and needs examples of keys. A test holds the two together.
 */
export const PARAMETERS = {
  type: "object",
  additionalProperties: false,
  properties: {
    key: {
      type: "string",
      minLength: 1,
      maxLength: MAX_TEXT,
      description:
        "Only what was done on this resource: email:alice@example.com, channel:general, git-push:github.com/acme/app/main …",
    },
    session: {
      type: "string",
      minLength: 1,
      maxLength: MAX_TEXT,
      description: "Only what this session did, by its session key.",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: "At most this many actions: those still running, then the newest; 20 by default.",
    },
  },
};

/** The tool as one session gets it. */
export function recentTool(owner: GateOwner, ownSession: string | undefined): AnyAgentTool {
  return {
    name: RECENT_TOOL,
    label: "Recent actions",
    description:
      "Recent significant actions of all sessions on this machine (mail, chat, pushes, deploys, schedules), how they ended, and what is being done right now. " +
      "Ask before you plan such an action, and when Callosum has paused a call. Without parameters: the newest actions of all sessions, including your own.",
    parameters: PARAMETERS,
    execute: async (_call: string, params: unknown) => {
      const answer = await ask(owner, "recent", wantedBy(params));
      if (!answer.ok) throw new Error(`callosum: recent actions can't be shown: ${answer.message}`);
      const { leases, actions } = isRecord(answer.payload) ? answer.payload : {};
      // Through the host's catalog a model gets the details, too: only the text is bounded.
      const details = { trust: TRUST, leases: countOf(leases), actions: countOf(actions) };
      const text = textIn(answer.payload);
      const you = ownSession === undefined ? "" : `Your own session is ${ownSession}.\n`;
      const told =
        text === "" ? "Nothing of that kind was done recently, and nothing is held." : forModel("Recent actions", text, MOST);
      return { content: [{ type: "text", text: `${you}${told}` }], details };
    },
  };
}

function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/** Only what the tool offers: the host has checked the values against the schema. */
function wantedBy(params: unknown): Record<string, unknown> {
  const { key, session, limit } = isRecord(params) ? params : {};
  return { key, session, limit };
}
