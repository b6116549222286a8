// One scene: a folder with a scripted model, a fake mail program, homes of Codex and Gemini into which `callosum install` put its hooks, and the
// state directory that their sessions share. Everything lies in that folder and goes with it.

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FakeModel, type ScriptedCall, type Step } from "../../openclaw/harness/fake-model.ts";
import { Mail } from "../../openclaw/harness/mail.ts";
import { CALLOSUM, Stage } from "../../openclaw/harness/stage.ts";
import type { Row } from "../../openclaw/harness/world.ts";
import { Agent, type Run, type RuntimeName } from "./agent.ts";
import { generateContent } from "./generate-content.ts";
import { responses } from "./responses.ts";

/** One thing that happened to a resource, as `callosum why` tells it. */
export interface Told {
  what: string;
  session: string;
  runtime: string;
  [field: string]: unknown;
}

/** A session, as `callosum sessions` tells it. */
export interface Heard {
  session: string;
  runtime: string;
  calls: number;
  activity: string;
  over?: string;
}

export interface SceneOptions {
  /** The state directory of another scene. */
  stateDir?: string;
  /** The mail program of another scene. */
  mail?: Mail;
  /** An MCP server that mails, under the name `mailer`. */
  mailer?: { command: string; args: string[] };
  /** Callosum's MCP server is installed with the hooks. */
  mcp?: boolean;
  /** Nothing is installed: the test does that. */
  bare?: boolean;
  /** Codex's sandbox; without it there is none. */
  sandbox?: "workspace-write";
  /** The program is gone after its hooks were installed. */
  uninstalled?: boolean;
}

export class Scene extends Stage {
  readonly codex: Agent;
  readonly gemini: Agent;

  private constructor(dir: string, model: FakeModel, options: SceneOptions) {
    super({ dir, stateDir: options.stateDir ?? join(dir, "callosum"), model, mail: options.mail ?? new Mail(dir) });
    const agent = (runtime: RuntimeName) =>
      new Agent(runtime, {
        dir: join(dir, runtime),
        modelOrigin: model.origin,
        path: this.mail.bin,
        ...(options.sandbox && { sandbox: options.sandbox }),
        ...(options.mailer && { mcp: { name: "mailer", ...options.mailer } }),
      });
    this.codex = agent("codex");
    this.gemini = agent("gemini");
  }

  static async open(options: SceneOptions = {}): Promise<Scene> {
    const dir = mkdtempSync(join(tmpdir(), "callosum-agents-"));
    const scene = new Scene(dir, await FakeModel.start([responses, generateContent]), options);
    const program = options.uninstalled ? join(dir, "program", "callosum") : CALLOSUM;
    if (options.uninstalled) cpSync(CALLOSUM, program);
    for (const agent of options.bare ? [] : [scene.codex, scene.gemini]) {
      // Nothing in the environment says where the state is: the hooks do.
      const args = ["install", agent.runtime, "--state-dir", scene.stateDir, ...(options.mcp ? ["--mcp"] : [])];
      await promisify(execFile)(program, args, { env: agent.environment(), timeout: 10_000 });
    }
    if (options.uninstalled) rmSync(program);
    return scene;
  }

  /** Ends everything and removes the folder. */
  async close(): Promise<void> {
    this.codex.stop();
    this.gemini.stop();
    await this.clear();
  }

  /** Starts a session of its own in which the model plays these steps. */
  begin(agent: Agent, ...steps: Array<Step | ScriptedCall>): Session {
    const { name, prompt } = this.turn(agent.runtime, steps);
    return new Session(this.model, name, agent.run(prompt));
  }

  /** Plays a whole session and gives what the model was told as the results of its calls. */
  async play(agent: Agent, ...steps: Array<Step | ScriptedCall>): Promise<string[]> {
    return await this.begin(agent, ...steps).results();
  }

  /** The journal's lines on a resource. */
  async journal(key: string): Promise<Row[]> {
    return (await this.#ask<{ entries: Row[] }>("journal", "-n", "1000", "--key", key)).entries;
  }

  /** The story of a resource. */
  async why(key: string): Promise<{ events: Told[]; leases: unknown[] }> {
    return await this.#ask("why", key);
  }

  /** The sessions heard of lately, the latest first. */
  async sessions(): Promise<Heard[]> {
    return (await this.#ask<{ sessions: Heard[] }>("sessions")).sessions;
  }

  /** The journal's lines of a kind that a runtime's sessions left. */
  async records(action: string, runtime: string): Promise<Row[]> {
    const only = ["--action", action, "--runtime", runtime];
    return (await this.#ask<{ entries: Row[] }>("journal", "-n", "1000", ...only)).entries;
  }

  /** What was written of tasks or messages, the newest last. */
  async documents(action: "task" | "message"): Promise<Array<{ id: string; did: string }>> {
    const { entries } = await this.#ask<{ entries: Array<{ document: { id: string; did: string } }> }>(
      ...["journal", "-n", "1000", "--action", action],
    );
    return entries.map(({ document }) => document);
  }

  async #ask<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.cli(...args, "--json")) as T;
  }
}

/** A session under way. */
export class Session {
  readonly name: string;
  readonly ended: Promise<Run>;
  readonly #model: FakeModel;

  constructor(model: FakeModel, name: string, ended: Promise<Run>) {
    this.#model = model;
    this.name = name;
    this.ended = ended;
  }

  /** Waits for the end; then what the model was told as the results of its calls, in order. */
  async results(): Promise<string[]> {
    const { exitCode, output } = await this.ended;
    if (exitCode !== 0) throw new Error(`${this.name} ended with ${exitCode}:\n${output.slice(-4000)}`);
    return this.#model.toolResults(this.name);
  }

  /** The requests to the model so far, as they were sent. */
  requests(): string[] {
    return this.#model.turn(this.name).map(({ body }) => body);
  }
}
