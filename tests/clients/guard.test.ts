// What `guard` tells the service and its caller, in every client, against a server that answers as it is told to.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CallosumClient } from "../../clients/typescript/src/index.ts";
import { type Client, DRIVERS, endDrivers } from "./harness/drivers.ts";
import { ALLOWING, json, Scripted } from "./harness/scripted.ts";

const MAIL = { to: "alice@example.com" };

after(endDrivers);

/** What never comes is a failure, and not a test without an end. */
const LIMIT = { timeout: 120_000 };

/** A test with each client, at a server of its own. */
function withEach(
  title: string,
  body: (server: Scripted, open: (more?: { timeoutMs?: number }) => Client, name: string) => Promise<void>,
): void {
  for (const { name, open } of DRIVERS)
    test(`${name}: ${title}`, LIMIT, async () => {
      const server = await Scripted.start(ALLOWING);
      const clients: Client[] = [];
      const opened = (more = {}) => {
        const client = open({ url: server.url, token: "t-1", ...more });
        clients.push(client);
        return client;
      };
      try {
        await body(server, opened, name);
      } finally {
        await Promise.all(clients.map((client) => client.close()));
        await server.stop();
      }
    });
}

withEach("a call that is allowed runs between the question and the outcome, under one id", async (server, open) => {
  const options = { session: "one", agent: "writer", cwd: "/srv", runtime: "graph" };
  const call = open().guard("mail", MAIL, options);
  await call.started;
  assert.deepEqual(
    server.seen.map(({ path }) => path),
    ["/v1/before"],
  );
  call.finish({ returns: { sent: 1 } });
  assert.deepEqual((await call.result).value, { sent: 1 });
  const [before, after] = server.seen;
  assert.match(String(before?.body.call), /^[0-9a-f-]{36}$/);
  assert.deepEqual(before?.body, { tool: "mail", params: MAIL, ...options, call: before?.body.call });
  assert.deepEqual(after?.body, { call: before?.body.call, session: "one", outcome: "complete" });
  assert.equal(after?.path, "/v1/after");
  for (const { headers } of server.seen) {
    assert.equal(headers.authorization, "Bearer t-1");
    assert.equal(headers["content-type"], "application/json");
  }
});

for (const verdict of ["pause", "block", "refuse"])
  withEach(`a call that gets "${verdict}" does not run, and its error has all that the service said`, async (server, open) => {
    const said = {
      ...{ verdict, tier: 4, contextKeys: ["email:alice"], call: "c-9", text: "[Callosum] was already acted on" },
      ...{
        evidence: [{ tool: "mail" }],
        expiresAt: "2026-01-01T00:00:00.000Z",
        ...(verdict === "refuse" && { reason: "policy" }),
      },
    };
    server.reply((_, response) => json(response, said));
    const call = open().guard("mail", MAIL, { session: "one" });
    const { error } = await Promise.race([call.result, call.started.then(() => assert.fail("it ran"))]);
    assert.equal(error?.kind, verdict === "refuse" ? "Refused" : "Paused");
    assert.equal(error.message, said.text);
    const { kind, message, name, answer, ...rest } = error as typeof error & { name?: string; answer?: unknown };
    assert.deepEqual(
      { ...rest, reason: rest.reason ?? undefined },
      { ...said, reason: verdict === "refuse" ? "policy" : undefined },
    );
    assert.equal(server.seen.length, 1, "nothing is told of a call that was never let through, and it is not asked again");
  });

withEach("a verdict of a newer service lets nothing run", async (server, open) => {
  server.reply((_, response) => json(response, { verdict: "perhaps", tier: 3, contextKeys: [], call: "c" }));
  const { error } = await open().guard("mail", MAIL).result;
  assert.equal(error?.kind, "Refused");
  assert.match(error.message, /perhaps/);
});

withEach(
  "an error of the function comes out as it is, and leaves the outcome unknown unless it proves the opposite",
  async (server, open) => {
    const client = open();
    for (const [how, outcome] of [
      [{ raises: "broke off" }, "unknown"],
      [{ raises: "no such host", proved: true }, "failed"],
    ] as const) {
      const call = client.guard("mail", MAIL);
      await call.started;
      call.finish(how);
      const { error } = await call.result;
      assert.equal(error?.message, how.raises);
      const { body } = server.seen.at(-1) ?? {};
      assert.equal(body?.outcome, outcome);
      assert.match(String(body?.error), new RegExp(how.raises));
    }
  },
);

withEach("an outcome that did not arrive is told again, and the call is not", async (server, open) => {
  let refusals = 0;
  server.reply((seen, response, socket) => {
    if (seen.path === "/v1/after" && refusals < 4) {
      refusals += 1;
      if (refusals === 1) socket.destroy();
      else if (refusals === 2) json(response, { error: { code: "cannot-write", message: "full" } }, 503, { "retry-after": "0" });
      // A proxy in between, whose service is started anew.
      else json(response, {}, refusals === 3 ? 502 : 504);
    } else ALLOWING(seen, response, socket);
  });
  const call = open().guard("mail", MAIL);
  await call.started;
  call.finish({ returns: "sent" });
  assert.deepEqual((await call.result).value, "sent");
  assert.equal(server.seen.filter(({ path }) => path === "/v1/before").length, 1);
  const told = server.seen.filter(({ path }) => path === "/v1/after");
  assert.ok(told.length >= 5);
  for (const { body } of told) assert.deepEqual(body, told[0]?.body);
});

withEach("an outcome that can't be told is said aloud, and the call's result is not lost", async (server, open) => {
  server.reply((seen, response, socket) => {
    if (seen.path === "/v1/before") ALLOWING(seen, response, socket);
    else json(response, { error: { code: "unknown", message: "no such call" } }, 404);
  });
  const client = open();
  const call = client.guard("mail", MAIL);
  await call.started;
  call.finish({ returns: "sent" });
  assert.deepEqual((await call.result).value, "sent");
  // Node warns a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(client.said(), /the outcome "complete" of the call [0-9a-f-]+ could not be told.*no such call/);
});

withEach(
  "a verdict that is lost on its way runs nothing, and the call that may have been let through is told to be refused",
  async (server, open) => {
    server.reply((seen, response, socket) => (seen.path === "/v1/before" ? socket.destroy() : ALLOWING(seen, response, socket)));
    const client = open();
    const { error } = await client.guard("mail", MAIL).result;
    assert.equal(error?.kind, "ServiceUnreachable");
    assert.equal(error.mayHaveArrived, true);
    await server.until((seen) => seen.some(({ path }) => path === "/v1/after"));
    const { call } = server.seen[0]?.body ?? {};
    assert.deepEqual(server.seen.at(-1)?.body, { call, outcome: "refused" });

    // Who chose the id may ask again with it: of a question that never arrived the service knows nothing.
    const before = server.seen.length;
    assert.equal((await client.guard("mail", MAIL, { call: "mine" }).result).error?.kind, "ServiceUnreachable");
    server.reply(ALLOWING);
    const again = client.guard("mail", MAIL, { call: "mine" });
    await again.started;
    again.finish({ returns: 1 });
    assert.equal((await again.result).value, 1);
    const outcomes = server.seen.slice(before).filter(({ path }) => path === "/v1/after");
    assert.deepEqual(
      outcomes.map(({ body }) => body),
      [{ call: "mine", outcome: "complete" }],
    );
  },
);

withEach("a verdict that the service did not wait for is taken for a lost one, and a plain no is not", async (server, open) => {
  const client = open();
  const refuse = (status: number, document: object) =>
    server.reply((seen, response, socket) =>
      seen.path === "/v1/before" ? json(response, document, status) : ALLOWING(seen, response, socket),
    );
  const error = { code: "timed-out", message: "the request was not answered within 15 s", remedy: "send it again" };
  refuse(503, { error: { ...error, code: "busy" } });
  assert.equal((await client.guard("mail", MAIL).result).error?.kind, "ServiceError");
  const refused = {
    verdict: "refuse",
    reason: "state",
    tier: 3,
    contextKeys: ["email:alice"],
    call: "c-1",
    text: "can't be checked",
  };
  refuse(503, { error: { ...error, code: "cannot-write" }, ...refused });
  const { kind, message, verdict, reason, tier, contextKeys, call } =
    (await client.guard("mail", MAIL).result).error ?? assert.fail("it ran");
  assert.deepEqual({ kind, text: message, verdict, reason, tier, contextKeys, call }, { kind: "Refused", ...refused });
  refuse(503, { error });
  assert.equal((await client.guard("mail", MAIL).result).error?.kind, "ServiceError");
  await server.until((seen) => seen.some(({ path }) => path === "/v1/after"));
  assert.deepEqual(
    server.seen.map(({ path }) => path),
    ["/v1/before", "/v1/before", "/v1/before", "/v1/after"],
  );
  assert.deepEqual(server.seen[3]?.body, { call: server.seen[2]?.body.call, outcome: "refused" });
});

withEach("the lease of a call is renewed while it runs, by the service's clock, and not after it", async (server, open) => {
  // Far from this machine's clock: a client that took its own would find the lease endless.
  const now = Date.parse("2091-01-01T00:00:00Z");
  const headers = { date: new Date(now).toUTCString() };
  const expiresAt = new Date(now + 2_000).toISOString();
  server.reply(({ path, body }, response) =>
    json(
      response,
      path === "/v1/before" ? { verdict: "allow", tier: 3, contextKeys: [], call: body.call, expiresAt } : { expiresAt },
      200,
      headers,
    ),
  );
  const client = open();
  const call = client.guard("mail", MAIL);
  await call.started;
  await server.until((seen) => seen.filter(({ path }) => path === "/v1/extend").length >= 2);
  call.finish({ returns: 1 });
  assert.equal((await call.result).value, 1);
  assert.equal(server.seen.at(-1)?.path, "/v1/after");
  for (const { body } of server.seen) assert.equal(body.call, server.seen[0]?.body.call);
  assert.equal(client.said().includes("could not"), false);
});

withEach("an answer in another protocol is none, whatever it says: nothing runs, and no stream begins", async (server, open) => {
  const client = open();
  const speak = (protocol: string) =>
    server.reply(({ path, body }, response) => {
      const headers = { "x-callosum-protocol": protocol };
      if (path !== "/v1/events")
        return json(response, { verdict: "allow", tier: 3, contextKeys: [], call: body.call, ok: true }, 200, headers);
      response.writeHead(200, { "content-type": "text/event-stream", ...headers });
      response.write('id: 1\ndata: {"topic":"call.started"}\n\n');
    });
  speak("1");
  const known = client.guard("mail", MAIL);
  await known.started;
  known.finish({ returns: 1 });
  assert.equal((await known.result).value, 1);
  assert.equal((await client.events().next()).error, undefined);
  speak("2");
  const asked = server.seen.length;
  const call = client.guard("mail", MAIL);
  const { error } = await Promise.race([call.result, call.started.then(() => assert.fail("it ran"))]);
  const streamed = await client.events().next();
  for (const told of [error, streamed.error]) {
    assert.equal(told?.kind, "ServiceError", JSON.stringify(streamed));
    assert.match(told.message, /speaks protocol "2", and this client speaks 1\. Update/);
  }
  assert.deepEqual(
    server.seen.slice(asked).map(({ path }) => path),
    ["/v1/before", "/v1/events"],
  );
});

withEach("a call whose id was allowed before does not run again, and its model is told how it stands", async (server, open) => {
  const client = open();
  for (const [verdict, earlier, said] of [
    ["allow", "running", /allowed before, and may be running. It was not run again/],
    ["allow", "complete", /is complete. It was not run again/],
    ["block", "complete", /is complete. It was not run again/],
    ["allow", "unknown", /nobody knows whether it was done/],
  ] as const) {
    server.reply(({ body }, response) =>
      json(response, { verdict, tier: 3, contextKeys: [], call: body.call, text: "[Callosum] held" }, 200, {
        "x-callosum-earlier": earlier,
      }),
    );
    const call = client.guard("mail", MAIL, { call: "c-1" });
    const { error } = await Promise.race([call.result, call.started.then(() => assert.fail("it ran"))]);
    assert.equal(error?.kind, "Repeated");
    assert.match(error.text ?? "", said);
  }
  assert.ok(server.seen.every(({ path }) => path === "/v1/before"));
  // One that had lost its lease has it again: nobody runs it, so it is given up.
  server.reply(({ body }, response) => {
    const expiresAt = new Date(Date.now() + 300_000).toISOString();
    json(response, { verdict: "allow", tier: 4, contextKeys: [], call: body.call, expiresAt }, 200, {
      "x-callosum-earlier": "unknown",
    });
  });
  assert.equal((await client.guard("mail", MAIL, { call: "c-2" }).result).error?.kind, "Repeated");
  await server.until((seen) => seen.some(({ path }) => path === "/v1/after"));
  const { call: givenUp, outcome } = server.seen.at(-1)?.body ?? {};
  assert.deepEqual([givenUp, outcome], ["c-2", "unknown"]);
  // An id that the client made is its own: then it was this request that came twice.
  server.reply(({ body }, response) =>
    json(response, { verdict: "allow", tier: 3, contextKeys: [], call: body.call }, 200, { "x-callosum-earlier": "running" }),
  );
  const own = client.guard("mail", MAIL);
  await own.started;
  own.finish({ returns: 1 });
  assert.equal((await own.result).value, 1);
});

withEach("a client that was closed asks nothing any more, and says so", async (server, open) => {
  const client = open();
  assert.equal((await client.call("delivered", ["c-1"])).error, undefined);
  await client.close();
  for (const { error } of [await client.call("delivered", ["c-1"]), await client.events().next()]) {
    assert.equal(error?.kind, "CallosumError");
    assert.match(error.message, /is closed/);
  }
  assert.equal(server.seen.length, 1);
});

test("what `intercept` answered is what `complete` takes, by its types, too", LIMIT, async () => {
  const server = await Scripted.start((_, response) =>
    json(response, { proceed: true, tier: 3, contextKey: "email:a", contextKeys: ["email:a"], call: "c-7", ok: true }),
  );
  const client = new CallosumClient({ url: server.url, instance: "doug" });
  try {
    const { contextKey, call } = await client.intercept("mail", "send", MAIL);
    await client.complete(contextKey, {}, { id: call });
    assert.deepEqual(server.seen[1]?.body, { instance: "doug", contextKey: "email:a", result: {}, id: "c-7" });
  } finally {
    client.close();
    await server.stop();
  }
});

test("a field of a question that is undefined is not sent", LIMIT, async () => {
  const server = await Scripted.start((_, response) => json(response, { tasks: [] }));
  const client = new CallosumClient({ url: server.url });
  try {
    await client.team("tasks", { state: undefined, limit: 3 });
    assert.equal(server.seen[0]?.path, "/v1/tasks?limit=3");
  } finally {
    client.close();
    await server.stop();
  }
});

test("TypeScript: an error whose text is cut in the middle of a character is told", LIMIT, async () => {
  const server = await Scripted.start(ALLOWING);
  const client = new CallosumClient({ url: server.url, token: "t-1" });
  try {
    const fails = client.guard(
      "mail",
      MAIL,
      () => {
        throw new Error(`${"x".repeat(992)}${"\u{1f600}".repeat(10)}`);
      },
      { session: "one", notDone: () => true },
    );
    await assert.rejects(fails, /^Error: x/);
    const told = server.seen.find(({ path }) => path === "/v1/after")?.body;
    assert.equal(told?.outcome, "failed");
    assert.ok(String(told?.error).isWellFormed());
  } finally {
    await client.close();
    await server.stop();
  }
});

test("TypeScript: whatever a call gave, its end is told, and whether that is an error", LIMIT, async () => {
  const server = await Scripted.start((_, response) => json(response, { ok: true }));
  const client = new CallosumClient({ url: server.url, instance: "doug" });
  class Receipt {
    readonly error = "cut off";
  }
  try {
    for (const result of [
      { id: 7 },
      new Map(),
      new Error("cut off"),
      new Receipt(),
      { error: 1n },
      1n,
      undefined,
      { text: "x".repeat(2_000_000), error: `y${"z".repeat(5_000)}` },
      { text: "\ud800" },
      JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`),
    ])
      await client.complete("email:a", result);
    assert.deepEqual(
      server.seen.map(({ body }) => body.result),
      [
        { id: 7 },
        {},
        { error: "Error: cut off" },
        { error: "cut off" },
        { error: "1" },
        {},
        undefined,
        { error: `y${"z".repeat(999)}` },
        {},
        {},
      ],
    );
  } finally {
    client.close();
    await server.stop();
  }
});

test("TypeScript: parameters of which JSON keeps less than they say ask nothing", LIMIT, async () => {
  const server = await Scripted.start(ALLOWING);
  const client = new CallosumClient({ url: server.url, token: "t-1" });
  class Mail {
    get to(): string {
      return "alice@example.com";
    }
  }
  try {
    for (const params of [undefined, new Map([["to", "alice@example.com"]]), new Mail(), ["alice"], { toJSON: () => ({}) }]) {
      const asked = client.guard("mail", params as unknown as typeof MAIL, () => assert.fail("it ran"), { session: "one" });
      await assert.rejects(asked, /`params` has to be a plain object/);
    }
    for (const [to, what] of [
      [Number.NaN, "NaN"],
      [Number.POSITIVE_INFINITY, "Infinity"],
      [1n, "BigInt"],
      [new Set(["alice@example.com"]), "Set"],
      [new Map(), "Map"],
      [new Mail(), "Mail"],
      [new Uint8Array(2), "Uint8Array"],
      [new Date(Number.NaN), "null"],
      [{ toJSON: () => undefined }, "undefined"],
      [() => "alice@example.com", "function"],
      [Symbol("alice"), "symbol"],
    ] as const)
      for (const params of [{ to }, { more: [{ to }] }]) {
        const asked = client.guard("mail", params, () => assert.fail("it ran"), { session: "one" });
        await assert.rejects(asked, new RegExp(`can't be written as JSON: .*${what}.*give plain values`), what);
      }
    const asked = client.guard("mail", { to: [undefined] }, () => assert.fail("it ran"), { session: "one" });
    await assert.rejects(asked, /`0` is undefined/);
    assert.equal(server.seen.length, 0);
    const at = new Date(0);
    await client.guard("mail", { to: null, cc: undefined, at, more: [{ n: 1.5 }, true] }, () => 1, { session: "one" });
    assert.deepEqual(server.seen[0]?.body.params, { to: null, at: "1970-01-01T00:00:00.000Z", more: [{ n: 1.5 }, true] });
  } finally {
    await client.close();
    await server.stop();
  }
});
