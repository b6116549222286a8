// The examples as somebody runs them, with the package as it is built, against the real service by its socket and over TCP.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { EXTENSION } from "../../scripts/build.ts";
import { findPython } from "../../scripts/python.ts";
import { ROOT, runModule } from "../../scripts/run.ts";
import { PYTHON_SOURCES } from "./harness/drivers.ts";
import { Service } from "./harness/service.ts";

const EXAMPLES = join(ROOT, "clients", "examples");
const PYTHON = findPython();
/** A program that has installed the package. */
const user = mkdtempSync(join(tmpdir(), "callosum-user-"));
let service: Service;

before(() => {
  mkdirSync(join(user, "node_modules"));
  symlinkSync(EXTENSION, join(user, "node_modules", "callosum"));
  writeFileSync(join(user, "package.json"), '{"type":"module"}');
  cpSync(join(EXAMPLES, "agent.ts"), join(user, "agent.ts"));
});
beforeEach(async () => {
  service = new Service();
  await service.start();
});
afterEach(() => service.remove());
after(() => rmSync(user, { recursive: true }));

function run(program: string, args: string[], env: Record<string, string>): string {
  const { PATH = "" } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, { env: { PATH, HOME: user, ...env }, cwd: user, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/** The ways to the service, as the examples are told them. */
const WAYS: Record<string, () => Record<string, string>> = {
  socket: () => ({ CALLOSUM_STATE_DIR: service.stateDir }),
  TCP: () => ({ CALLOSUM_URL: service.url, CALLOSUM_TOKEN: service.token("examples") }),
};

for (const [way, env] of Object.entries(WAYS)) {
  test(`${way}: the graph in Python sends what is no repetition`, { skip: PYTHON === undefined && "there is no Python" }, () => {
    const more = { PYTHONPATH: PYTHON_SOURCES, PYTHONDONTWRITEBYTECODE: "1", ...env() };
    const lines = run(PYTHON ?? "", [join(EXAMPLES, "graph.py")], more)
      .trim()
      .split("\n");
    assert.deepEqual(lines.slice(0, 2), ["morning-report: wants to mail alice", "  sent to alice@example.com"]);
    assert.match(lines[3] ?? "", /^ {2}the model reads: \[Callosum\] "email:alice@example\.com" was already acted on/);
    assert.equal(lines[4], "  skipped it");
    assert.deepEqual(lines.slice(7), ["  sent to alice@example.com", "2 mails went out"]);
  });

  test(`${way}: the loop in TypeScript refunds once`, () => {
    const lines = run(process.execPath, ["agent.ts"], env()).trim().split("\n");
    assert.equal(lines.at(-1), "1 refund went out");
    assert.equal(lines.filter((line) => line === "  the model reads: refunded 20 to c-17").length, 1);
    assert.equal(
      lines.filter((line) => /the model reads: \[Callosum\] "payment:.*c-17" is held by another call/.test(line)).length,
      1,
    );
  });

  test(`${way}: the shell script speaks both protocols`, () => {
    const lines = run("bash", [join(EXAMPLES, "gate.sh")], env())
      .trim()
      .split("\n");
    assert.equal(lines.length, 4, lines.join("\n"));
    assert.equal(lines[0], "nightly: here the mail to bob@example.com goes out");
    assert.match(lines[1] ?? "", /^hourly: pause: \[Callosum\] "email:bob@example\.com" was already acted on/);
    assert.equal(lines[2], "script: may act on email:carol@example.com: true");
    assert.match(lines[3] ?? "", /^other: is warned: \[Callosum\] "email:carol@example\.com"/);
  });
}

test("the package's types hold for whoever imports the client, and nothing else of it can be imported", async () => {
  const compiler = {
    module: "nodenext",
    target: "es2022",
    strict: true,
    noEmit: true,
    types: [],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions: compiler, files: ["use.ts"] }));
  const right = [
    'import { CallosumClient, Paused, type Verdict } from "callosum/client";',
    "const client = new CallosumClient();",
    'export const sent: number = await client.guard("mail", {}, (verdict: Verdict) => verdict.call.length, { session: "s" });',
    "export const text = (paused: Paused): string => paused.text;",
  ];
  writeFileSync(join(user, "use.ts"), right.join("\n"));
  await runModule("typescript/bin/tsc", ["-p", user]);
  writeFileSync(join(user, "use.ts"), right.join("\n").replace("verdict.call.length", "verdict.call"));
  await assert.rejects(runModule("typescript/bin/tsc", ["-p", user]));
  const inside = spawnSync(
    process.execPath,
    ["-e", 'import("callosum/src/index.js").catch((error) => console.log(error.code))'],
    {
      cwd: user,
      encoding: "utf8",
    },
  );
  assert.equal(inside.stdout.trim(), "ERR_PACKAGE_PATH_NOT_EXPORTED");
});

/** This machine's own Node, which may be older than the one that the tests run on; undefined where there is none that the client is for. */
function ownNode(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const program = folders.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  const { stdout } = spawnSync(program ?? "node", ["--version"], { encoding: "utf8" });
  return Number(/^v(\d+)/.exec(stdout ?? "")?.[1]) >= 20 ? program : undefined;
}

test("the client runs on this machine's own Node", { skip: ownNode() === undefined && "there is none" }, () => {
  const client = join(EXTENSION, "client", "index.js");
  const program = [
    `import { CallosumClient } from ${JSON.stringify(client)};`,
    `const client = new CallosumClient({ url: ${JSON.stringify(service.socket)} });`,
    'console.log(await client.guard("read_file", { path: "/x" }, () => "ran", { session: "s" }));',
    "client.close();",
  ];
  assert.equal(run(ownNode() ?? "", ["--input-type=module", "-e", program.join("\n")], {}).trim(), "ran");
});
