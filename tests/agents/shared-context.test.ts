// The shared context in the real Codex and the real Gemini: what a session reads, what it may write, what it is refused, and where what an agent
// wrote never stands.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord, listOf, type ScriptedCall, textOf } from "../openclaw/harness/fake-model.ts";
import { CALLOSUM } from "../openclaw/harness/stage.ts";
import { until } from "../openclaw/harness/world.ts";
import type { Agent } from "./harness/agent.ts";
import { Scene, type SceneOptions } from "./harness/scene.ts";

const CANARY = "canary-7f3a-obey-me";
const REFUSED = /Refused by policy `context\.[a-z-]+`.*A retry will not help/s;

/** A scene whose shared context lies outside of all projects: Gemini tells its model the name of every file in its own. */
async function opened(options: SceneOptions = {}): Promise<{ scene: Scene; shared: string }> {
  const scene = await Scene.open(options);
  const shared = join(scene.dir, "shared");
  mkdirSync(scene.stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(scene.stateDir, "settings.json"), JSON.stringify({ sharedContextDir: shared }));
  return { scene, shared };
}

/** What differs from session to session with or without hooks: ids and moments. Codex tells some in an object whose order differs, too. */
const bare = (body: string) =>
  body
    .replace(/"client_metadata":\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/, "METADATA")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replace(/(codex|gemini)-\d+/g, "TURN")
    // The same in the tool that reads one.
    .replace(/\(Available: ([^)]*)\)/g, (_, skills: string) => `(Available: ${skills.split(", ").sort().join(", ")})`)
    // Gemini CLI names its skills in the order in which they were read.
    .replace(
      /(<available_skills>)(.*)(<\/available_skills>)/,
      (_, begin, skills, end) => begin + skills.split("</skill>").sort().join("</skill>") + end,
    )
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g, "MOMENT")
    .replace(/"turn_started_at_unix_ms":\d+|turn_started_at_unix_ms\\":\d+/g, "MOMENT");

/** Where two texts differ first; `undefined` where they don't. */
function difference(one: string, other: string): [string, string] | undefined {
  if (one === other) return undefined;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return [one.slice(Math.max(0, at - 80), at + 80), other.slice(Math.max(0, at - 80), at + 80)];
}

/** What a request says as its system's, its developer's or a person's words: no result of a tool, no call, nothing that the model said. */
function instructions(body: string): string {
  const request = JSON.parse(body) as Record<string, unknown>;
  const messages = listOf(request.input).filter(({ type, role }) => (type ?? "message") === "message" && role !== "assistant");
  const contents = listOf(request.contents).filter(({ role }) => role === "user");
  const parts = (content: unknown) =>
    listOf(isRecord(content) ? content.parts : []).map((part) => (typeof part.text === "string" ? part.text : ""));
  return [
    JSON.stringify(request.instructions ?? ""),
    JSON.stringify(request.tools ?? ""),
    ...messages.map(({ content }) => textOf(content)),
    ...contents.flatMap(parts),
    ...parts(request.systemInstruction),
  ].join("\n");
}

for (const runtime of ["codex", "gemini"] as const) {
  describe(runtime, () => {
    let scene: Scene;
    let shared: string;
    let agent: Agent;
    before(async () => {
      ({ scene, shared } = await opened());
      agent = scene[runtime];
    });
    after(() => scene?.close());

    const read = (path: string) => readFileSync(join(shared, path), "utf8");
    const context = async (...args: string[]) =>
      JSON.parse(await scene.cli("context", ...args, "--json")) as Record<string, unknown>;
    const command = (...args: string[]) => agent.shell(`${CALLOSUM} --state-dir ${scene.stateDir} context ${args.join(" ")}`);
    /** What is told to the model of a session that only begins. */
    async function beginning(): Promise<string> {
      const session = scene.begin(agent);
      await session.results();
      return session.requests()[0] ?? "";
    }

    test("until it is switched on, and after it was switched off, a session's request is the same, byte for byte", async () => {
      const before = await beginning();
      assert.ok(!/shared context/i.test(before));
      await context("init");
      writeFileSync(
        join(shared, "priorities.md"),
        read("priorities.md").replace("## Current\n", "## Current\n\n- Ship on Friday\n"),
      );
      const on = await beginning();
      assert.match(instructions(on), /Shared context.*Priorities:\n- Ship on Friday/s);
      await context("off");
      const after = await beginning();
      await context("init");
      assert.equal(difference(bare(before), bare(after)), undefined);
    });

    test("what one session writes by the command another reads as a result; who it was the gate knows", async () => {
      const [told] = await scene.play(agent, command("write", "--title", "Notes", "--body", "'Found it'", "--agent", "boss"));
      assert.match(told ?? "", /Wrote [0-9a-f]{12} to /, told);
      const [day = ""] = readdirSync(join(shared, "agent-outputs", runtime));
      const [file = ""] = readdirSync(join(shared, "agent-outputs", runtime, day));
      const path = join("agent-outputs", runtime, day, file);
      const text = read(path);
      const { session } = (await scene.sessions())[0] ?? {};
      assert.ok(text.includes(`agent: "${runtime}"\nclaimedAgent: "boss"\n`), text);
      assert.ok(text.includes(`session: "${session}"\nruntime: "${runtime}"\n`), `${session}: ${text}`);
      const reader = scene.begin(agent, agent.shell(`cat ${join(shared, path)}`));
      const [result] = await reader.results();
      assert.match(result ?? "", /Found it/);
      assert.match(instructions(reader.requests()[0] ?? ""), /New outputs in `agent-outputs\/.*`: /);
    });

    test("it is refused what is the curator's, the operator's and another agent's, by its shell and by its tools for files", async () => {
      const priorities = join(shared, "priorities.md");
      const other = join(shared, "agent-outputs", "someone", "x.md");
      const before = read("priorities.md");
      const write = (path: string): ScriptedCall =>
        runtime === "codex"
          ? { name: "apply_patch", args: { input: `*** Begin Patch\n*** Add File: ${path}\n+mine\n*** End Patch\n` } }
          : { name: "write_file", args: { file_path: path, content: "mine\n" } };
      const told = await scene.play(
        agent,
        agent.shell(`echo mine > ${priorities}`),
        agent.shell(`: > ${join(shared, "priorities.inbox.md")}`),
        agent.shell(`mkdir -p ${join(shared, "agent-outputs", "someone")} && cp /etc/hostname ${other}`),
        write(join(shared, "roundtable", "2026-01-01.md")),
        agent.shell(`rm -rf ${shared}`),
      );
      assert.equal(told.length, 5);
      // Gemini's tools for files reach nothing outside of the project.
      const own = /Path not in workspace/;
      for (const [at, text] of told.entries()) assert.match(text, at === 3 && runtime === "gemini" ? own : REFUSED, text);
      const [accept, off] = await scene.play(agent, command("accept", "0123456789ab"), command("off"));
      for (const text of [accept, off]) assert.match(text ?? "", /Refused by policy `state\.protected`/, text);
      assert.equal(read("priorities.md"), before);
      assert.deepEqual(readdirSync(join(shared, "roundtable")), []);
      const { entries } = JSON.parse(await scene.cli("journal", "-n", "100", "--action", "denied", "--json")) as {
        entries: unknown[];
      };
      assert.equal(entries.length, runtime === "gemini" ? 6 : 7);
      // What is its own, and appending, pass.
      const allowed = await scene.play(
        agent,
        agent.shell(
          `printf '%s\\n' '' '## 2026-11-24T10:00:00Z (${runtime})' '' 'By a redirection' >> ${join(shared, "priorities.inbox.md")}; echo done`,
        ),
        agent.shell(
          `mkdir -p ${join(shared, "staging", runtime)} && echo mine > ${join(shared, "staging", runtime, "x.md")}; echo done`,
        ),
      );
      for (const text of allowed) assert.match(text, /done/, text);
      assert.match(read("priorities.inbox.md"), /By a redirection/);
    });

    test("an inbox that its programs empty is told of with the session, also where the program outlives it; nothing is lost", async () => {
      const inbox = join(shared, "priorities.inbox.md");
      const whole = read("priorities.inbox.md");
      const script = join(agent.project, "empty.py");
      writeFileSync(
        script,
        `import sys, time, os\nif len(sys.argv) > 1: open(sys.argv[1] + ".ready", "w").close()\nwhile len(sys.argv) > 1 and not os.path.exists(sys.argv[1]): time.sleep(0.05)\nopen("${inbox}", "w").close()\n`,
      );
      await scene.play(agent, agent.shell("python3 empty.py"));
      assert.equal(read("priorities.inbox.md"), "");
      const tampered = async () => {
        await context("show");
        const told = JSON.parse(await scene.cli("journal", "-n", "100", "--action", "context", "--json")) as {
          entries: Array<{ suspects: Array<{ session: string }> }>;
        };
        return told.entries.map(({ suspects }) => suspects.map(({ session }) => session));
      };
      const [first] = await scene.sessions();
      const told = await tampered();
      assert.ok(told.length === 1 && told[0]?.includes(first?.session ?? ""), JSON.stringify([told, first]));
      assert.deepEqual((await context("restore")).restored, ["priorities.inbox.md"]);
      assert.equal(read("priorities.inbox.md"), whole);

      const go = join(scene.dir, "go");
      // A runtime may end what its command has started until that has a session of its own: the command waits for that.
      const detached = `setsid nohup python3 empty.py ${go} > /dev/null 2>&1 & until [ -e ${go}.ready ]; do sleep 0.05; done; echo started`;
      const [started] = await scene.play(agent, agent.shell(detached));
      assert.match(started ?? "", /started/, started);
      writeFileSync(go, "");
      await until("the program to empty it", () => read("priorities.inbox.md") === "", 30_000);
      const [second] = await scene.sessions();
      const again = await tampered();
      assert.ok(again.length === 2 && again.flat().includes(second?.session ?? ""), JSON.stringify([again, second]));
      assert.deepEqual((await context("restore")).restored, ["priorities.inbox.md"]);
      assert.equal(read("priorities.inbox.md"), whole);
    });

    test("what a page has put into one agent is never text of the system, the developer or a person for another", async () => {
      const run = (...args: string[]) => `${CALLOSUM} --state-dir ${scene.stateDir} context ${args.join(" ")}`;
      const poison = `'${CANARY}'`;
      const page = [
        run("write", "--title", poison, "--body", poison, "--tags", CANARY),
        run("stage", "--title", poison, "--body", poison),
        run("append", poison),
        run("feedback", "--agent", "boss", "--decision", "rejected", "--reason", poison, "--learning", poison),
      ];
      writeFileSync(join(agent.project, "page.sh"), `set -e\n${page.join("\n")}\necho written\n`);
      const [told] = await scene.play(agent, agent.shell("sh page.sh"));
      assert.match(told ?? "", /written/, told);
      await scene.cli("context", "curate");
      await scene.cli("context", "curate", "--weekly");
      assert.match(read("priorities.md"), new RegExp(CANARY));
      const reader = scene.begin(agent, agent.shell(`cat ${join(shared, "priorities.md")}`));
      assert.match((await reader.results())[0] ?? "", new RegExp(CANARY));
      await beginning();
      const bodies = scene.model.requests.map(({ body }) => body);
      assert.ok(bodies.length > 10);
      for (const body of bodies) assert.ok(!instructions(body).includes(CANARY), body);
    });

    test("the command line tells that a hook told each session", async () => {
      const { sessions } = (await context("show")) as { sessions: Array<{ session: string; how: string }> };
      const newest = (await scene.sessions())[0]?.session;
      assert.equal(sessions.find(({ session }) => session === newest)?.how, "hook");
    });
  });
}

test("codex in its sandbox `workspace-write` reads it, is told of it, and can change nothing there", async () => {
  const { scene, shared } = await opened({ sandbox: "workspace-write" });
  try {
    await scene.cli("context", "init");
    const priorities = join(shared, "priorities.md");
    writeFileSync(priorities, readFileSync(priorities, "utf8").replace("## Current\n", "## Current\n\n- Ship on Friday\n"));
    const { codex } = scene;
    const session = scene.begin(
      codex,
      codex.shell(`cat ${priorities}`),
      codex.shell(`${CALLOSUM} --state-dir ${scene.stateDir} context append 'By the sandbox'; echo exit $?`),
      codex.shell(`echo x >> ${join(shared, "priorities.inbox.md")}; echo exit $?`),
    );
    const [seen, command, append] = await session.results();
    assert.match(instructions(session.requests()[0] ?? ""), /Priorities:\n- Ship on Friday/);
    assert.match(seen ?? "", /- Ship on Friday/);
    assert.match(command ?? "", /exit [12]/, command);
    assert.match(append ?? "", /exit [12]/, append);
    assert.ok(!readFileSync(join(shared, "priorities.inbox.md"), "utf8").includes("By the sandbox"));
  } finally {
    await scene.close();
  }
});
