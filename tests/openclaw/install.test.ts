// Every way to install, as a person would, on a machine without build tools and without a network: gated once it is in, without a trace once it
// is out. CALLOSUM_OPENCLAW=<folder of an openclaw package> runs this with another host.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, test } from "node:test";
import { parseTriple } from "@napi-rs/cli";
import { OLDEST_HOST } from "../../scripts/build.ts";
import { ONLY_AT_FULL_SIZE } from "../full-size.ts";
import { HOST_VERSION } from "./harness/gateway.ts";
import { send } from "./harness/mail.ts";
import { exec, World } from "./harness/world.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const EXTENSION = join(ROOT, "dist", "callosum");
const scratch = mkdtempSync(join(tmpdir(), "callosum-install-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** What a shell, npm and the mail program need; a PATH of only these has no compiler. */
const PROGRAMS = ["sh", "bash", "env", "cat", "ls", "mkdir", "rm", "dirname", "sleep", "tar", "uname", "npm", "npx"];
const bin = join(scratch, "bin");
mkdirSync(bin);
for (const name of PROGRAMS) symlinkSync(which(name), join(bin, name));
symlinkSync(process.execPath, join(bin, "node"));
// An npm that may fetch nothing fails at once, where one without a network would try again for minutes.
const env = { PATH: bin, npm_config_offline: "true", npm_config_update_notifier: "false" };

function which(program: string): string {
  const found = (process.env.PATH ?? "").split(delimiter).find((dir) => existsSync(join(dir, program)));
  assert.ok(found !== undefined, `${program} is not on the PATH`);
  return join(found, program);
}

test("the machine has no build tools", () => {
  for (const name of ["cargo", "rustc", "gcc", "cc", "clang", "make"]) assert.ok(!existsSync(join(bin, name)), name);
});

test("the release builds every platform that the published package names, and no other", () => {
  const { napi } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { napi: { targets: string[] } };
  const workflow = readFileSync(join(ROOT, ".github", "workflows", "release.yml"), "utf8");
  const built = [...workflow.matchAll(/platform: ([\w-]+)/g)].map((match) => match[1]);
  assert.deepEqual(built.sort(), napi.targets.map((triple) => parseTriple(triple).platformArchABI).sort());
});

test("no workflow runs an action by a tag, which may come to mean another", () => {
  const folder = join(ROOT, ".github", "workflows");
  for (const name of readdirSync(folder)) {
    const used = [...readFileSync(join(folder, name), "utf8").matchAll(/^\s*-? uses: (.*)$/gm)].map((match) => match[1] ?? "");
    assert.ok(used.length > 0, name);
    assert.deepEqual(
      used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
      [],
    );
  }
});

/** Two sessions mail the same person: one mail goes out, the second session is told. */
async function assertGated(world: World, name: string): Promise<void> {
  const mail = exec(send(`${name}@example.com`));
  const [first] = await world.play(`${name}-a`, mail);
  assert.match(first ?? "", /Message sent/);
  const [told] = await world.play(`${name}-b`, mail);
  assert.match(told ?? "", /^\[Callosum\] "email:/);
  assert.equal(world.mail.sent(`${name}@example.com`).length, 1);
  const status = await world.status();
  assert.equal(status.degraded, undefined);
  assert.equal(status.stateDir, world.stateDir);
}

/** Two sessions mail the same person, and nobody minds. */
async function assertNotGated(world: World, name: string): Promise<void> {
  const mail = exec(send(`${name}@example.com`));
  for (const session of ["a", "b"]) {
    const [answer] = await world.play(`${name}-${session}`, mail);
    assert.match(answer ?? "", /Message sent/);
  }
  assert.equal(world.mail.sent(`${name}@example.com`).length, 2);
}

const config = (world: World) => JSON.parse(readFileSync(join(world.gateway.dir, "openclaw.json"), "utf8")) as PluginConfig;
interface PluginConfig {
  plugins?: { allow?: string[]; load?: { paths?: string[] }; entries?: Record<string, unknown> };
}

/** Nothing of the plugin is left but the host's note that it was removed on purpose, and the shared state. */
function assertNoTrace(world: World): void {
  const { plugins } = config(world);
  assert.deepEqual(plugins?.entries?.callosum ?? { enabled: false }, { enabled: false });
  assert.deepEqual(plugins?.load?.paths ?? [], []);
  assert.ok(!(plugins?.allow ?? []).includes("callosum"));
  const left = readdirSync(join(world.gateway.dir, "state"), { recursive: true, encoding: "utf8" });
  assert.deepEqual(
    left.filter((path) => path.includes("callosum") && !path.includes("plugin-captures")),
    [],
  );
}

/** The folder in which a workspace keeps its own plugins. */
const dropIn = (world: World) => join(world.gateway.workspace, ".openclaw", "extensions", "callosum");

/** What docs/install.md says to do after the first line with `words`: the commands of the block that follows, with this world's folders. */
function commandsAfter(words: string, world: World): string[] {
  const text = readFileSync(join(ROOT, "docs", "install.md"), "utf8");
  const after = text.slice(text.indexOf(words));
  assert.ok(after.startsWith(words), words);
  const block = /```console\n([^`]*)```/.exec(after)?.[1] ?? "";
  const commands = block.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  assert.ok(commands.length > 0, words);
  return commands.map((command) =>
    command.replaceAll("<workspace>", world.gateway.workspace).replaceAll("dist/callosum", EXTENSION),
  );
}

/** Does what docs/install.md says after `words`, and restarts a running gateway where that, or the host, says so. */
async function follow(words: string, world: World): Promise<void> {
  for (const command of commandsAfter(words, world)) {
    const [program = "", ...args] = command.split(" ");
    if (program !== "openclaw") execFileSync(program, args, { cwd: ROOT });
    else if (args[0] === "plugins") await plugins(world, ...args.slice(1));
    else await world.gateway.openclaw(...args);
  }
}

/** What is left of the plugin in the config. */
const leftover = (world: World) => config(world).plugins;

/** What is left is a config that the host takes, and a gateway that starts. */
async function assertStarts(world: World): Promise<void> {
  assert.match(await world.gateway.openclaw("config", "validate"), /Config valid/);
  await restart(world);
}

const UNINSTALL = "## Uninstall without a trace";
const DROP_IN = "**Dropped in**";
const TAKE_OUT = "A dropped-in folder";
const install = (world: World, ...what: string[]) => plugins(world, "install", ...what, "--force", "--accept-capabilities");

/** What docs/install.md says to do leaves nothing; the host takes its link to a skill away when an agent next runs. */
async function assertUninstalls(world: World, name: string): Promise<void> {
  await follow(UNINSTALL, world);
  await assertNotGated(world, name);
  assertNoTrace(world);
}

/** Runs `openclaw plugins …`, and restarts the gateway where that asks for it, as older hosts do. */
async function plugins(world: World, ...args: string[]): Promise<void> {
  const said = await world.gateway.openclaw("plugins", ...args);
  if (/restart the gateway/i.test(said) && world.gateway.pid !== undefined) await restart(world);
}

/** As a person does, by the command. The oldest host has none. */
async function reload(world: World): Promise<void> {
  if (HOST_VERSION === OLDEST_HOST) await restart(world);
  else await world.gateway.openclaw("plugins", "reload", "callosum");
}

/** The same by what the command asks of the gateway, which takes half as long. */
async function reloadAgain(world: World): Promise<void> {
  if (HOST_VERSION === OLDEST_HOST) await restart(world);
  else await world.gateway.rpc("plugins.reload", { plugins: [{ pluginId: "callosum" }] });
}

async function restart(world: World): Promise<void> {
  await world.gateway.stop();
  await world.gateway.start();
}

/** What `npm pack` makes of a folder. */
function npmPack(dir: string): string {
  const args = ["pack", "--silent", "--pack-destination", scratch, dir];
  const made = execFileSync(join(bin, "npm"), args, { cwd: scratch, env: { ...env, HOME: scratch }, encoding: "utf8" });
  return join(scratch, made.trim());
}

let published: string | undefined;

/** The main package as it is published, except that this platform's package comes from a file and the others don't exist yet. */
function publishedPackage(): string {
  published ??= packPublished();
  return published;
}

function packPublished(): string {
  execFileSync(process.execPath, [join(ROOT, "scripts", "pack.ts")], { stdio: "ignore" });
  const out = join(ROOT, "dist", "npm");
  const [platform = "", ...others] = readdirSync(out).filter((name) => name !== "callosum");
  assert.deepEqual(others, []);
  const main = join(scratch, "published");
  cpSync(join(out, "callosum"), main, { recursive: true });
  assert.deepEqual(readdirSync(join(main, "native")), ["binding.js"]);
  // The notices go with the native parts that they are of.
  const notices = (folder: string) => join(folder, "licenses.txt");
  assert.match(readFileSync(notices(EXTENSION), "utf8"), /\nserde_json \d/);
  assert.equal(readFileSync(notices(join(out, platform)), "utf8"), readFileSync(notices(EXTENSION), "utf8"));
  assert.ok(!existsSync(notices(main)) && existsSync(notices(join(main, "page"))));
  const file = join(main, "package.json");
  const content = JSON.parse(readFileSync(file, "utf8")) as { optionalDependencies: Record<string, string> };
  assert.ok(Object.hasOwn(content.optionalDependencies, `callosum-${platform}`));
  content.optionalDependencies = { [`callosum-${platform}`]: `file:${npmPack(join(out, platform))}` };
  writeFileSync(file, JSON.stringify(content));
  return npmPack(main);
}

test("installed with npm, for one project and for all: the command runs, and a hook never denies a call by its exit", {
  timeout: 400_000,
}, () => {
  const home = join(scratch, "home");
  const prefix = join(scratch, "prefix");
  const project = join(scratch, "project");
  for (const dir of [home, project]) mkdirSync(dir);
  writeFileSync(join(project, "package.json"), "{}");
  const own = { ...env, HOME: home, CALLOSUM_STATE_DIR: join(scratch, "shared") };
  const npm = (...args: string[]) => execFileSync(join(bin, "npm"), args, { cwd: project, env: own, stdio: "pipe" });
  const run = (program: string, args: string[], input: string) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: project, env: own, input, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const tarball = publishedPackage();
  npm("install", "--global", "--prefix", prefix, tarball);
  npm("install", tarball);

  const { version } = JSON.parse(readFileSync(join(EXTENSION, "package.json"), "utf8")) as { version: string };
  const installed = join(prefix, "bin", "callosum");
  const said = { status: 0, stdout: `callosum ${version}\n`, stderr: "" };
  assert.deepEqual(run(installed, ["--version"], ""), said);
  assert.deepEqual(run(join(bin, "npx"), ["callosum", "--version"], ""), said);
  const shipped = readdirSync(prefix, { recursive: true, encoding: "utf8" });
  assert.ok(shipped.some((path) => /callosum-[\w-]+\/licenses\.txt$/.test(path)));
  const { status, stderr } = run(installed, ["journal", "--nonsense"], "");
  assert.deepEqual([status, /--nonsense/.test(stderr)], [2, true]);

  const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: send("alice@example.com") } };
  const event = (session_id: string) => JSON.stringify({ ...call, session_id, tool_use_id: "1" });
  // However the program was started: it is this process that holds the mail to Alice.
  assert.deepEqual(run(join(bin, "npx"), ["callosum", "hook", "codex"], event("a")), { status: 0, stdout: "", stderr: "" });
  const denied = run(installed, ["hook", "codex"], event("b"));
  assert.deepEqual([denied.status, denied.stderr], [0, ""]);
  const { hookSpecificOutput } = JSON.parse(denied.stdout) as { hookSpecificOutput: Record<string, string> };
  assert.match(hookSpecificOutput.permissionDecisionReason ?? "", /^\[Callosum\] "email:alice@example\.com" is being acted on/);
  const journal = JSON.parse(run(installed, ["journal", "--json", "--tier", "3"], "").stdout) as {
    entries: [{ holder: object }];
  };
  assert.partialDeepStrictEqual(journal.entries[0].holder, { pid: process.pid });

  // What the hooks run is the program itself, which starts ten times as fast as Node does.
  const diff = run(installed, ["install", "codex", "--dry-run", "--json"], "").stdout;
  assert.match(diff, /callosum-[\w-]+\/bin\/callosum hook codex/);

  const [program = ""] = readdirSync(prefix, { recursive: true, encoding: "utf8" }).filter((path) =>
    /callosum-[\w-]+\/bin\/callosum$/.test(path),
  );
  const broken = /^callosum: (there is no program for|the program for \S+ can't be started)/;
  // It can't be started; without its package there is none.
  chmodSync(join(prefix, program), 0o644);
  for (const breaking of [() => {}, () => rmSync(dirname(dirname(join(prefix, program))), { recursive: true })]) {
    breaking();
    for (const input of ["{}", " ".repeat(1 << 20)]) {
      const { status, stdout, stderr } = run(installed, ["hook", "codex"], input);
      assert.deepEqual([status, stdout], [0, ""]);
      assert.match(stderr, broken);
    }
    assert.equal(run(installed, ["status"], "").status, 1);
  }
});

test("into a workspace, with a damaged addon, and mended; then into the same OpenClaw as published: gated each time, and no trace afterwards", {
  timeout: 900_000,
}, async (t) => {
  const world = await World.open({ bare: true, env }, async (opening) => {
    await opening.gateway.configure();
    await follow(DROP_IN, opening);
    for (const addon of addons(dropIn(opening))) truncateSync(addon, 1_000_000);
  });
  t.after(() => world.close());

  // A damaged addon leaves the gateway as it was, and says so in one line.
  await assertNotGated(world, "damaged");
  const lines = logged(world, "the native addon did not load");
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", /NO tool call is checked.*is damaged.*To fix it: 1\. Install the plugin again\. 2\. Run/);
  const { degraded } = await world.status();
  assert.equal(degraded?.code, "addon-not-loaded");
  assert.match(degraded?.cause ?? "", /is damaged/);

  // What the line advises.
  cpSync(EXTENSION, dropIn(world), { recursive: true });
  await reload(world);
  await assertGated(world, "mended");

  // Also while no gateway runs.
  await world.gateway.stop();
  await follow(TAKE_OUT, world);
  await world.gateway.start();
  await assertNotGated(world, "removed");
  assertNoTrace(world);

  await install(world, `npm-pack:${publishedPackage()}`);
  await assertGated(world, "published");
  const linked = join(world.gateway.dir, "state/npm/projects/callosum/node_modules/.bin/callosum");
  assert.match(
    execFileSync(linked, ["status"], { env: { ...env, CALLOSUM_STATE_DIR: world.stateDir }, encoding: "utf8" }),
    /email:/,
  );
  assert.match(await world.gateway.openclaw("callosum", "status"), /email:/);
  await assertUninstalls(world, "unpublished");
  await assertStarts(world);
  await assertNotGated(world, "started-again");
});

test("into an OpenClaw that ran before: dropped in, without its addon, linked, packed; gated each time, and no trace afterwards", {
  timeout: 900_000,
  ...ONLY_AT_FULL_SIZE,
}, async (t) => {
  const world = await World.open({ bare: true, env });
  t.after(() => world.close());

  await follow(DROP_IN, world);
  await restart(world);
  await assertGated(world, "dropped");
  // As on a platform that there is no addon for.
  for (const addon of addons(dropIn(world))) rmSync(addon);
  await reloadAgain(world);
  await assertNotGated(world, "foreign");
  assert.equal((await world.status()).degraded?.code, "addon-not-loaded");
  assert.match(logged(world, "has no addon for").at(0) ?? "", /install the plugin for this platform/);
  await follow(TAKE_OUT, world);
  await assertStarts(world);
  await assertNotGated(world, "taken-out");
  assertNoTrace(world);

  await install(world, "--link", EXTENSION);
  await assertGated(world, "link");
  await assertUninstalls(world, "unlinked");
  assert.ok(existsSync(join(EXTENSION, "package.json")), "the linked folder belongs to the person");
  const left = leftover(world);

  await install(world, `npm-pack:${npmPack(EXTENSION)}`);
  // The host keeps in mind that it was uninstalled on purpose.
  await plugins(world, "enable", "callosum");
  await assertGated(world, "packed");
  await assertUninstalls(world, "unpacked");
  // The gateway starts below with what each way leaves.
  assert.deepEqual(leftover(world), left);
  await assertStarts(world);
  await assertNotGated(world, "started-again");
});

const addons = (dir: string) =>
  readdirSync(join(dir, "native"))
    .filter((name) => name.endsWith(".node"))
    .map((name) => join(dir, "native", name));

function logged(world: World, text: string): string[] {
  const log = world.gateway.log().split("\n");
  return log.filter((line) => line.includes(text));
}
