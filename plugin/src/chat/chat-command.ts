// `/callosum` in a chat: what an operator wants to see from where they are, and what they decide about proposals of the shared context. No
// model is asked.

import { ask, textIn } from "../core-answer.ts";
import type { GateOwner } from "../gate-owner.ts";
import { isRecord, messageOf } from "../host.ts";
import type { SharedContext } from "../shared-context/shared-context.ts";
import type { Team } from "../team/team.ts";
import { bounded, forChat, newest } from "./untrusted-text.ts";

/** Below what the narrowest chat takes as one message, so that no client splits a block. */
const MOST = 1_500;
const MOST_PROBLEMS = 600;
const ACTIONS = 8;
const TASKS = 20;
const USAGE =
  "Use `/callosum` (or `/callosum status`), `/callosum why KEY`, with a key like `email:alice@example.com`, `/callosum tasks`, or `/callosum accept ID` and `/callosum reject ID` for proposals of the shared context and for tasks; without an ID these list the proposals.";

/** What the host tells of who speaks. */
export interface Speaker {
  senderIsOwner?: boolean | undefined;
  /** Throws when they no longer are. */
  assertOwnerCurrent?: (() => void) | undefined;
}

/** Answers `/callosum …`; `args` is what follows the name. */
export async function chatCommand(
  owner: GateOwner,
  shared: SharedContext,
  team: Team,
  args: string | undefined,
  speaker: Speaker = {},
): Promise<{ text: string }> {
  const [, verb = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec((args ?? "").trim()) ?? [];
  if (verb === "" || (verb === "status" && rest === "")) return { text: await status(owner) };
  if (verb === "tasks" && rest === "") return { text: await tasks(team) };
  if (verb === "why" && rest !== "") return { text: await why(owner, rest) };
  if ((verb === "accept" || verb === "reject") && !/\s/.test(rest))
    return { text: await decide(shared, team, rest, verb === "accept", speaker) };
  return { text: USAGE };
}

/** A decision is the owner's: what they accept is told to all sessions as the operator's word. */
async function decide(shared: SharedContext, team: Team, id: string, accept: boolean, speaker: Speaker): Promise<string> {
  if (speaker.senderIsOwner !== true) return "Only the owner decides about proposals and tasks.";
  if (id === "") return await proposals(shared);
  try {
    speaker.assertOwnerCurrent?.();
  } catch (thrown) {
    return `Nothing was decided: ${bounded(messageOf(thrown), MOST_PROBLEMS)}`;
  }
  const answer = await shared.decide(id, accept);
  if (!answer.ok) {
    const task = await team.ask("chat", accept ? "accept" : "reject", { id });
    if (task.ok && isRecord(task.payload) && isRecord(task.payload.task))
      return `${accept ? "Accepted" : "Rejected"}:\n${forChat(bounded(lines([task.payload.task]), MOST))}`;
    // What neither knows is told in the words of what there is here.
    const { message } = shared.isOn || task.ok || task.code === "unavailable" ? answer : task;
    return `Nothing was decided: ${bounded(message, MOST_PROBLEMS)}.`;
  }
  const { verdict, agent, text } = isRecord(answer.payload) ? answer.payload : {};
  return `${verdict === "accepted" ? "Accepted" : "Rejected"}:\n${forChat(bounded(`${agent}: ${text}`, MOST))}`;
}

/** The tasks that are not over. */
async function tasks(team: Team): Promise<string> {
  const answer = await team.ask("chat", "tasks", { limit: TASKS });
  if (!answer.ok) return `Tasks can't be shown: ${bounded(answer.message, MOST_PROBLEMS)}.`;
  const { tasks, next } = isRecord(answer.payload) ? answer.payload : {};
  const list = Array.isArray(tasks) ? tasks.filter(isRecord) : [];
  if (list.length === 0) return "No task is open.";
  const more = typeof next === "string" ? "\nand more" : "";
  return forChat(bounded(`${lines(list)}${more}`, MOST));
}

/** A line for each task. Titles are agents' words. */
function lines(tasks: Record<string, unknown>[]): string {
  const line = ({ id, state, accepted, to, title }: Record<string, unknown>) => {
    const whom = typeof to === "string" ? ` for ${to}` : "";
    return `${id} ${state}${accepted === true ? "" : ", not accepted"}${whom}: ${title}`.replaceAll(/\s+/g, " ");
  };
  return tasks.map(line).join("\n");
}

async function proposals(shared: SharedContext): Promise<string> {
  const answer = await shared.proposals();
  if (!answer.ok) return `Proposals can't be shown: ${bounded(answer.message, MOST_PROBLEMS)}.`;
  const list =
    isRecord(answer.payload) && Array.isArray(answer.payload.proposals) ? answer.payload.proposals.filter(isRecord) : [];
  if (list.length === 0) return "No proposal is open.";
  return forChat(bounded(list.map(({ id, agent, text }) => `${id} ${agent}: ${text}`).join("\n"), MOST));
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
  return forChat(newest(withLocalTimes(textIn(answer.payload)), MOST));
}

/** A story with its own times as a clock on the wall here shows them, with the day when that is not today. Parameters stay as they are. */
function withLocalTimes(story: string): string {
  return story.replaceAll(
    /(^(?: {3}|\d+\. )|^ {2}by .*, until )(\d{4}-\d\d-\d\dT[\d:.]+Z)/gm,
    (_all, before: string, at: string) => {
      const moment = new Date(at);
      const clock = moment.toLocaleTimeString("sv-SE");
      const day = moment.toLocaleDateString("sv-SE");
      return `${before}${day === new Date().toLocaleDateString("sv-SE") ? clock : `${day} ${clock}`}`;
    },
  );
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
