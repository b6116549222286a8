// Every client with the real service, over TCP with a token and over the socket: pauses, retries, blocks, outcomes, and a service that dies between two
// steps.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { CallosumClient } from "../../clients/typescript/src/index.ts";
import { built } from "../programs.ts";
import { type Client, DRIVERS, endDrivers, type Guarded, type Result } from "./harness/drivers.ts";
import { RULES, Service } from "./harness/service.ts";

const service = new Service(RULES);
let token = "";
before(async () => {
  await service.start();
  token = service.token("agents");
});
after(async () => {
  await endDrivers();
  await service.remove();
});

type Open = (more?: { token?: string; instance?: string }) => Client;

/** What never comes is a failure, and not a test without an end. */
const LIMIT = { timeout: 120_000 };

/** A test with each client, by each way to the service, on a resource of its own. */
function withEach(title: string, body: (open: Open, resource: string) => Promise<void>): void {
  let count = 0;
  for (const { name, open } of DRIVERS)
    for (const way of ["TCP", "socket"])
      test(`${name}, ${way}: ${title}`, LIMIT, async () => {
        count += 1;
        const clients: Client[] = [];
        const opened: Open = (more = {}) => {
          const at = way === "TCP" ? { url: service.url, token } : { url: service.socket };
          const client = open({ ...at, ...(way === "TCP" ? more : { instance: more.instance ?? "one" }) });
          clients.push(client);
          return client;
        };
        try {
          await body(opened, `${title.replaceAll(/[^a-z]+/g, "-")}-${name.length}-${way}-${count}`.toLowerCase());
        } finally {
          await Promise.all(clients.map((client) => client.close()));
        }
      });
}

async function begun(call: Guarded): Promise<Guarded> {
  const ended = await Promise.race([call.started, call.result]);
  assert.equal(ended, undefined, `it did not run: ${JSON.stringify(ended)}`);
  return call;
}

async function done(call: Guarded): Promise<Result> {
  (await begun(call)).finish({ returns: "done" });
  return call.result;
}

withEach("a call of an id of its own runs once, whoever asks for it again meanwhile and later", async (open, to) => {
  for (const [tool, how] of [
    ["mail", { returns: "done" }],
    ["wire", { raises: "cut off" }],
  ] as const) {
    const call = { session: "one", call: `${to}-${tool}` };
    const first = await begun(open().guard(tool, { to: `${tool}-${to}` }, call));
    const again = async (said: RegExp) => {
      const repeated = open().guard(tool, { to: `${tool}-${to}` }, call);
      const { error } = await Promise.race([repeated.result, repeated.started.then(() => assert.fail("it ran again"))]);
      assert.equal(error?.kind, "Repeated", JSON.stringify(error));
      assert.match(error.text ?? "", said);
    };
    await again(/may be running/);
    first.finish(how);
    await first.result;
    await again(tool === "mail" ? /is complete/ : /nobody knows/);
  }
});

withEach("a repeated action is paused with the facts, and the retry goes through once", async (open, to) => {
  const client = open();
  assert.equal((await done(client.guard("mail", { to }, { session: "one" }))).value, "done");

  const { error } = await client.guard("mail", { to }, { session: "two" }).result;
  assert.equal(error?.kind, "Paused");
  assert.equal(error.verdict, "pause");
  assert.match(error.text ?? "", new RegExp(`^\\[Callosum\\] "email:${to}" was already acted on`, "i"));
  assert.deepEqual(error.contextKeys, [`email:${to}`]);
  assert.equal(error.tier, 3);
  const [evidence] = error.evidence as Array<Record<string, unknown>>;
  assert.equal(evidence?.session, "one");
  assert.equal(evidence?.state, "complete");

  assert.ok(error.call !== undefined);
  await client.call("delivered", [error.call]);
  assert.equal((await done(client.guard("mail", { to }, { session: "two" }))).value, "done");
  // One's own retry is news for the next one.
  assert.equal((await client.guard("mail", { to }, { session: "two" }).result).error?.verdict, "pause");
});

withEach("of two at the same moment one runs; the other is told that it is under way", async (open, to) => {
  const client = open();
  const first = await begun(client.guard("mail", { to }, { session: "one" }));
  const { error } = await client.guard("mail", { to }, { session: "two" }).result;
  assert.match(error?.text ?? "", /is being acted on/);
  first.finish({ returns: 1 });
  assert.equal((await first.result).value, 1);
});

withEach("a critical action is blocked while another holds the resource, and asked about afterwards", async (open, to) => {
  const client = open();
  const first = await begun(client.guard("wire", { to }, { session: "one" }));
  for (let time = 0; time < 2; time += 1) {
    const { error } = await client.guard("wire", { to }, { session: "two" }).result;
    assert.equal(error?.kind, "Paused");
    assert.equal(error.verdict, "block");
    assert.ok(Date.parse(error.expiresAt ?? "") > 0, "a block says until when");
  }
  first.finish({ returns: 1 });
  await first.result;
  assert.equal((await client.guard("wire", { to }, { session: "two" }).result).error?.verdict, "pause");
});

withEach("after an error the outcome is unknown; after one that proves it, nothing was done", async (open, to) => {
  const client = open();
  for (const [proved, verdict] of [
    [true, undefined],
    [false, "pause"],
  ] as const) {
    const call = await begun(client.guard("mail", { to: `${to}-${proved}` }, { session: "one" }));
    call.finish({ raises: "broke off", proved });
    assert.equal((await call.result).error?.message, "broke off");
    const asked = client.guard("mail", { to: `${to}-${proved}` }, { session: "two" });
    if (verdict === undefined) await done(asked);
    else {
      const { error } = await asked.result;
      assert.equal((error?.evidence?.[0] as { state: string } | undefined)?.state, "unknown");
      assert.match(error?.text ?? "", /unknown/);
    }
  }
});

withEach("a call that takes longer than its lease keeps it", async (open, to) => {
  const client = open();
  const first = await begun(client.guard("short", { to }, { session: "one" }));
  const seen = async () => (await client.guard("short", { to }, { session: "two" }).result).error;
  const end = Date.parse((await seen())?.expiresAt ?? "");
  assert.ok(end > 0);
  while (Date.now() <= end) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal((await seen())?.verdict, "block");
  first.finish({ returns: 1 });
  assert.equal((await first.result).value, 1);
});

withEach("a service that was killed between any two steps forgets nothing, and doubles nothing", async (open, to) => {
  const client = open();
  const mail = ["mail", { to }];
  const named = { session: "one", call: `${to}-call` };
  const asked = await client.call("before", mail, named);
  await service.restart();
  assert.deepEqual((await client.call("before", mail, named)).value, asked.value, "the same call gets the same verdict");
  await service.restart();
  assert.equal((await client.call("after", [named.call, "complete"], { session: "one" })).error, undefined);
  const paused = await client.guard("mail", { to }, { session: "two" }).result;
  assert.equal(paused.error?.verdict, "pause");
  await client.call("delivered", [paused.error?.call]);
  await service.restart();
  const retry = await begun(client.guard("mail", { to }, { session: "two" }));
  await service.restart();
  retry.finish({ returns: "sent" });
  assert.equal((await retry.result).value, "sent");

  const records = service.journal().filter(({ contextKeys }) => String(contextKeys) === `email:${to}`);
  assert.deepEqual(
    records.map(({ action }) => action).filter((action) => action !== "delivered"),
    ["intercept", "complete", "blocked", "intercept", "complete"],
  );
});

withEach("an outcome waits for a service that is away for a moment", async (open, to) => {
  const client = open();
  const call = await begun(client.guard("mail", { to }, { session: "one" }));
  await service.kill();
  call.finish({ returns: "sent" });
  await service.start();
  assert.equal((await call.result).value, "sent");
  const { error } = await client.guard("mail", { to }, { session: "two" }).result;
  assert.equal((error?.evidence?.[0] as { state: string } | undefined)?.state, "complete");
});

withEach("a service that is not there runs nothing, and says where it should be", async (open, to) => {
  const client = open();
  await service.stop();
  try {
    const { error } = await client.guard("mail", { to }, { session: "one" }).result;
    assert.equal(error?.kind, "ServiceUnreachable");
    assert.match(error.message, /(unix:\/.*serve\.sock|http:\/\/127\.0\.0\.1:\d+) can't be reached.*`callosum serve`/);
  } finally {
    await service.start();
  }
});

withEach("what the service asks for is told by its name", async (open, to) => {
  const client = open();
  const { error } = await client.guard("mail", { to }).result;
  assert.equal(error?.kind, "ServiceError");
  assert.equal(error.status, 400);
  assert.match(error.message, /`session`/);
  // Where nothing can be paused, nobody has to say who.
  assert.equal((await done(client.guard("note", { to }))).value, "done");
});

withEach("the questions of the command line are answered", async (open, to) => {
  const client = open();
  await done(client.guard("mail", { to }, { session: "one" }));
  const key = `email:${to}`;
  const { value: journal } = await client.call("ask", ["journal", { key, limit: 10 }]);
  const { entries } = journal as { entries: Array<{ contextKeys: string[]; session: string }> };
  assert.ok(entries.length > 0 && entries.every(({ contextKeys }) => contextKeys.includes(key)));
  const { value: why } = await client.call("ask", ["why", { key }]);
  assert.match(JSON.stringify(why), new RegExp(key));
  const { value: explained } = await client.call("ask", ["explain", { tool: "mail", params: { to } }]);
  assert.equal((explained as { tier: number }).tier, 3);
  assert.equal((await client.call("ask", ["no-such-question"])).error?.status, 404);
});

/** An answer, without who gave it, since when that one has its rules, and how long ago things were. */
function of(answer: string): unknown {
  return JSON.parse(answer.replaceAll(/\b\d+s ago/g, "ago"), (name, value: unknown) =>
    ["instanceId", "loadedAt"].includes(name) ? undefined : value,
  );
}

test("the questions are answered as the command line prints them", LIMIT, async () => {
  const client = new CallosumClient({ url: service.socket, instance: "one" });
  const key = "email:printed";
  const params = { to: "printed" };
  try {
    await client.guard("mail", params, () => 1, { session: "one" });
    assert.equal((await client.before({ tool: "mail", params, session: "two" })).verdict, "pause");
    assert.equal((await client.before({ tool: "unheard_of", params, session: "two" })).covered, false);
    assert.equal((await client.lock(key, 3)).acquired, true);
    for (const [question, asked, options] of [
      ["journal", { key, limit: 10 }, ["--key", key, "-n", "10"]],
      ["why", { key }, [key]],
      ["status", {}, []],
      ["sessions", {}, []],
      ["leases", {}, []],
      ["explain", { tool: "mail", params }, ["mail", JSON.stringify(params)]],
    ] as const) {
      const told = (await client.ask(question, asked)) as Record<string, unknown>;
      // The story in words stands here alone.
      if (question === "why") {
        assert.match(String(told.text), /2 sessions/);
        delete told.text;
      }
      const printed = execFileSync(built("callosum"), ["--state-dir", service.stateDir, "--json", question, ...options], {
        encoding: "utf8",
      });
      assert.deepEqual(of(JSON.stringify(told)), of(printed), question);
    }
  } finally {
    client.close();
  }
});

withEach("the five endpoints: others' actions warn at tier 3 and stop at tier 4; one's own are none", async (open, to) => {
  const [one, two] = [open({ instance: "one" }), open({ instance: "two" })];
  const key = `email:${to}`;
  const asked = (await one.call("intercept", ["mail", "send", { to }])).value as Record<string, unknown>;
  assert.deepEqual([asked.proceed, asked.tier, asked.contextKey, asked.warning], [true, 3, key, undefined]);
  const own = (await one.call("intercept", ["mail", "send", { to }])).value as Record<string, unknown>;
  assert.deepEqual([own.proceed, own.conflicts], [true, undefined]);
  assert.deepEqual((await one.call("complete", [key, { sent: 1 }])).value, { ok: true });
  const other = (await two.call("intercept", ["mail", "send", { to }])).value as Record<string, unknown>;
  assert.equal(other.proceed, true);
  assert.match(String(other.warning), new RegExp(key, "i"));
  const enforced = (await two.call("intercept", ["mail", "send", { to }], { enforce: true })).value as Record<string, unknown>;
  assert.equal(enforced.proceed, false);

  const account = `account:${to}`;
  assert.equal(((await one.call("lock", [account, 4])).value as { acquired: boolean }).acquired, true);
  const held = (await two.call("lock", [account, 4])).value as { acquired: boolean; conflict?: { instance: string } };
  assert.deepEqual([held.acquired, held.conflict?.instance], [false, "one"]);
  const stopped = (await two.call("intercept", ["wire", "send", { to }])).value as Record<string, unknown>;
  assert.deepEqual([stopped.proceed, stopped.tier], [false, 4]);
  assert.equal(((await one.call("intercept", ["wire", "send", { to }])).value as Record<string, unknown>).proceed, true);

  const { value: status } = await two.call("status", [account]);
  const { locks, recentActions } = status as { locks: Array<{ instance: string }>; recentActions: unknown[] };
  assert.ok(locks.length > 0 && locks.every(({ instance }) => instance === "one"));
  assert.ok(Array.isArray(recentActions));
  const refused = (await two.call("unlock", [account])).value as { ok: boolean; error?: string };
  assert.equal(refused.ok, false);
  assert.match(refused.error ?? "", /one/);
  assert.equal(((await one.call("unlock", [account])).value as { ok: boolean }).ok, true);
});

withEach("a lease lets the calls of the session that took it through, and no others'", async (open, to) => {
  const [one, two] = [open({ instance: "one" }), open({ instance: "two" })];
  const account = `account:${to}`;
  const take = async (client: Client, session: string) =>
    ((await client.call("lock", [account, 4], { session })).value as { acquired: boolean }).acquired;
  assert.deepEqual([await take(one, "chat"), await take(one, "cron"), await take(two, "chat")], [true, false, false]);
  for (const [client, session] of [
    [one, "cron"],
    [two, "chat"],
  ] as const)
    assert.equal((await client.guard("wire", { to }, { session }).result).error?.verdict, "block");
  const call = await begun(one.guard("wire", { to }, { session: "chat" }));
  const give = async (client: Client, session: string) =>
    ((await client.call("unlock", [account], { session })).value as { ok: boolean }).ok;
  assert.deepEqual([await give(two, "chat"), await give(one, "chat")], [false, true]);
  // It is the call's own lease now.
  assert.equal((await two.guard("wire", { to }, { session: "chat" }).result).error?.verdict, "block");
  call.finish({ returns: "done" });
  assert.equal((await call.result).value, "done");
});

withEach("events are told once each, over a service that is killed and started again", async (open, to) => {
  const client = open();
  const keys = [`email:${to}-a`, `email:${to}-b`];
  const stream = client.events({ topic: "call.*", after: "0" });
  const seen: Array<{ cursor: string; topic: string; key: string; session: unknown }> = [];
  /** Reads on to the end of the call on `key`. */
  const upTo = async (from: typeof stream, key: string) => {
    for (;;) {
      const { value, error } = await from.next();
      assert.equal(error, undefined);
      const {
        cursor,
        topic,
        data,
        from: who,
      } = value as { cursor: string; topic: string; data: { contextKeys?: string[] }; from: { session: unknown } };
      if (!keys.includes(String(data.contextKeys))) continue;
      seen.push({ cursor, topic, key: String(data.contextKeys), session: who.session });
      if (topic === "call.ended" && String(data.contextKeys) === key) return;
    }
  };
  await done(client.guard("mail", { to: `${to}-a` }, { session: "one" }));
  await upTo(stream, keys[0] ?? "");
  const { cursor } = seen.at(-1) ?? {};
  await service.restart();
  await done(client.guard("mail", { to: `${to}-b` }, { session: "two" }));
  await upTo(stream, keys[1] ?? "");
  const told = ["call.started", "call.ended"].map((topic) => ({ topic, key: keys[0], session: "one" }));
  const later = ["call.started", "call.ended"].map((topic) => ({ topic, key: keys[1], session: "two" }));
  assert.deepEqual(
    seen.map(({ topic, key, session }) => ({ topic, key, session })),
    [...told, ...later],
  );
  // Another process goes on from a cursor.
  seen.length = 0;
  await upTo(open().events({ topic: "call.*", after: cursor }), keys[1] ?? "");
  assert.deepEqual(
    seen.map(({ topic, key, session }) => ({ topic, key, session })),
    later,
  );
});

for (const { name, open } of DRIVERS) {
  const opened = async (given: string, body: (client: Client) => Promise<void>) => {
    const client = open({ url: service.url, token: given });
    try {
      await body(client);
    } finally {
      await client.close();
    }
  };

  test(`${name}: a wrong or revoked token gets nothing, and is not shown`, LIMIT, async () => {
    // Who tried wrong tokens is made to wait, longer each time: the client before this one tried some, and a new service knows nothing of it.
    await service.restart();
    const revoked = service.token(`gone-${name.length}`);
    await opened(revoked, async (client) => {
      assert.ok((await client.call("status")).value);
      service.run("token", "revoke", `gone-${name.length}`);
      for (const result of [client.call("status"), client.guard("mail", { to: "x" }, { session: "s" }).result]) {
        const { error } = await result;
        assert.equal(error?.status, 401);
        assert.match(error.message, /token/);
        assert.ok(!error.message.includes(revoked));
      }
    });
    await opened("wrong", async (client) => assert.equal((await client.call("status")).error?.status, 401));
  });

  test(`${name}: nobody ends another's call`, LIMIT, async () => {
    const to = `others-${name.replaceAll(/\W/g, "")}`.toLowerCase();
    const stranger = service.token(`stranger-${name.length}`);
    await opened(token, async (client) => {
      const asked = (await client.call("before", ["wire", { to }], { session: "one" })).value as { call: string };
      await opened(stranger, async (other) => {
        await other.call("after", [asked.call, "failed"]);
        assert.equal((await other.call("extend", [asked.call])).error?.status, 409);
        assert.equal((await other.guard("wire", { to }, { session: "two" }).result).error?.verdict, "block");
        assert.equal((await client.call("after", [asked.call, "complete"])).error, undefined);
        const { error } = await other.guard("wire", { to }, { session: "two" }).result;
        assert.equal((error?.evidence?.[0] as { state: string } | undefined)?.state, "complete");
      });
    });
  });
}
