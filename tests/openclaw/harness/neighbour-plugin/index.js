// Another plugin that has its own say about tool calls, before and after ours. The command itself says what is to happen: a test
// writes `refuse-before`, `ask-after`, `throw-after`, or `rewrite-before:from=to` somewhere in it.
// JavaScript, because for TypeScript every gateway loads a compiler first.

const REWRITE = /rewrite-(before|after):(\S+?)=(\S+)/;

/** @param {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginApi} api */
function register(api) {
  for (const [when, priority] of /** @type {const} */ ([
    ["before", 0],
    ["after", -2000],
  ])) {
    api.on(
      "before_tool_call",
      (event) => {
        const { command } = event.params;
        if (typeof command !== "string") return undefined;
        if (command.includes(`refuse-${when}`)) return { block: true, blockReason: `the neighbour ${when} refuses` };
        if (command.includes(`throw-${when}`)) throw new Error(`the neighbour ${when} breaks`);
        if (command.includes(`ask-${when}`)) {
          return { requireApproval: { title: "May it?", description: "Nobody is there to answer.", timeoutMs: 1000 } };
        }
        const [, at, from = "", to = ""] = REWRITE.exec(command) ?? [];
        return at === when
          ? { params: { ...event.params, command: command.replace(REWRITE, "").replaceAll(from, to) } }
          : undefined;
      },
      { priority },
    );
  }
}

export default { id: "neighbour", name: "Neighbour", description: "Refuses, asks, throws and rewrites.", register };
