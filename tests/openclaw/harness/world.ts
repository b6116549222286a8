// One scene for tests and the demo: a folder with a fake model, a fake mail program, a gateway with the built plugin, and the state directory
// that its sessions share. Everything lies in that folder and goes with it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chatCompletions } from "./chat-completions.ts";
import { FakeModel, type ScriptedCall, type Step, textOf } from "./fake-model.ts";
import { type AgentAnswer, Gateway, type TurnOptions } from "./gateway.ts";
import { Mail } from "./mail.ts";
import { CALLOSUM, EXTENSION, Stage } from "./stage.ts";

const TWICE = new URL("./twice-plugin", import.meta.url).pathname;
const NEIGHBOUR = new URL("./neighbour-plugin", import.meta.url).pathname;

/** The scenes to abandon when this process ends without having closed them: a gateway would outlive it. */
const OPEN = new Set<World>();
process.on("exit", () => {
  for (const world of OPEN) world.abandon();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // Only where nobody else decides what a signal does, as the demo does.
  process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(1));
}

/** A journal record, as far as tests look at it. */
export interface Row {
  action: string;
  timestamp: string;
  session?: string;
  tool?: string;
  tier?: number;
  call?: string;
  run?: string;
  contextKeys?: string[];
  conflict?: string;
  exitCode?: number;
  [field: string]: unknown;
}

export interface Status {
  instanceId: string;
  version: string;
  stateDir: string;
  mode: string;
  ruleCount: number;
  locks: Array<{ contextKey: string; session: string; tool: string; tier: number; since: string; expiresAt: string }>;
  recentContexts: Array<{ contextKey: string; session: string; state: string }>;
  journal: { lines: number; skipped: number };
  waiting: { queued: number; lost: number; unwritten: number };
  coverage: Record<string, Record<string, { before: number; after: number }>>;
  settingErrors?: string[];
  degraded?: { code: string; cause: string; remedy: string };
}

/** What `callosum doctor` answers, and how it exits. */
export interface Examination {
  code: number;
  ok: boolean;
  findings: Array<{ id: string; level: "ok" | "note" | "warning" | "error"; title: string; detail?: string; remedy?: string }>;
}

export interface WorldOptions {
  /** The folder of the plugin, in place of the built one. */
  extension?: string;
  /** The plugin's config, beside the state directory. */
  config?: Record<string, unknown>;
  /** What the operator allows the plugin's hooks. */
  hooks?: Record<string, unknown>;
  /** No plugin at all: the test installs it, and the state directory is the default one in the gateway's own home. */
  bare?: boolean;
  /** Added to the environment of the gateway. */
  env?: Record<string, string>;
  /** The person's home folder; the plugin then stands at its default settings. */
  home?: string;
  /** Added to the host's config, at its top level. */
  gatewayConfig?: Record<string, unknown>;
  /** There is a second agent, `coder`, whose model writes programs; `coder:one` names a session of its. */
  coder?: boolean;
  /** Plugins of the host's own that are allowed, too. */
  plugins?: string[];
  /** Added to `tools` of the host's config. */
  tools?: Record<string, unknown>;
  /** The browser's Control UI is there. */
  controlUi?: boolean;
  /** The operator's rules file, written before the gateway starts. */
  rules?: unknown;
}

export class World extends Stage {
  readonly gateway: Gateway;

  private constructor(dir: string, model: FakeModel, options: WorldOptions) {
    const home = options.home ?? (options.bare ? join(dir, "gateway", "home") : undefined);
    const stateDir = home === undefined ? join(dir, "callosum") : join(home, ".callosum");
    super({ dir, stateDir, model, mail: new Mail(dir), extension: options.extension });
    this.gateway = new Gateway({
      dir: join(dir, "gateway"),
      modelUrl: model.baseUrl,
      execPath: this.mail.bin,
      pluginPaths: [options.extension ?? EXTENSION, TWICE, NEIGHBOUR],
      pluginEntries: {
        callosum: {
          enabled: true,
          ...(options.hooks && { hooks: options.hooks }),
          config: { ...(home === undefined && { stateDir: this.stateDir }), ...options.config },
        },
        twice: { enabled: true },
        neighbour: { enabled: true },
        ...Object.fromEntries((options.plugins ?? []).map((name) => [name, { enabled: true }])),
      },
      ...(options.bare && { bare: true }),
      ...(options.controlUi && { controlUi: true }),
      ...(options.coder && { coder: true }),
      env: { ...options.env, ...(options.home && { HOME: options.home }) },
      ...(options.gatewayConfig && { config: options.gatewayConfig }),
      ...(options.tools && { tools: options.tools }),
    });
  }

  /** Opens a scene; `opening` gets it before the gateway is up, so that it can be closed meanwhile. */
  static async open(options: WorldOptions = {}, opening?: (world: World) => void | Promise<void>): Promise<World> {
    const dir = mkdtempSync(join(tmpdir(), "callosum-world-"));
    mkdirSync(join(dir, "gateway"));
    const world = new World(dir, await FakeModel.start([chatCompletions]), options);
    OPEN.add(world);
    try {
      if (options.rules !== undefined) {
        mkdirSync(world.stateDir, { recursive: true, mode: 0o700 });
        writeFileSync(join(world.stateDir, "tiers.json"), JSON.stringify(options.rules));
      }
      await opening?.(world);
      await world.gateway.start();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** Ends everything and removes the folder. */
  async close(): Promise<void> {
    await this.gateway.stop();
    await this.clear();
    OPEN.delete(this);
  }

  /** Kills and removes at once what `close` would end properly, for a process that can't wait any more. */
  abandon(): void {
    OPEN.delete(this);
    this.gateway.killNow();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Starts a turn in which the model plays these steps. */
  begin(session: string, steps: Array<Step | ScriptedCall>, options: TurnOptions = {}): Turn {
    const { name, prompt } = this.turn(session, steps);
    return new Turn(this.model, name, sessionKey(session), this.gateway.turn(sessionKey(session), prompt, options));
  }

  /** Plays a whole turn and gives what the model was told as the results of its calls. */
  async play(session: string, ...steps: Array<Step | ScriptedCall>): Promise<string[]> {
    return await this.begin(session, steps).results();
  }

  async journal(filter: Record<string, unknown> = {}): Promise<Row[]> {
    return (await this.gateway.rpc<{ entries: Row[] }>("callosum.journal", filter)).entries;
  }

  async status(): Promise<Status> {
    return await this.gateway.rpc<Status>("callosum.status");
  }

  /** Says something in a chat, with these rights, and gives the answer that stands in it then. */
  async say(message: string, scopes = ["operator.admin"]): Promise<string> {
    const session = sessionKey(`chat-${Math.random()}`);
    await this.gateway.rpcAs(scopes, "chat.send", { sessionKey: session, message, idempotencyKey: session });
    return await until(`an answer to ${message}`, async () => {
      type History = { messages: Array<{ role: string; content: unknown }> };
      const { messages } = await this.gateway.rpc<History>("chat.history", { sessionKey: session });
      const answer = messages.find(({ role }) => role === "assistant");
      return answer && textOf(answer.content);
    });
  }

  /** Switches the plugin off or on. Right after another change the host still refuses the next one. */
  async enable(enabled: boolean): Promise<void> {
    await until(
      `the host to ${enabled ? "enable" : "disable"} the plugin`,
      async () => {
        try {
          await this.gateway.rpc("plugins.setEnabled", { pluginId: "callosum", enabled });
          return true;
        } catch (error) {
          if (!(error instanceof Error && error.message.includes("already running"))) throw error;
          return void (await sleep(1_000));
        }
      },
      30_000,
    );
  }

  /** Asks the host once to change the plugin's config. In the middle of a turn it keeps an edit, and does not apply it. */
  async tryEdit(config: Record<string, unknown>): Promise<void> {
    const { hash } = await this.gateway.rpc<{ hash: string }>("config.get");
    const raw = JSON.stringify({ plugins: { entries: { callosum: { config } } } });
    await this.gateway.rpc("config.patch", { raw, baseHash: hash });
  }

  /** Changes the plugin's config until the host applies it; gives the instance's new name, without which the same edit once more would be none. */
  async edit(config: Record<string, unknown> = {}): Promise<string> {
    return await until(
      "the host to apply an edit",
      async () => {
        const instanceId = `renamed-${Date.now()}`;
        const applied = await this.tryEdit({ ...config, instanceId }).then(
          () => true,
          () => false,
        );
        return applied ? instanceId : void (await sleep(1_000));
      },
      30_000,
    );
  }

  /** Runs `callosum doctor` as the person to whom the gateway belongs. */
  async doctor(...args: string[]): Promise<Examination> {
    const env = { CALLOSUM_STATE_DIR: this.stateDir };
    const { code, stdout } = await this.gateway.asPerson(CALLOSUM, ["doctor", "--json", ...args], env);
    return { code, ...(JSON.parse(stdout) as Omit<Examination, "code">) };
  }
}

/** A turn under way. */
export class Turn {
  readonly name: string;
  readonly session: string;
  readonly ended: Promise<AgentAnswer>;
  readonly #model: FakeModel;

  constructor(model: FakeModel, name: string, session: string, ended: Promise<AgentAnswer>) {
    this.#model = model;
    this.name = name;
    this.session = session;
    this.ended = ended;
    // A turn that a test aborts or kills is looked at later, or never.
    ended.catch(() => {});
  }

  /** Waits for the end; then what the model was told as the results of its calls, in order. */
  async results(): Promise<string[]> {
    await this.ended;
    return this.#model.toolResults(this.name);
  }

  /** What the model was told so far. */
  resultsSoFar(): string[] {
    return this.#model.toolResults(this.name);
  }
}

/** The key under which the host knows a session: of the agent `main`, where the name says no other. */
export function sessionKey(name: string): string {
  return name.includes(":") ? `agent:${name}` : `agent:main:${name}`;
}

/** A call of the exec tool. */
export function exec(command: string, more: Record<string, unknown> = {}): ScriptedCall {
  return { name: "exec", args: { command, ...more } };
}

/** A call of a tool that the model reaches through the host's catalog: it passes the hooks twice, as `tool_call` and by its name. */
export function via(tool: string, args: Record<string, unknown>): ScriptedCall {
  return { name: "tool_call", args: { id: tool, args } };
}

/** Waits until something holds; fails after a bounded time with what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 15_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
