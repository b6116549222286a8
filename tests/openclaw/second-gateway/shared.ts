// The gateway of the files in this folder. It has all that any of them needs: a channel, a server of tools, and rules of an operator.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { Telegram } from "../harness/telegram.ts";
import { World } from "../harness/world.ts";

const MCP_SERVER = new URL("../harness/mcp-server.js", import.meta.url).pathname;
const RULES = {
  extends: "default",
  rules: [
    // Something slow on resources that tier 4 calls take, to have something in the way of them.
    { name: "on-disk", tier: 3, tool: "exec", commandPattern: "# on disk", contextKey: "disk:main" },
    { name: "on-update", tier: 3, tool: "exec", commandPattern: "# on update", contextKey: "gateway:update.run" },
    { name: "wipe-disk", tier: 4, tool: "exec", commandPattern: "# wipe disk", contextKey: "disk:main" },
    { name: "wire", tier: 4, tool: "exec", command: "wire", contextKey: "bank:account" },
  ],
};

export const scratch = mkdtempSync(join(tmpdir(), "callosum-second-"));
export const mcpOutbox = join(scratch, "outbox.txt");
const mailer = { command: process.execPath, args: [MCP_SERVER, mcpOutbox] };

export const telegram = new Telegram();
let opened: World | undefined;
// Before anything is opened: the gateway may not start.
after(async () => {
  await opened?.close();
  telegram.stop();
  rmSync(scratch, { recursive: true, force: true });
});
const apiRoot = await telegram.start();
export const world = await World.open({
  env: { OPENCLAW_SKIP_CHANNELS: "" },
  plugins: ["telegram"],
  gatewayConfig: { mcp: { servers: { mailer } }, channels: { telegram: { enabled: true, botToken: "1:throw-away", apiRoot } } },
  rules: RULES,
});
opened = world;
