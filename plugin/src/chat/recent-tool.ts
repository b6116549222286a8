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

const PARAMETERS = {
  type: "object",
  additionalProperties: false,
  properties: {
    key: {
      type: "string",
      minLength: 1,
      maxLength: MAX_TEXT,
      description: "Only what was done on this resource: email:alice@example.com, channel:general, git-push:origin/main …",
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
      description: "How many actions at most: those still running, then the newest; 20 if not given.",
    },
  },
};

/** The tool as one session gets it. */
export function recentTool(owner: GateOwner, ownSession: string | undefined): AnyAgentTool {
  return {
    name: RECENT_TOOL,
    label: "Recent actions",
    description:
      "What sessions on this machine did lately that matters (mail, chat, pushes, deploys, schedules), what is being done right now, and how it ended. " +
      "Ask before planning such an action, and when a call was paused by Callosum. Without parameters: the newest actions of all sessions, your own too.",
    parameters: PARAMETERS,
    execute: async (_call: string, params: unknown) => {
      const answer = await ask(owner, "recent", wantedBy(params));
      if (!answer.ok) throw new Error(`callosum: what was done lately can't be told: ${answer.message}`);
      const { leases, actions } = isRecord(answer.payload) ? answer.payload : {};
      // Through the host's catalog a model gets the details, too: only the text is bounded.
      const details = { trust: TRUST, leases: countOf(leases), actions: countOf(actions) };
      const text = textIn(answer.payload);
      const you = ownSession === undefined ? "" : `Your own session is ${ownSession}.\n`;
      const told =
        text === "" ? "Nothing of that kind was done lately, and nothing is held." : forModel("Recent actions", text, MOST);
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
