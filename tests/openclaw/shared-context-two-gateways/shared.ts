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
const opened: World[] = [];
// Before anything is opened: the second gateway may not start.
after(async () => {
  for (const world of opened) await world.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

async function open(): Promise<World> {
  const world = await World.open(options);
  opened.push(world);
  return world;
}

export const one = await open();
export const two = await open();
