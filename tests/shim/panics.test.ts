// A panic inside the addon must not take the gateway down. The addon under test panics on demand: `npm test` builds it in target/debug. A child
// process loads it, because what is feared is an abort.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "callosum-panics-"));
const addon = join(dir, "callosum.node");
after(() => rmSync(dir, { recursive: true, force: true }));

before(() => {
  const library = process.platform === "darwin" ? "libcallosum_node.dylib" : "libcallosum_node.so";
  copyFileSync(join(ROOT, "target", "debug", library), addon);
});

/** Uses every function of a gate once; prints the answers. */
const PROGRAM = `
  const { Gate } = require(process.argv[1]);
  const gate = new Gate({ config: JSON.stringify({ stateDir: process.argv[2] }), runtime: "test", hostName: "h", hostStateDir: "/s" });
  (async () => {
    const said = {};
    said.modelCallStarted = gate.modelCallStarted("r");
    said.read = gate.before("read", null, null, "s", "r", "1", null, { path: "x" });
    if (said.read?.ticket) said.read = await gate.finish(said.read.ticket);
    said.mail = gate.before("exec", null, null, "s", "r", "2", null, { command: "mail -s hi a@example.com" });
    if (said.mail?.ticket) said.mail = await gate.finish(said.mail.ticket);
    said.after = gate.after("read", null, "s", "r", "1", {}, "ok", null, null);
    said.processEnded = gate.processEnded("p", "ok", 0);
    said.resultPersisted = gate.resultPersisted("s", "2");
    said.abandon = gate.abandon(77);
    said.status = JSON.parse(await gate.ask("status", "")).error?.code ?? "told";
    said.journal = JSON.parse(await gate.ask("journal", "{}")).error?.code ?? "told";
    const endpoint = { method: "GET", path: "/status", body: Buffer.alloc(0) };
    said.endpoint = (await gate.endpoint(endpoint)).status;
    said.context = JSON.parse(await gate.context('{"do":"prompt"}')).error?.code ?? "told";
    said.notices = gate.notices().length > 0;
    await gate.maintain();
    await gate.close();
    console.log(JSON.stringify(said));
  })();
`;

interface Said {
  mail: { refuse?: string } | null;
  read: { refuse?: string } | null;
  status: string;
  journal: string;
  endpoint: number;
  context: string;
}

function run(panicIn: string): { said: Said; stderr: string } {
  const state = mkdtempSync(join(dir, "state-"));
  const env = { ...process.env, CALLOSUM_PANIC_IN: panicIn };
  const child = spawnSync(process.execPath, ["-e", PROGRAM, addon, state], { env, encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([child.status, child.signal], [0, null], child.stderr);
  return { said: JSON.parse(child.stdout) as Said, stderr: child.stderr };
}

test("without a panic a mail goes out and the status can be told", () => {
  const { said, stderr } = run("");
  assert.equal(said.mail, null);
  assert.deepEqual([said.status, said.journal, said.endpoint, said.context], ["told", "told", 200, "told"]);
  assert.doesNotMatch(stderr, /injected/);
});

test("a panic in a decision is answered by the policy: reads go on, mail does not", () => {
  const { said, stderr } = run("before");
  assert.match(stderr, /injected in `before`/);
  assert.equal(said.read, null);
  assert.match(said.mail?.refuse ?? "", /the gate failed internally/);
});

test("a panic while an intent is made durable refuses the call", () => {
  const { said, stderr } = run("finish");
  assert.match(stderr, /injected in `finish`/);
  assert.match(said.mail?.refuse ?? "", /the gate failed internally/);
});

test("panics everywhere at once leave the process alive and answer", () => {
  const everywhere =
    "before,answer_after_panic,after,process_ended,result_persisted,model_call_started,abandon,finish,maintenance,query,endpoint,notices";
  const { said, stderr } = run(everywhere);
  assert.equal((stderr.match(/injected in/g) ?? []).length >= 10, true, stderr);
  assert.deepEqual([said.status, said.journal, said.endpoint], ["internal", "internal", 500]);
});
