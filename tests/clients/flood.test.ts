// Ten thousand connections from processes of their own, none of which shows a token: whoever has one is answered all the while.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Service } from "./harness/service.ts";

/** As many files as a process may have open where nobody raised that, and some to spare. */
const EACH = 640;
const PROCESSES = 16;

/** Opens connections, begins a request on each, and says how many there were. Ends with its standard input. */
const CROWD = `
const net = require("node:net");
const [port, count] = process.argv.slice(1).map(Number);
let open = 0;
const done = () => { if (++open === count) console.log(open); };
for (let number = 0; number < count; number += 1)
  net.connect(port, "127.0.0.1", function () { this.write("GET /healthz HTTP/1.1\\r\\nX-"); done(); }).on("error", () => {}).resume();
process.stdin.on("end", () => process.exit()).resume();
`;

test("10,000 silent connections from 16 processes keep nobody who has a token from being answered", {
  timeout: 180_000,
}, async () => {
  const service = new Service();
  const crowd: ChildProcess[] = [];
  try {
    await service.start();
    const headers = { authorization: `Bearer ${service.token("agents")}`, "content-type": "application/json" };
    const { port } = new URL(service.url);
    let calls = 0;
    const ask = async () => {
      calls += 1;
      const body = JSON.stringify({ tool: "mail", params: { to: "a" }, session: "s", call: `c${calls}` });
      // A connection of its own each time: those that stay open are known.
      const asked = { method: "POST", headers: { ...headers, connection: "close" }, body };
      let answered: Response | undefined;
      // Until its request is read it is one of those that nobody knows, and the oldest of these is closed for a new one.
      for (let tries = 0; answered === undefined && tries < 5; tries += 1)
        answered = await fetch(`${service.url}/v1/before`, asked).catch(() => undefined);
      assert.equal(answered?.status, 200);
    };
    await ask();
    const opened = Array.from({ length: PROCESSES }, async () => {
      const child = spawn(process.execPath, ["-e", CROWD, port, String(EACH)], { stdio: ["pipe", "pipe", "inherit"] });
      crowd.push(child);
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      return Number(line);
    });
    let all = false;
    const counted = Promise.all(opened).then((counts) => {
      all = true;
      return counts.reduce((sum, count) => sum + count, 0);
    });
    while (!all) await ask();
    assert.equal(await counted, EACH * PROCESSES);
    await ask();
  } finally {
    for (const child of crowd) child.stdin?.end();
    await service.remove();
  }
});
