// Every client with the real service: a task from one session to another, messages, and what is refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DRIVERS, endDrivers } from "./harness/drivers.ts";
import { Service } from "./harness/service.ts";

const service = new Service();
let token = "";
before(async () => {
  await service.start();
  token = service.token("agents");
});
after(async () => {
  await endDrivers();
  await service.remove();
});

interface Told {
  task: { id: string; state: string; gen: number; result: string | null } | null;
  tasks: Array<{ id: string }>;
  message: { id: string };
  messages: Array<{ body: string; state: string }>;
}

for (const { name, open } of DRIVERS)
  test(`${name}: a task goes from one session to another, and both write to each other`, { timeout: 120_000 }, async () => {
    const id = `task-${name}`.replaceAll(/[^a-z]+/gi, "-");
    const person = open({ url: service.socket });
    const client = open({ url: service.url, token });
    const team = async (verb: string, request: Record<string, unknown>, by = client) => {
      const { value, error } = await by.call("team", [verb], request);
      assert.equal(error, undefined, `${verb}: ${error?.message}`);
      return value as Told;
    };
    const refused = async (verb: string, request: Record<string, unknown>) => {
      const { error } = await client.call("team", [verb], request);
      return [error?.status, error?.code];
    };
    try {
      await team("add", { title: "it is on", id: `first-${id}` }, person);
      await team("add", { title: "look", id, session: "maker" });
      assert.deepEqual(await refused("accept", { id }), [403, "forbidden"]);
      await team("accept", { id }, person);
      assert.equal((await team("claim", { id, session: "worker" })).task?.gen, 1);
      assert.deepEqual(await refused("claim", { id, session: "maker" }), [409, "claimed"]);
      assert.deepEqual(await refused("done", { id, gen: 1, session: "maker" }), [403, "not-yours"]);
      await team("beat", { id, gen: 1, session: "worker" });
      assert.equal((await team("done", { id, gen: 1, session: "worker", result: "seen" })).task?.state, "completed");
      assert.equal((await team("task", { id })).task?.result, "seen");
      assert.deepEqual((await team("tasks", { limit: 1 })).tasks.length, 1);
      const sent = await team("send", { to: "http/agents/worker", body: `to ${name}`, session: `maker-${name}` });
      const { messages } = await team("inbox", { session: "worker" });
      assert.deepEqual([messages[0]?.body, messages[0]?.state], [`to ${name}`, "sent"]);
      await team("shown", { ids: [sent.message.id], session: "worker" });
      await team("send", { intent: "ack", replyTo: sent.message.id, session: "worker" });
      assert.equal((await team("inbox", { session: "worker", limit: 1 })).messages[0]?.state, "acknowledged");
      await team("publish", { topic: "calc.discovery", data: { body: name }, session: "worker" });
      const { error } = await client.call("team", ["done"], { gen: 1 });
      assert.match(error?.message ?? "", /needs the `id` of a task/);
    } finally {
      await Promise.all([client.close(), person.close()]);
    }
  });
