// A whole OpenClaw gateway in a folder of its own: its own home, state, config, port and token, on loopback, and bounded in time.
// Nothing of the person who runs the tests is read or written.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { GatewayClient } from "openclaw/plugin-sdk/gateway-runtime";

const START_MS = 180_000;
const STOP_MS = 20_000;
/** For what the host computes longest for: ten processor-seconds, when a plugin is loaded, enabled or disabled. */
const ANSWER_MS = 60_000;
/** CALLOSUM_OPENCLAW names the folder of another OpenClaw package, to try an older or newer host than the dependency. */
const PACKAGE = process.env.CALLOSUM_OPENCLAW ?? new URL("../../../node_modules/openclaw", import.meta.url).pathname;
const OPENCLAW = join(PACKAGE, "openclaw.mjs");
/** What Node compiled of the host's modules, for all gateways: a folder of its own would make each compile two thousand of them anew. */
const COMPILED = new URL("../../../target/node-compile-cache", import.meta.url).pathname;
/** The version of the host that the gateways run on. */
export const HOST_VERSION = (JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string }).version;

export interface GatewayOptions {
  /** The folder everything of this gateway lies in. */
  dir: string;
  modelUrl: string;
  /** Put before PATH in every exec. */
  execPath: string;
  /** Folders with plugins to load. */
  pluginPaths: string[];
  /** `plugins.entries` of the config. */
  pluginEntries: Record<string, unknown>;
  /** Added to the environment of the gateway. */
  env?: Record<string, string>;
  /** Added to the config, at its top level. */
  config?: Record<string, unknown>;
  /** There is an agent `coder` beside `main`, in the host's code mode. */
  coder?: boolean;
  /** Added to `tools` of the config. */
  tools?: Record<string, unknown>;
  /** The browser's Control UI is there. */
  controlUi?: boolean;
  /** The config has no word about plugins: they are the `openclaw` command's. */
  bare?: boolean;
}

/** What a turn may have besides its message. */
export interface TurnOptions {
  /** It was begun by a person at a client that shows them questions. Without one the host takes it for a program's, and asks nobody. */
  byPerson?: boolean;
  timeoutMs?: number;
}

/** What the `agent` request answers in the end. */
export interface AgentAnswer {
  runId: string;
  status: string;
}

export class Gateway {
  readonly dir: string;
  readonly token = "token-of-a-throw-away-gateway";
  readonly #options: GatewayOptions;
  #port = 0;
  #child: ChildProcess | undefined;
  #client: GatewayClient | undefined;
  #turns = 0;

  constructor(options: GatewayOptions) {
    this.dir = options.dir;
    this.#options = options;
    for (const folder of ["home", "state", "workspace"]) mkdirSync(join(this.dir, folder), { recursive: true });
    // Where the host looks for it on a person's machine: in the common folder for temporary files, which here is the gateway's own.
    mkdirSync(COMPILED, { recursive: true });
    symlinkSync(COMPILED, join(this.dir, "node-compile-cache"));
  }

  get workspace(): string {
    return join(this.dir, "workspace");
  }

  /** Where it listens. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Everything that the gateway process wrote so far. */
  log(): string {
    return readFileSync(join(this.dir, "gateway.log"), "utf8");
  }

  /**
   * Writes the config, once: then it is the host's, which notes in it what it changed. A config that has lost this note is taken for a broken one
   * at the next start, and replaced by what the host had kept before its last change.
   */
  async configure(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const file = join(this.dir, "openclaw.json");
    if (!existsSync(file)) writeFileSync(file, JSON.stringify(this.#config(), null, 2));
  }

  /** Runs the `openclaw` command as the person would to whom this gateway belongs; gives what it printed. */
  async openclaw(...args: string[]): Promise<string> {
    const options = { cwd: this.workspace, env: this.#environment(), timeout: 150_000 };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [OPENCLAW, ...args], options);
    return stdout + stderr;
  }

  /** Runs a program as the person would, with `openclaw` on the PATH and more in the environment; gives its exit code and what it printed. */
  async asPerson(program: string, args: string[], env: Record<string, string>): Promise<{ code: number; stdout: string }> {
    const options = { cwd: this.workspace, env: { ...this.personsEnvironment(), ...env }, timeout: 150_000 };
    return await new Promise((resolve, reject) => {
      execFile(program, args, options, (error, stdout) => {
        if (error === null || typeof error.code === "number") resolve({ code: Number(error?.code ?? 0), stdout });
        else reject(error);
      });
    });
  }

  /** The environment of the person to whom this gateway belongs, with `openclaw` on the PATH. */
  personsEnvironment(): Record<string, string> {
    const bin = join(this.dir, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "openclaw"), `#!/bin/sh\nexec '${process.execPath}' '${OPENCLAW}' "$@"\n`, { mode: 0o755 });
    const own = this.#environment();
    return { ...own, PATH: `${bin}:${own.PATH}` };
  }

  async start(): Promise<void> {
    await this.configure();
    const output = openSync(join(this.dir, "gateway.log"), "a");
    const child = spawn(process.execPath, [OPENCLAW, "gateway", "run"], {
      cwd: this.workspace,
      env: this.#environment(),
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    this.#child = child;
    const deadline = Date.now() + START_MS;
    while (!(await this.#healthy())) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`the gateway ended while starting (${child.exitCode ?? child.signalCode}):\n${this.log().slice(-4000)}`);
      }
      if (Date.now() > deadline) {
        await this.kill();
        throw new Error(`the gateway was not ready after ${START_MS / 1000} s:\n${this.log().slice(-4000)}`);
      }
      await sleep(100);
    }
    if (this.#child !== child) throw new Error("the gateway was stopped while it started");
    this.#client = await this.connect(["operator.admin", "operator.read", "operator.write"]);
  }

  /** Asks the gateway to stop and waits for it; after a bounded time it is killed. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** Ends the gateway without giving it a chance to do anything. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Kills without waiting. */
  killNow(): void {
    this.#child?.kill("SIGKILL");
  }

  /** Calls a gateway method. */
  async rpc<T>(method: string, params: unknown = {}): Promise<T> {
    if (this.#client === undefined) throw new Error("the gateway is not running");
    return await this.#client.request<T>(method, params, { timeoutMs: ANSWER_MS });
  }

  /** Calls a gateway method as a client that has only these scopes. */
  async rpcAs<T>(scopes: string[], method: string, params: unknown = {}): Promise<T> {
    const client = await this.connect(scopes);
    try {
      return await client.request<T>(method, params, { timeoutMs: ANSWER_MS });
    } finally {
      client.stop();
    }
  }

  /** Sends a message to a session and waits until its turn has ended. */
  async turn(sessionKey: string, message: string, { byPerson, timeoutMs = 60_000 }: TurnOptions = {}): Promise<AgentAnswer> {
    if (this.#client === undefined) throw new Error("the gateway is not running");
    this.#turns += 1;
    const request = {
      sessionKey,
      message,
      idempotencyKey: `turn-${this.#turns}-${Date.now()}`,
      timeout: Math.ceil(timeoutMs / 1000),
      ...(byPerson && { channel: "webchat" }),
    };
    return await this.#client.request<AgentAnswer>("agent", request, { expectFinal: true, timeoutMs });
  }

  /** A client that has these scopes, and can do what these capabilities say. */
  async connect(scopes: string[], caps: string[] = []): Promise<GatewayClient> {
    return await new Promise<GatewayClient>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("no connection to the gateway within 30 s")), 30_000);
      const client = new GatewayClient({
        url: `ws://127.0.0.1:${this.#port}`,
        token: this.token,
        clientName: "gateway-client",
        mode: "backend",
        role: "operator",
        scopes,
        caps,
        deviceIdentity: null,
        onHelloOk: () => {
          clearTimeout(late);
          resolve(client);
        },
        // It tries again by itself: a gateway that answers on HTTP may not take connections yet.
        onConnectError: () => {},
      });
      client.start();
    });
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#client?.stop();
    this.#client = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill(signal);
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(late);
    }
    this.#child = undefined;
  }

  async #healthy(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.origin}/healthz`, { signal: AbortSignal.timeout(2000) });
      return answer.ok;
    } catch {
      return false;
    }
  }

  #environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      LANG: process.env.LANG ?? "C.UTF-8",
      HOME: join(this.dir, "home"),
      TMPDIR: this.dir,
      OPENCLAW_STATE_DIR: join(this.dir, "state"),
      OPENCLAW_CONFIG_PATH: join(this.dir, "openclaw.json"),
      OPENCLAW_GATEWAY_PORT: String(this.#port),
      OPENCLAW_GATEWAY_TOKEN: this.token,
      CI: "1",
      DO_NOT_TRACK: "1",
      NO_COLOR: "1",
      OPENCLAW_OFFLINE: "1",
      OPENCLAW_NO_AUTO_UPDATE: "1",
      OPENCLAW_DISABLE_BONJOUR: "1",
      OPENCLAW_NO_RESPAWN: "1",
      OPENCLAW_EXEC_SHELL_SNAPSHOT: "0",
      OPENCLAW_SKIP_CHANNELS: "1",
      OPENCLAW_SKIP_CRON: "1",
      ...this.#options.env,
    };
  }

  #config(): unknown {
    const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const model = {
      id: "scripted",
      name: "scripted",
      reasoning: false,
      input: ["text"],
      cost: noCost,
      contextWindow: 200_000,
      maxTokens: 8192,
    };
    return {
      gateway: {
        mode: "local",
        bind: "loopback",
        port: this.#port,
        auth: { mode: "token", token: this.token },
        controlUi: { enabled: this.#options.controlUi ?? false },
        // What clients may ask for besides models: `tools.invoke` is a way to the gate that no run belongs to.
        tools: { allow: ["automations"] },
      },
      update: { checkOnStart: false },
      telemetry: { enabled: false },
      discovery: { mdns: { mode: "off" } },
      // Else the host starts a worker after each turn that looks for old sessions, for a second or two of computing.
      session: { maintenance: { mode: "warn" } },
      // Else it watches where skills lie, and reads all of them anew time and again: a tenth of what it computes in a test.
      skills: { load: { watch: false } },
      agents: {
        defaults: {
          workspace: this.workspace,
          skipBootstrap: true,
          model: { primary: "fake/scripted" },
          heartbeat: { every: "0m" },
          maxConcurrent: 16,
        },
        ...(this.#options.coder && {
          list: [
            { id: "main", default: true },
            { id: "coder", workspace: this.workspace, tools: { codeMode: true } },
          ],
        }),
      },
      models: {
        mode: "replace",
        catalogRefresh: { enabled: false },
        providers: { fake: { baseUrl: this.#options.modelUrl, apiKey: "none", api: "openai-completions", models: [model] } },
      },
      tools: {
        exec: { mode: "full", pathPrepend: [this.#options.execPath] },
        // Today's default; older hosts have a catalog only where it is asked for.
        toolSearch: { mode: "tools" },
        ...this.#options.tools,
      },
      ...this.#options.config,
      ...(!this.#options.bare && {
        plugins: {
          allow: Object.keys(this.#options.pluginEntries),
          load: { paths: this.#options.pluginPaths },
          entries: this.#options.pluginEntries,
        },
      }),
    };
  }
}

/** A port that nobody listens on, below those that the system gives out: until the gateway listens, any connection might get one of these. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
