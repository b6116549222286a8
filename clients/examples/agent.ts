// An agent's loop in TypeScript whose tools are behind the gate. Two sessions refund the same customer at the same moment: one does it, the other is
// told. The model is scripted; everything else is real.
//
//     callosum serve &
//     node clients/examples/agent.ts          # with the package `callosum` installed, on Node 22.18 or newer
//
// `CALLOSUM_URL` and `CALLOSUM_TOKEN` name a service elsewhere.

import { setTimeout as sleep } from "node:timers/promises";
import { CallosumClient, Refused } from "callosum/client";

type Arguments = Record<string, string | number>;
type Tool = (input: Arguments) => Promise<string>;

const { CALLOSUM_URL: url, CALLOSUM_TOKEN: token } = process.env;
const client = new CallosumClient({ ...(url && { url }), ...(token && { token }) });
const refunds: Arguments[] = [];

const tools: Record<string, Tool> = {
  create_refund: async (input) => {
    await sleep(200);
    refunds.push(input);
    return `refunded ${input.amount} to ${input.customer}`;
  },
};

/** Where a real agent calls its model: it asks for one tool, and is done once it has read the answer. */
function* model(): Generator<{ name: string; input: Arguments }, void, string> {
  const answer = yield { name: "create_refund", input: { customer: "c-17", amount: 20 } };
  console.log(`  the model reads: ${answer.split("\n")[0]}`);
}

async function run(session: string): Promise<void> {
  const asking = model();
  for (let step = asking.next(); !step.done; ) {
    const { name, input } = step.value;
    const tool = tools[name];
    if (tool === undefined) throw new Error(`there is no tool "${name}"`);
    const answer = await client
      .guard(name, input, () => tool(input), { session })
      // What the gate refuses is an answer like any other: the model reads it.
      .catch((error: unknown) => {
        if (error instanceof Refused) return error.text;
        throw error;
      });
    step = asking.next(answer);
  }
}

await Promise.all([run("support-chat"), run("nightly-run")]);
console.log(`${refunds.length} refund went out`);
client.close();
