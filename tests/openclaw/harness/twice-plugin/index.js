// Makes the host fire `before_tool_call` twice for one call, as it has been seen to do by itself.
// JavaScript, because for TypeScript every gateway loads a compiler first.

import { getGlobalHookRunner } from "openclaw/plugin-sdk/plugin-runtime";

/** @param {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginApi} api */
function register(api) {
  let firing = false;
  api.on("before_tool_call", async (event, ctx) => {
    if (firing || !String(event.params.command).includes("fired-twice")) return;
    firing = true;
    try {
      await getGlobalHookRunner()?.runBeforeToolCall(event, ctx);
      api.logger.info("twice: fired once more");
    } finally {
      firing = false;
    }
  });
}

export default { id: "twice", name: "Twice", description: "Fires hooks twice.", register };
