// A Node process that makes calls of tiers 0 to 3 on a state directory without a pause, until it is told to end.

import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { type Answer, Gate } from "../../plugin/native/binding.js";
import type { Hammered } from "./processes.ts";

const [name = "nobody", config = "{}"] = process.argv.slice(2);
const gate = new Gate({ config, runtime: "node", hostName: "stops", hostStateDir: "/stops" });
const TOOLS = ["look", "side-1", "side-2", "side-1", "side-2"];
const done: Hammered = { calls: 0, refused: 0 };
let ending = false;

async function settled(answer: Answer | null): Promise<Answer | null> {
  return answer?.ticket === undefined ? answer : gate.finish(answer.ticket);
}

async function call(tool: string, params: object): Promise<void> {
  done.calls += 1;
  const id = `${name}-${done.calls}`;
  const answer = await settled(gate.before(tool, null, null, name, "run", id, null, params));
  if (answer?.refuse !== undefined) done.refused += 1;
  const ended = answer?.refuse === undefined ? "ok" : "refused";
  await settled(gate.after(tool, null, name, "run", id, params, ended, 0, null));
}

void once(process.stdin, "data").then(() => {
  ending = true;
});
await call("look", { name });
process.stdout.write("{}\n");
for (let round = 0; !ending; round += 1) {
  for (const tool of TOOLS) await call(tool, { name });
  if (round % 10 === 0) await call("send", { to: `${name}-${round % 500}@example.com` });
  await turn();
}
await gate.maintain();
await gate.close();
process.stdout.write(`${JSON.stringify(done)}\n`);
process.stdin.destroy();
