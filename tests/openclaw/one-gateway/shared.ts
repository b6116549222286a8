// The gateway of the files in this folder. To start one takes the machine longer than most of them.

import { after } from "node:test";
import { World } from "../harness/world.ts";

/** How long the calls of the rules with a limit are counted. */
export const WINDOW_MS = 20_000;

const mail = { tier: 3, tool: "exec", command: "himalaya message send", contextKey: "email:{commandRecipients}" };
const cap = (per: string) => ({
  name: `cap-per-${per}`,
  tier: 3,
  tool: "exec",
  command: `echo per-${per}`,
  contextKey: "post:{command.arg.1}",
  limit: { count: 2, windowMs: WINDOW_MS, per },
});

/** Besides the shipped rules: those for what a shipped rule never wants, for sessions and commands that nothing else in these files uses. */
const rules = [
  { ...mail, name: "asked-about", session: "agent:main:asked-*", onConflict: "ask" },
  {
    name: "never-answered",
    tier: 3,
    tool: "write",
    session: "agent:main:waiting-*",
    contextKey: "file:{params.path}",
    onConflict: "ask",
  },
  { name: "pay", tier: 4, tool: "pay", contextKey: "account:{params.to}" },
  cap("rule"),
  // Several sessions at the same resource: only the limit may stop them.
  { ...cap("key"), onConflict: "note" },
];

/** One setting has a wrong value: the gate must hold all the same, with the default in its place. */
export const world = await World.open({ config: { retryWindowMs: "soon" }, rules: { extends: "default", rules } });
after(() => world.close());
