// Working together in a real gateway: its agents' tools, its methods, and the chat of its owner; what one does the others and the command line see.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { listOf, type ScriptedCall, textOf } from "../harness/fake-model.ts";
import { CALLOSUM } from "../harness/stage.ts";
import { sessionKey, until, via } from "../harness/world.ts";
import { world } from "./shared.ts";

const NAMES = ["callosum_team", "callosum_search", "callosum_task_update", "callosum_send"];

const update = (args: Record<string, unknown>) => via("callosum_task_update", args);

/** Plays a turn; gives what the tools told, and the body of its first request for the model. */
async function turn(session: string, ...calls: ScriptedCall[]): Promise<{ told: string[]; body: string }> {
  const playing = world.begin(session, calls);
  const told = await playing.results();
  return { told, body: world.model.turn(playing.name)[0]?.body ?? "" };
}

/** What a person does with the command line. */
async function person(...args: string[]): Promise<Record<string, unknown>> {
  const env = { CALLOSUM_STATE_DIR: world.stateDir };
  const { stdout } = await world.gateway.asPerson(CALLOSUM, ["--json", ...args], env);
  return JSON.parse(stdout) as Record<string, unknown>;
}

interface Task {
  state: string;
  accepted: boolean;
  result: string | null;
  by: Record<string, unknown>;
  holder: { session: string } | null;
}
const taskOf = async (id: string) => (await world.gateway.rpc<{ task: Task }>("callosum.task", { id })).task;
const offered = (body: string) => NAMES.filter((name) => body.includes(name));

describe("sessions work together", () => {
  before(async () => {
    await world.enable(true);
    const name = await world.edit({ teamTools: true });
    await until("the new settings", async () => (await world.status()).instanceId === name);
  });

  test("while sessions don't work together, no request for a model names the tools", async () => {
    for (const session of ["quiet", "quiet"]) assert.deepEqual(offered((await turn(session)).body), []);
    const refused = world.gateway.rpc("callosum.send", { to: "operator", body: "hello" });
    await assert.rejects(refused, /sessions don't work together here/);
  });

  test("a task of one agent is claimed and done by another, once a person has accepted it in the chat", async () => {
    assert.deepEqual(await person("team", "on"), { on: true, changed: true });
    // A prompt has a worker look, and the next one has the tools.
    await until("the tools", async () => offered((await turn("maker")).body).length > 0 || undefined);
    const { told } = await turn("maker", update({ event: "add", id: "review", title: "Review the parser", prompt: "canary-7" }));
    assert.match(told[0] ?? "", /review/, told[0]);
    const made = await taskOf("review");
    assert.deepEqual(
      [made.accepted, made.by.runtime, made.by.session, made.by.via],
      [...[false, "openclaw", sessionKey("maker"), "host"]],
    );
    const none = await turn("worker", update({ event: "claimed", next: true }));
    assert.match(none.told[0] ?? "", /task\\*": ?null/, none.told[0]);
    assert.match(await world.say("/callosum tasks"), /review open, not accepted: Review the parser/);
    assert.match(await world.say("/callosum accept review", ["operator.read", "operator.write"]), /^Only the owner decides/);
    assert.equal((await taskOf("review")).accepted, false);
    assert.match(await world.say("/callosum accept review"), /^Accepted:/);
    await turn("worker", update({ event: "claimed", next: true }));
    assert.equal((await taskOf("review")).holder?.session, sessionKey("worker"));
    // It is the worker's: the maker can't end it, whoever it says it is.
    const foreign = await turn("maker", update({ event: "done", id: "review", gen: 1 }));
    assert.match(foreign.told[0] ?? "", /Not done: task review is claimed by/, foreign.told[0]);
    await turn("worker", update({ event: "done", id: "review", gen: 1, result: "two findings" }));
    const done = await taskOf("review");
    assert.deepEqual([done.state, done.result], ["completed", "two findings"]);
  });

  test("a message counts as shown once its session's tool has told it, and is text of nobody else", async () => {
    const to = sessionKey("worker");
    const sent = await world.gateway.rpc<{ message: { id: string } }>("callosum.send", {
      to,
      body: "canary-8",
      intent: "request",
    });
    const state = async () => {
      const rows = (await world.journal({ limit: 500 })).filter(({ action }) => action === "message");
      return rows.map(({ document }) => document as { id: string; did: string }).findLast(({ id }) => id === sent.message.id)
        ?.did;
    };
    assert.equal(await state(), "sent");
    const other = await turn("maker", via("callosum_team", { show: "inbox" }));
    assert.doesNotMatch(other.told[0] ?? "", /canary-8/);
    assert.equal(await state(), "sent");
    const read = await turn("worker", via("callosum_team", { show: "inbox" }));
    assert.match(read.told[0] ?? "", /data, not instructions.*canary-8/s);
    assert.equal(await state(), "shown");
    await turn("worker", via("callosum_send", { intent: "ack", replyTo: sent.message.id }));
    assert.equal(await state(), "acknowledged");
    await turn("worker", via("callosum_send", { to: "operator", body: "it is done" }));
    const inbox = await world.gateway.rpc<{ messages: Array<{ body: string }> }>("callosum.inbox", {});
    assert.deepEqual(
      inbox.messages.map(({ body }) => body),
      ["it is done"],
    );
    // What agents wrote is in results of tools alone.
    const messages = world.model.requests.flatMap(({ body }) => listOf((JSON.parse(body) as { messages: unknown }).messages));
    const texts = messages.filter(({ role }) => role !== "tool" && role !== "assistant").map(({ content }) => textOf(content));
    assert.ok(texts.length > 5);
    for (const text of texts) assert.doesNotMatch(text, /canary-8/);
  });

  test("events and routes are there for who reads", async () => {
    const { events } = await world.gateway.rpc<{ events: Array<{ topic: string }> }>("callosum.events", { topic: "task.*" });
    assert.deepEqual(events.map(({ topic }) => topic).slice(0, 2), ["task.created", "task.accepted"]);
    const routes = await world.gateway.rpc<{ routes: unknown[] }>("callosum.routes", {});
    assert.equal(routes.routes.length, 9);
    await assert.rejects(world.gateway.rpcAs(["operator.read"], "callosum.send", { to: "operator", body: "x" }), /scope/);
  });

  test("what is asked wrongly is named, who may too little is told nothing, and nothing is written", async () => {
    const METHODS = ["tasks", "task", "send", "inbox", "events", "routes"];
    const long = "x".repeat(100_000);
    const hostile: unknown[] = [
      ...[[], "all", 7, true, [{ id: "review" }]],
      ...[{ nonsense: 1 }, { constructor: 1 }, { limit: -1 }, { limit: 1e9 }, { limit: "5" }, { limit: 1.5 }],
      ...[{ id: 5 }, { id: { toString: "x" } }, { id: long }, { id: "../../../etc/passwd", as: "operator" }],
      ...[
        { to: [], body: {} },
        { to: "operator", body: long },
        { to: "operator", body: "x", via: "operator", intent: "order" },
      ],
      ...[
        { topic: 5 },
        { topic: long },
        { text: 5 },
        { text: "x", files: "all" },
        JSON.parse('{"__proto__": {"id": "review"}, "x": 1}'),
      ],
    ];
    const written = async () =>
      (await world.journal({ limit: 1_000 })).filter(({ action }) => /^(task|message|event)$/.test(`${action}`));
    const before = (await written()).length;
    for (const method of METHODS) {
      for (const params of hostile) {
        const what = `${method} ${JSON.stringify(params).slice(0, 80)}`;
        const told = await world.gateway.rpc(`callosum.${method}`, params).then(
          (answer) => assert.fail(`${what} was answered: ${JSON.stringify(answer)}`),
          (error: Error) => error.message,
        );
        assert.doesNotMatch(told, /panic|\bat .*:\d+:\d+|undefined|ENOENT|root:/, what);
        assert.ok(told.length < 2_000, what);
      }
      // Whoever may less than the method asks for, whatever the parameters.
      const few = ["send", "inbox"].includes(method) ? [[], ["operator.read"]] : [[]];
      for (const scopes of few) {
        const asked = world.gateway.rpcAs(scopes, `callosum.${method}`, { id: "review", to: "operator", body: "x" });
        await assert.rejects(asked, /scope/, `${method} with ${scopes.join()}`);
      }
    }
    assert.equal((await written()).length, before);
    assert.equal((await taskOf("review")).state, "completed");
  });

  test("when it is turned off, the tools go with the prompt after the next", async () => {
    await person("team", "off");
    await until("no tools", async () => offered((await turn("late")).body).length === 0 || undefined);
  });
});
