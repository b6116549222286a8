// Connections that break, stay silent or lead elsewhere, in every client, against a server that answers as it is told to.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Client, DRIVERS, endDrivers, type Settings } from "./harness/drivers.ts";
import { ALLOWING, json, Scripted } from "./harness/scripted.ts";

const dir = mkdtempSync(join(tmpdir(), "callosum-clients-"));
after(async () => {
  await endDrivers();
  rmSync(dir, { recursive: true });
});
const MAIL = ["mail", { to: "alice@example.com" }];

/** What never comes is a failure, and not a test without an end. */
const LIMIT = { timeout: 120_000 };

/** A test with each client. */
function withEach(title: string, body: (open: (settings: Settings) => Client, name: string) => Promise<void>): void {
  for (const { name, open } of DRIVERS)
    test(`${name}: ${title}`, LIMIT, async () => {
      const clients: Client[] = [];
      try {
        await body((settings) => {
          const client = open({ token: "t-secret", instance: "one", ...settings });
          clients.push(client);
          return client;
        }, name);
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
    });
}

async function serving(reply: Parameters<typeof Scripted.start>[0], body: (server: Scripted) => Promise<void>, path?: string) {
  const server = await Scripted.start(reply, path);
  try {
    await body(server);
  } finally {
    await server.stop();
  }
}

/** A port of loopback that nobody listens at. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

withEach("a service that is not there is told by its address and what to do", async (open) => {
  const nothing = `unix:${join(dir, "nothing.sock")}`;
  const dead = join(dir, "dead.sock");
  writeFileSync(dead, "");
  for (const url of [nothing, `unix:${dead}`, `http://127.0.0.1:${await closedPort()}`]) {
    const client = open({ url });
    for (const result of [client.call("before", MAIL), client.guard("mail", {}).result, client.events().next()]) {
      const { error } = await result;
      assert.equal(error?.kind, "ServiceUnreachable");
      assert.equal(error.address, url);
      assert.equal(error.mayHaveArrived, false);
      assert.ok(error.message.includes(url), error.message);
      assert.match(error.message, /`callosum serve`/);
    }
  }
});

withEach("a service that gives no answer, or half of one, is not waited for without end", async (open) => {
  await serving(
    (seen, response) => {
      if (seen.path.startsWith("/v1/why")) response.writeHead(200, { "content-length": "100" }).write("{");
    },
    async (server) => {
      const client = open({ url: server.url, timeoutMs: 300 });
      for (const [method, args] of [
        ["before", MAIL],
        ["ask", ["why", { key: "k" }]],
      ] as const) {
        const { error } = await client.call(method, [...args]);
        assert.equal(error?.kind, "ServiceUnreachable");
        assert.match(error.message, /gave no answer within (300 ms|0\.3 s)/);
        assert.ok(error.message.includes(server.url));
      }
      assert.equal(server.seen.length, 2, "a request that took too long is not sent again");
    },
  );
});

withEach("the Unix socket is spoken to like any address", async (open) => {
  const path = join(dir, "serve.sock");
  await serving(
    ALLOWING,
    async (server) => {
      const { value } = await open({ url: server.url }).call("before", MAIL);
      assert.equal((value as { verdict: string }).verdict, "allow");
      assert.equal(server.seen[0]?.headers.host, "localhost");
    },
    path,
  );
});

withEach("paths lie under the address: a gateway may serve them under a route of its own", async (open) => {
  await serving(
    (_, response) => json(response, { locks: [], recentActions: [] }),
    async (server) => {
      await open({ url: `${server.url}/plugins/callosum/` }).call("status", ["email:a b&c"]);
      const { pathname, searchParams } = new URL(server.seen[0]?.path ?? "", "http://localhost");
      assert.equal(pathname, "/plugins/callosum/status");
      assert.equal(searchParams.get("contextKey"), "email:a b&c");
    },
  );
});

withEach("a connection is used again, and one that died in between does no harm", async (open) => {
  await serving(ALLOWING, async (server) => {
    const client = open({ url: server.url });
    for (let call = 0; call < 3; call += 1) assert.ok((await client.call("before", MAIL)).value);
    assert.deepEqual(
      server.seen.map(({ connection }) => connection),
      [1, 1, 1],
    );
    // Closed with nobody asking …
    server.breakOff();
    assert.ok((await client.call("before", MAIL)).value);
    assert.equal(server.seen.at(-1)?.connection, 2);
    // … and at the very moment of the next request: it goes out again, under the same id.
    server.reply((seen, response, socket) => (seen.connection === 2 ? socket.destroy() : ALLOWING(seen, response, socket)));
    assert.ok((await client.call("before", MAIL)).value);
    const [lost, repeated] = server.seen.slice(-2);
    assert.deepEqual([lost?.connection, repeated?.connection], [2, 3]);
    assert.deepEqual(repeated?.body, lost?.body);
  });
});

withEach("what the service would do twice is never sent twice", async (open) => {
  await serving(
    (_, response) => json(response, { ok: true, acquired: true }),
    async (server) => {
      const client = open({ url: server.url });
      await client.call("before", MAIL);
      for (const [method, args] of [
        ["complete", ["email:alice", { ok: 1 }]],
        ["lock", ["email:alice", 3]],
      ] as const) {
        server.reply((_, response) => json(response, { ok: true, acquired: true }));
        await client.call("status");
        const known = new Set(server.seen.map(({ connection }) => connection));
        const before = server.seen.length;
        server.reply((_, __, socket) => socket.destroy());
        const { error } = await client.call(method, [...args]);
        assert.equal(error?.kind, "ServiceUnreachable");
        assert.equal(server.seen.length, before + 1);
        assert.ok(
          !known.has(server.seen.at(-1)?.connection ?? 0),
          "on a connection that may be dead it could not be told whether it arrived",
        );
      }
    },
  );
});

withEach("the five endpoints, to the letter", async (open) => {
  await serving(
    (_, response) => json(response, { ok: true }),
    async (server) => {
      const client = open({ url: server.url });
      await client.call("intercept", ["message", "send", { target: "x" }]);
      await client.call("intercept", ["message", "send", { target: "x" }], { enforce: true });
      await client.call("complete", ["channel:x", { ok: 1 }]);
      await client.call("lock", ["channel:x/y", 4]);
      await client.call("lock", ["channel:x/y", 4], { session: "chat" });
      await client.call("unlock", ["channel:x/y"]);
      await client.call("status");
      const seen = server.seen.map(({ method, path, body }) => [method, path, body]);
      const sending = { instance: "one", tool: "message", action: "send", params: { target: "x" } };
      assert.deepEqual(seen, [
        ["POST", "/intercept", sending],
        ["POST", "/intercept", { ...sending, enforce: true }],
        ["POST", "/complete", { instance: "one", contextKey: "channel:x", result: { ok: 1 } }],
        ["POST", "/lock", { instance: "one", contextKey: "channel:x/y", tier: 4 }],
        ["POST", "/lock", { instance: "one", contextKey: "channel:x/y", tier: 4, session: "chat" }],
        ["DELETE", "/lock/channel%3Ax%2Fy", { instance: "one" }],
        ["GET", "/status", {}],
      ]);
      const keys = server.seen.slice(0, 2).map(({ headers }) => headers["idempotency-key"]);
      assert.ok(keys[0] && keys[1] && keys[0] !== keys[1]);
    },
  );
});

withEach("what the service refuses is told with its status, its code and its remedy; the token is never shown", async (open) => {
  await serving(ALLOWING, async (server) => {
    const client = open({ url: server.url });
    const answers: Array<[number, string, Record<string, string>, RegExp]> = [
      [
        400,
        '{"error":{"code":"usage","message":"`params` is missing","remedy":"give an object"}}',
        {},
        /`params` is missing\. give an object/,
      ],
      [401, "", {}, /answered 401: the token is .*`callosum token list`/],
      [429, '{"error":{"code":"limit","message":"slow down"}}', { "retry-after": "3" }, /slow down/],
      [502, "<html>\n<b>Bad</b>\u001b[31m gateway</html>", {}, /answered 502: "<html> <b>Bad<\/b> ?\[31m gateway<\/html>"/],
      [200, "<html>router</html>", {}, /is no JSON: "<html>router<\/html>"/],
      [302, "", { location: "http://127.0.0.1:1/" }, /answered 302: an empty answer/],
    ];
    for (const [status, text, headers, message] of answers) {
      server.reply((_, response) => response.writeHead(status, headers).end(text));
      const { error } = await client.call("before", MAIL);
      assert.equal(error?.kind, "ServiceError", String(status));
      assert.match(error.message, message);
      assert.ok(error.message.includes(server.url) && !error.message.includes("t-secret"));
      assert.equal(error.status, status);
      assert.equal(error.retryAfterMs ?? undefined, status === 429 ? 3000 : undefined);
      assert.equal(error.code ?? undefined, ({ 400: "usage", 429: "limit" } as Record<number, string>)[status]);
    }
  });
});

withEach("methods that say who acts ask for the instance", async (open) => {
  const client = open({ url: "http://127.0.0.1:1", ...({ instance: undefined } as object) });
  for (const method of ["intercept", "complete", "lock", "unlock"]) {
    const args = { intercept: ["message", "send", {}], complete: ["k", {}], lock: ["k", 3], unlock: ["k"] }[method];
    const { error } = await client.call(method, args);
    assert.match(error?.message ?? "", new RegExp(`\`${method}\` says who acts: give the client its \`instance\``));
  }
});

withEach("an address or a token that can't be one is told before anything is sent", async (open, name) => {
  const made = async (settings: Settings) => {
    try {
      return (await open(settings).call("status")).error?.message ?? "";
    } catch (error) {
      assert.equal(name, "TypeScript");
      return (error as Error).message;
    }
  };
  for (const url of ["localhost:7411", "ftp://host", "unix:serve.sock", "http://host:99999", "http://", "http://host?x=1"])
    assert.ok((await made({ url })).startsWith(`\`${url}\` is no address of Callosum's service; write it as`), url);
  const secret = await made({ url: "http://ann:hidden@host" });
  assert.match(secret, /no user and no password/);
  assert.ok(!secret.includes("hidden"));
  for (const token of ["", "two words", "line\nbreak", "é"]) {
    const message = await made({ url: "http://127.0.0.1:1", token });
    assert.match(message, /the token is empty or holds/);
    assert.ok(token === "" || !message.includes(token));
  }
  assert.match(await made({ url: "http://127.0.0.1:1", timeoutMs: -1 }), /`timeout(Ms)?` is -/);
});
