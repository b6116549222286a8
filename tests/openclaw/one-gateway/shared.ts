// The gateway of the files in this folder. To start one takes the machine longer than most of them.

import { after } from "node:test";
import { World } from "../harness/world.ts";

/** One setting has a wrong value: the gate must hold all the same, with the default in its place. */
export const world = await World.open({ config: { retryWindowMs: "soon" } });
after(() => world.close());
