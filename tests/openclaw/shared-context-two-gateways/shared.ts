// The gateways of the files in this folder: two of one person, who both have the shared context.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { World } from "../harness/world.ts";

export const home = realpathSync(mkdtempSync(join(tmpdir(), "callosum-two-")));
/** Where the shared context lies as long as no setting names another folder. */
export const usual = join(home, ".openclaw", "workspace", "shared-context");

const options = { home, tools: { alsoAllow: ["callosum"] }, config: { sharedContextEnabled: true } };
export const one = await World.open(options);
export const two = await World.open(options);
after(async () => {
  await one.close();
  await two.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});
