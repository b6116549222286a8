// `/callosum` in a chat: what an operator wants to see from where they are. It only reads, and no model is asked.

import { ask, textIn } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { isRecord } from "../host.ts";
import { bounded, forChat, newest } from "./untrusted-text.ts";

/** Below what the narrowest chat takes as one message, so that no client splits a block. */
const MOST = 1_500;
const MOST_PROBLEMS = 600;
const ACTIONS = 8;
const USAGE = "Use `/callosum` (or `/callosum status`), or `/callosum why KEY`, with a key like `email:alice@example.com`.";

/** Answers `/callosum …`; `args` is what follows the name. */
export async function chatCommand(owner: GateOwner, args: string | undefined): Promise<{ text: string }> {
  const [, verb = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec((args ?? "").trim()) ?? [];
  if (verb === "" || (verb === "status" && rest === "")) return { text: await status(owner) };
  if (verb === "why" && rest !== "") return { text: await why(owner, rest) };
  return { text: USAGE };
}

async function status(owner: GateOwner): Promise<string> {
  const answer = await ask(owner, "status");
  if (!answer.ok) return `Callosum can't be asked: ${bounded(answer.message, MOST_PROBLEMS)}.`;
  const status = isRecord(answer.payload) ? answer.payload : {};
  const head = `Callosum on ${status.instanceId ?? "this gateway"}: mode ${status.mode}, ${status.ruleCount} rules.`;
  const wrong = problemsIn(status);
  const problems = wrong.length === 0 ? "" : `\nWrong:\n${forChat(bounded(wrong.join("\n"), MOST_PROBLEMS))}`;
  const recent = await ask(owner, "recent", { limit: ACTIONS });
  if (!recent.ok) return `${head}${problems}\nRecent actions can't be shown: ${bounded(recent.message, MOST_PROBLEMS)}.`;
  const text = textIn(recent.payload);
  return `${head}${problems}\n${text === "" ? "Nothing significant was done recently, and nothing is held." : forChat(bounded(text, MOST))}`;
}

async function why(owner: GateOwner, key: string): Promise<string> {
  const answer = await ask(owner, "why", { key });
  if (!answer.ok) return `Callosum can't answer: ${bounded(answer.message, MOST_PROBLEMS)}.`;
  return forChat(newest(textIn(answer.payload), MOST));
}

/** What the status names as wrong, a line each. */
function problemsIn(status: Record<string, unknown>): string[] {
  const { degraded, lost, rules, settingErrors, waiting } = status;
  const problems: string[] = [];
  if (isRecord(degraded)) problems.push(`the state can't be used: ${degraded.cause}. ${degraded.remedy}`);
  if (isRecord(lost)) problems.push(`at ${lost.at} ${lost.instance} noticed: ${lost.how}`);
  if (isRecord(rules) && typeof rules.error === "string") problems.push(`rules: ${rules.error}`);
  if (Array.isArray(settingErrors)) problems.push(...settingErrors.map((error) => `settings: ${error}`));
  if (isRecord(waiting) && typeof waiting.lost === "number" && waiting.lost > 0)
    problems.push(`${waiting.lost} records could not be written and are lost`);
  return problems;
}
