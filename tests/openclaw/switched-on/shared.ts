// The gateway of the files in this folder: its plugin is at default settings, and its agents may call the plugin's tools directly.

import { after } from "node:test";
import { World } from "../harness/world.ts";

export const world = await World.open({ tools: { alsoAllow: ["callosum"] } });
after(() => world.close());
