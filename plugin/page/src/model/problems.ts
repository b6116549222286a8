// What is wrong, in a line each: the first screen answers that before anything else.

import { coverageOf, isLacking, uncoveredOf } from "./coverage.ts";
import type { SharedContext } from "./together.ts";
import type { Status } from "./wire.ts";

/** Something that is wrong, and the tab that says more; none where a notice on top does. */
export interface Wrong {
  text: string;
  tab?: "coverage" | "rules" | "context";
}

/** What is wrong, the worst first. Notices on top of the page tell the same with what to do. */
export function wrongOf(status: Status, context: SharedContext | undefined): Wrong[] {
  const found: Wrong[] = [];
  const { degraded, rules, settingErrors = [], lost, waiting, webhooks = [], webhooksError } = status;
  if (degraded) found.push({ text: "The shared state can't be used" });
  if (lost) found.push({ text: "The journal was lost while it was in use" });
  if ((waiting?.lost ?? 0) > 0) found.push({ text: `${waiting?.lost} records are lost` });
  if (rules?.error) found.push({ text: "The rules file can't be used", tab: "rules" });
  for (const error of settingErrors) found.push({ text: error });
  for (const { path } of context?.pending ?? []) found.push({ text: `${path} was changed by something else`, tab: "context" });
  for (const { name, state } of webhooks)
    if (state !== "ok") found.push({ text: `Webhook ${name} ${state === "parked" ? "was given up" : "does not arrive"}` });
  if (webhooksError !== undefined) found.push({ text: "The state of the webhooks is unknown" });
  for (const runtime of coverageOf(status.coverage ?? {}))
    if (isLacking(runtime)) found.push({ text: `${runtime.name}: far fewer calls ended than started`, tab: "coverage" });
  const { effects } = uncoveredOf(status.uncovered ?? []);
  if (effects.length > 0)
    found.push({
      text: `${effects.length} ${effects.length === 1 ? "tool sounds" : "tools sound"} like an effect, and no rule names ${effects.length === 1 ? "it" : "them"}`,
      tab: "coverage",
    });
  return found;
}
