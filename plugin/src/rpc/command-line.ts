// `openclaw callosum …`: hands over to the native program in the plugin's folder, with everything that was typed.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import { stateDirIn } from "../config.ts";
import { messageOf } from "../host.ts";

const NAME = "callosum";
/** As in the manifest, which is what `openclaw --help` shows. */
const DESCRIPTION = "What all agent sessions on this machine did, and whether their tool calls are gated";
/** What the native program says when it could not do what it was asked for. */
const NOT_DONE = 2;
const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Registers the command. The program's own help, options and errors pass through: Commander must understand none of them. */
export function registerCommandLine(api: OpenClawPluginApi): void {
  api.registerCli(
    ({ program }) => {
      program
        .command(NAME)
        .description(DESCRIPTION)
        .argument("[args...]")
        .helpOption(false)
        .allowUnknownOption()
        .passThroughOptions()
        .action(async (args: string[]) => {
          process.exitCode = await handOver(programIn(api.rootDir), args, stateDirIn(api.pluginConfig));
        });
    },
    // Its output may be read by a program with or without `--json`: the host must not write between.
    { descriptors: [{ name: NAME, description: DESCRIPTION, hasSubcommands: true, machineOutput: () => true }] },
  );
}

/** The program and its first arguments: in the published package a script finds the one for this platform. */
export function programIn(rootDir: string | undefined): [string, ...string[]] | undefined {
  const roots = [rootDir, fileURLToPath(new URL("..", import.meta.url))].filter((root) => root !== undefined);
  for (const root of roots) {
    const [program, script] = [join(root, "bin", NAME), join(root, "bin", `${NAME}.mjs`)];
    if (existsSync(program)) return [program];
    if (existsSync(script)) return [process.execPath, script];
  }
  return undefined;
}

/** Runs the program in the foreground; resolves to its exit code. A state directory among the arguments beats the setting. */
export function handOver(
  found: [string, ...string[]] | undefined,
  args: string[],
  stateDir: string | undefined,
): Promise<number> {
  if (found === undefined) {
    console.error("callosum: the plugin's folder lacks its program (`bin/callosum`): install the plugin again");
    return Promise.resolve(NOT_DONE);
  }
  const [program, ...first] = found;
  const env = { ...process.env, ...(stateDir !== undefined && { CALLOSUM_STATE_DIR: stateDir }) };
  return new Promise((resolve) => {
    let child: ChildProcess | undefined;
    const pass = (signal: NodeJS.Signals) => void child?.kill(signal);
    const done = (code: number) => {
      for (const signal of STOPPING) process.off(signal, pass);
      resolve(code);
    };
    // Before the program is there: a signal in between must not end this process and leave the program running.
    for (const signal of STOPPING) process.on(signal, pass);
    child = spawn(program, [...first, ...args], { stdio: "inherit", env });
    child.once("error", (error) => {
      console.error(
        `callosum: \`${program}\` can't be started: ${messageOf(error)}; it may have been built for another C library`,
      );
      done(NOT_DONE);
    });
    child.once("close", (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
