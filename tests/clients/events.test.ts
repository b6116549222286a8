// Streams of events: cut anywhere, broken and resumed, in every client, against a server that answers as it is told to.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, test } from "node:test";
import { type Client, DRIVERS, endDrivers } from "./harness/drivers.ts";
import { json, Scripted } from "./harness/scripted.ts";

after(endDrivers);

/** What never comes is a failure, and not a test without an end. */
const LIMIT = { timeout: 120_000 };

/** A test with each client, at a server of its own. */
function withEach(title: string, body: (server: Scripted, client: Client) => Promise<void>): void {
  for (const { name, open } of DRIVERS)
    test(`${name}: ${title}`, LIMIT, async () => {
      const server = await Scripted.start(() => undefined);
      const client = open({ url: server.url, token: "t-1" });
      try {
        await body(server, client);
      } finally {
        await client.close();
        await server.stop();
      }
    });
}

function opened(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return response;
}

const event = (seq: number, more = {}) => `id: j:${seq}\ndata: ${JSON.stringify({ seq, topic: "call.ended", data: more })}\n\n`;

withEach("a stream that breaks goes on where it ended, and is asked for what it was asked for", async (server, client) => {
  const pieces = [event(1) + event(2), `${event(3)}id: j:9\ndata: {"seq":`, event(4)];
  server.reply(({ path }, response) => {
    assert.match(path, /^\/v1\/events/);
    const piece = pieces.shift();
    if (piece === undefined) return void opened(response);
    opened(response).write(piece, () => response.socket?.end());
  });
  const stream = client.events({ topic: "call.*", key: "email:*", after: "j:0" });
  for (const seq of [1, 2, 3, 4]) {
    const { value } = await stream.next();
    assert.deepEqual(value, { seq, topic: "call.ended", data: {}, cursor: `j:${seq}` });
  }
  await server.until((seen) => seen.length >= 4);
  const asked = server.seen.slice(0, 4).map(({ path, headers }) => [path.replaceAll("%2A", "*"), headers["last-event-id"]]);
  assert.deepEqual(asked, [
    ["/v1/events?topic=call.*&key=email%3A*&after=j%3A0", undefined],
    ["/v1/events?topic=call.*&key=email%3A*", "j:2"],
    // The event that broke off in the middle was never told.
    ["/v1/events?topic=call.*&key=email%3A*", "j:3"],
    ["/v1/events?topic=call.*&key=email%3A*", "j:4"],
  ]);
  assert.equal(server.seen[0]?.headers.accept, "text/event-stream");
  assert.equal(server.seen[0]?.headers.authorization, "Bearer t-1");
});

withEach("events are the same however the bytes are cut", async (server, client) => {
  const text = `\ufeff: hello\r\n\r\nid: j:1\r\nevent: call\r\ndata: {"seq":1,\r\ndata: "data":{"text":"héllo 🙂"}}\r\n\r\nid: j:2\n\n:\n\nid: j:3\rdata:{"gap":{"from":1,"to":3}}\r\r: end\n`;
  server.reply(async (_, response) => {
    opened(response);
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const stream = client.events();
  assert.deepEqual((await stream.next()).value, { seq: 1, data: { text: "héllo 🙂" }, cursor: "j:1" });
  assert.deepEqual((await stream.next()).value, { gap: { from: 1, to: 3 }, cursor: "j:3" });
});

withEach("a place that was told without an event is kept too", async (server, client) => {
  server.reply((_, response) => opened(response).write("id: j:7\n\n", () => response.socket?.end()));
  client.events();
  await server.until((seen) => seen.length >= 2);
  assert.equal(server.seen[1]?.headers["last-event-id"], "j:7");
});

withEach("a service that is away for a while is waited for; one that says no ends the stream", async (server, client) => {
  const answers: Array<(response: ServerResponse) => void> = [
    (response) => opened(response).end(event(1)),
    (response) => json(response, { error: { code: "cannot-write", message: "full" } }, 503),
    (response) => response.destroy(),
    (response) => opened(response).end(event(2)),
    (response) => json(response, { error: { code: "unidentified", message: "revoked" } }, 401),
  ];
  server.reply((_, response) => answers.shift()?.(response));
  const stream = client.events();
  assert.equal(((await stream.next()).value as { seq: number }).seq, 1);
  assert.equal(((await stream.next()).value as { seq: number }).seq, 2);
  const { error } = await stream.next();
  assert.equal(error?.status, 401);
  assert.match(error?.message ?? "", /revoked/);
  assert.equal(server.seen.length, 5);
});

withEach("what is no stream, and an event that is no JSON, are told", async (server, client) => {
  server.reply((_, response) => json(response, { ok: true }));
  const { error } = await client.events().next();
  assert.equal(error?.kind, "ServiceError");
  server.reply((_, response) => opened(response).write("id: j:1\ndata: {oops\n\n"));
  assert.match((await client.events().next()).error?.message ?? "", /the event j:1 .*\{oops/);
});

withEach(
  "a client that is closed ends its streams, the silent ones and those that wait for the service",
  async (server, client) => {
    server.reply((_, response) => opened(response).write(event(1)));
    const silent = client.events();
    assert.equal(((await silent.next()).value as { seq: number }).seq, 1);
    server.reply((_, response) => opened(response).end(event(1)));
    const waiting = client.events();
    await waiting.next();
    server.reply((_, response) => json(response, {}, 503, { "retry-after": "1" }));
    await server.until((seen) => seen.length >= 3);
    await client.close();
    assert.equal((await silent.next()).value, "the stream ended");
    // What came before the end is told.
    let last: unknown;
    while (last !== "the stream ended") last = (await waiting.next()).value;
  },
);

withEach("a wait that is longer than a timer takes is a long one", async (server, client) => {
  server.reply((_, response) => {
    if (server.seen.length === 1) opened(response).write(event(1), () => response.socket?.end());
    else json(response, { error: { code: "busy", message: "come again" } }, 503, { "retry-after": "3000000" });
  });
  assert.equal(((await client.events().next()).value as { seq: number }).seq, 1);
  await server.until((seen) => seen.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(server.seen.length, 2);
});
