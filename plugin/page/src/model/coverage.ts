// Whether the gate sees the calls: what each runtime's hooks counted.

import { msOf } from "./times.ts";
import type { HookCounts, Uncovered } from "./wire.ts";

interface Runtime {
  id: string;
  name: string;
  join: string;
  /** It ignores hooks that nobody has trusted in it. */
  needsTrust?: boolean;
}

/** The runtimes that can pass the gate, and how they join. */
export const RUNTIMES: readonly Runtime[] = [
  { id: "openclaw", name: "OpenClaw", join: "openclaw plugins install --link dist/callosum --force --accept-capabilities" },
  { id: "claude-code", name: "Claude Code", join: "callosum install claude-code" },
  { id: "codex", name: "Codex", join: "callosum install codex", needsTrust: true },
  { id: "gemini", name: "Gemini CLI", join: "callosum install gemini" },
];

/** Whether a runtime tells when a model has read what it was answered. */
export function tellsReading(runtime: string | undefined): boolean {
  return runtime === "openclaw";
}

export interface ToolCoverage extends HookCounts {
  tool: string;
  /** After-hooks are far fewer than before-hooks: outcomes get lost. */
  lacking: boolean;
}

export interface RuntimeCoverage {
  id: string;
  name: string;
  /** How to have it join; undefined where it is none that Callosum knows. */
  join: string | undefined;
  /** It ignores hooks that nobody has trusted in it. */
  needsTrust: boolean;
  tools: ToolCoverage[];
  before: number;
  after: number;
  paused: number;
  /** Wall-clock milliseconds; `NaN` when it was never seen. */
  last: number;
}

/**
 * Of so many calls a few may still be running; of more than a fifth without an end the hook is the likelier reason. A call that was paused never
 * began. `callosum doctor` judges alike.
 */
export function isLacking({ before, after, paused = 0 }: { before: number; after: number; paused?: number }): boolean {
  const began = before - paused;
  return began >= 10 && after < began * 0.8;
}

/** All runtimes, those seen first; the tools of each by how often they were called. */
export function coverageOf(given: Record<string, Record<string, HookCounts>>): RuntimeCoverage[] {
  const ids = [...Object.keys(given), ...RUNTIMES.map((runtime) => runtime.id).filter((id) => !Object.hasOwn(given, id))];
  return ids.map((id) => {
    const known = RUNTIMES.find((runtime) => runtime.id === id);
    const tools = Object.entries(given[id] ?? {}).map(([tool, counts]) => ({ tool, ...counts, lacking: isLacking(counts) }));
    tools.sort((one, other) => other.before + other.after - one.before - one.after || (one.tool < other.tool ? -1 : 1));
    return {
      id,
      name: known?.name ?? id,
      join: known?.join,
      needsTrust: known?.needsTrust ?? false,
      tools,
      before: tools.reduce((sum, tool) => sum + tool.before, 0),
      after: tools.reduce((sum, tool) => sum + tool.after, 0),
      paused: tools.reduce((sum, tool) => sum + tool.paused, 0),
      last: tools.length === 0 ? Number.NaN : Math.max(...tools.map((tool) => msOf(tool.last))),
    };
  });
}

export interface UncoveredLists {
  /** Those that sound like an effect outside. */
  effects: Uncovered[];
  /** The most used of the rest. */
  others: Uncovered[];
  /** How many more of the rest there are. */
  more: number;
}

const MOST_OTHERS = 20;

/** What was seen without a rule, as it is listed. */
export function uncoveredOf(given: Uncovered[]): UncoveredLists {
  const effects = given.filter((entry) => entry.verb !== undefined);
  const others = given.filter((entry) => entry.verb === undefined);
  return { effects, others: others.slice(0, MOST_OTHERS), more: Math.max(0, others.length - MOST_OTHERS) };
}
