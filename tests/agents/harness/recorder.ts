// A hook that writes down what it is given and allows it, unless the call holds a certain word: to see what a runtime tells its hooks.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RuntimeName } from "./agent.ts";

/** In a tool call's parameters: the hook denies it. */
export const DENIED = "--denied-by-the-hook";
const REASON = "not now, says the hook";

const DENIAL: Record<RuntimeName, { event: string; answer: unknown }> = {
  codex: {
    event: "PreToolUse",
    answer: {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: REASON },
    },
  },
  gemini: { event: "BeforeTool", answer: { decision: "deny", reason: REASON } },
};

/** An event as the runtime told it. */
export interface HookEvent {
  hook_event_name: string;
  session_id: string;
  [field: string]: unknown;
}

export class Recorder {
  readonly #dir: string;
  readonly #program: string;

  constructor(dir: string, runtime: RuntimeName) {
    this.#dir = join(dir, "events");
    this.#program = join(dir, "record");
    mkdirSync(this.#dir, { recursive: true });
    const { event, answer } = DENIAL[runtime];
    const lines = [
      "#!/bin/sh",
      `event=${this.#dir}/$(date +%s%N)-$$.json`,
      // Under another name until it is whole.
      'cat > "$event.part" && mv "$event.part" "$event"',
      `if [ "$1" = ${event} ] && grep -q -e '${DENIED}' "$event"; then echo '${JSON.stringify(answer)}'; fi`,
      "",
    ];
    writeFileSync(this.#program, lines.join("\n"));
    chmodSync(this.#program, 0o755);
  }

  /** The command of a hook for this event. */
  hook(event: string): string {
    return `${this.#program} ${event}`;
  }

  /** The events so far, in the order of their hooks. */
  events(): HookEvent[] {
    return readdirSync(this.#dir)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => JSON.parse(readFileSync(join(this.#dir, name), "utf8")) as HookEvent);
  }
}
