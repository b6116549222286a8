// Codex and the Gemini CLI, headless, each with a home of its own. Nothing of the person who runs the tests is read or written, the only
// network is the model server on loopback, and each run is bounded in time.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedCall } from "../../openclaw/harness/fake-model.ts";

const MODULES = new URL("../node_modules/", import.meta.url).pathname;
const RUN_MS = 60_000;
/** Codex itself, as Node runs it. */
export const CODEX = join(MODULES, "@openai/codex/bin/codex.js");

export type RuntimeName = "codex" | "gemini";

export interface AgentOptions {
  /** The folder of its home and its project. */
  dir: string;
  modelOrigin: string;
  /** Put before PATH. */
  path: string;
  /** The command of a hook for an event of the runtime; without it the settings have no hooks. */
  hook?: (event: string) => string;
  /** Added to the environment. */
  env?: Record<string, string>;
  /** Codex's sandbox; without it there is none. */
  sandbox?: "workspace-write";
  /** An MCP server, by name. */
  mcp?: { name: string; command: string; args: string[] };
}

/** A finished run: what the runtime printed, and how it ended. */
export interface Run {
  exitCode: number | null;
  output: string;
}

interface Runtime {
  /** Lifecycle events and tool events that have hooks; the latter have a matcher. */
  lifecycle: string[];
  tools: string[];
  program: string;
  args: string[];
  env(options: AgentOptions): Record<string, string>;
  configure(options: AgentOptions, hooks: unknown): Record<string, string>;
  /** A hook's timeout of ten seconds in the runtime's unit. */
  timeout: number;
  shell(command: string): ScriptedCall;
}

const RUNTIMES: Record<RuntimeName, Runtime> = {
  codex: {
    lifecycle: [
      "SessionStart",
      "UserPromptSubmit",
      "SubagentStart",
      "SubagentStop",
      "PreCompact",
      "PostCompact",
      "Stop",
      "SessionEnd",
    ],
    tools: ["PreToolUse", "PostToolUse"],
    program: CODEX,
    args: ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "--json"],
    env: ({ dir }) => ({ CODEX_HOME: join(dir, "home", ".codex"), FAKE_KEY: "none" }),
    configure: ({ modelOrigin, mcp, sandbox = "danger-full-access" }, hooks) => ({
      ...(hooks !== undefined && { ".codex/hooks.json": JSON.stringify({ hooks }, null, 2) }),
      ".codex/config.toml": [
        'model_provider = "fake"',
        'model = "gpt-5.5"',
        'approval_policy = "never"',
        `sandbox_mode = "${sandbox}"`,
        // Folders for temporary files are writable there otherwise, and so would be all that a test has.
        ...(sandbox === "workspace-write"
          ? ["sandbox_workspace_write = { exclude_tmpdir_env_var = true, exclude_slash_tmp = true }"]
          : []),
        // A login shell would begin with the machine's own PATH.
        "allow_login_shell = false",
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[features]",
        ...["apps", "plugins", "remote_plugin", "shell_snapshot"].map((feature) => `${feature} = false`),
        "[model_providers.fake]",
        'name = "fake"',
        `base_url = "${modelOrigin}/v1"`,
        'wire_api = "responses"',
        'env_key = "FAKE_KEY"',
        "supports_websockets = false",
        ...(mcp ? [`[mcp_servers.${mcp.name}]`, `command = "${mcp.command}"`, `args = ${JSON.stringify(mcp.args)}`] : []),
      ].join("\n"),
    }),
    timeout: 10,
    shell: (command) => ({ name: "exec_command", args: { cmd: command } }),
  },
  gemini: {
    lifecycle: ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"],
    tools: ["BeforeTool", "AfterTool"],
    program: join(MODULES, "@google/gemini-cli/bundle/gemini.js"),
    args: ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p"],
    env: ({ modelOrigin }) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: modelOrigin }),
    configure: ({ mcp }, hooks) => ({
      ".gemini/settings.json": JSON.stringify(
        {
          security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
          ...(hooks !== undefined && { hooks }),
          ...(mcp && { mcpServers: { [mcp.name]: { command: mcp.command, args: mcp.args } } }),
        },
        null,
        2,
      ),
    }),
    timeout: 10_000,
    shell: (command) => ({ name: "run_shell_command", args: { command } }),
  },
};

function hooksOf(runtime: RuntimeName, command: (event: string) => string): unknown {
  const { lifecycle, tools, timeout } = RUNTIMES[runtime];
  const entry = (event: string) => ({ hooks: [{ type: "command", command: command(event), timeout }] });
  return Object.fromEntries([
    ...lifecycle.map((event) => [event, [entry(event)]]),
    ...tools.map((event) => [event, [{ matcher: "*", ...entry(event) }]]),
  ]);
}

/** One runtime in one home; each run is a session and a process of its own. */
export class Agent {
  readonly runtime: RuntimeName;
  readonly project: string;
  readonly #options: AgentOptions;
  readonly #running = new Set<() => void>();

  constructor(runtime: RuntimeName, options: AgentOptions) {
    this.runtime = runtime;
    this.#options = options;
    this.project = join(options.dir, "project");
    mkdirSync(this.project, { recursive: true });
    const hooks = options.hook && hooksOf(runtime, options.hook);
    for (const [file, text] of Object.entries(RUNTIMES[runtime].configure(options, hooks))) {
      const path = join(options.dir, "home", file);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, text);
    }
  }

  /** Changes the settings that hold the hooks. */
  editHooks(edit: (settings: string) => string): void {
    const file = { codex: ".codex/hooks.json", gemini: ".gemini/settings.json" }[this.runtime];
    const path = join(this.#options.dir, "home", file);
    writeFileSync(path, edit(readFileSync(path, "utf8")));
  }

  /** A call of the runtime's shell tool. */
  shell(command: string): ScriptedCall {
    return RUNTIMES[this.runtime].shell(command);
  }

  /** What the runtime finds in its environment, and what is run in its place. */
  environment(): Record<string, string> {
    const { dir, path, env } = this.#options;
    return {
      PATH: `${path}:${process.env.PATH ?? "/usr/bin:/bin"}`,
      LANG: "C.UTF-8",
      HOME: join(dir, "home"),
      TMPDIR: dir,
      CI: "1",
      DO_NOT_TRACK: "1",
      NO_COLOR: "1",
      // Nobody listens there: whatever asks for another machine fails at once.
      HTTP_PROXY: "http://127.0.0.1:9",
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1,localhost",
      ...RUNTIMES[this.runtime].env(this.#options),
      ...env,
    };
  }

  /** Runs one session on this prompt to its end. */
  async run(prompt: string): Promise<Run> {
    const { program, args } = RUNTIMES[this.runtime];
    const child = spawn(process.execPath, [program, ...args, prompt], {
      cwd: this.project,
      // A group of its own, so that what it started can be ended with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: this.environment(),
    });
    const kill = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    };
    this.#running.add(kill);
    const late = setTimeout(kill, RUN_MS);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    try {
      const [exitCode] = (await once(child, "close")) as [number | null];
      return { exitCode, output };
    } finally {
      clearTimeout(late);
      this.#running.delete(kill);
    }
  }

  /** Ends what still runs. */
  stop(): void {
    for (const kill of this.#running) kill();
  }
}
