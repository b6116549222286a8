// Builds dist/callosum: the complete folder that OpenClaw takes as an extension. Incremental as far as cargo is.

import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeNotices } from "./notices.ts";
import { buildPage } from "./page.ts";
import { ROOT, run, runModule, TaskError } from "./run.ts";

export const EXTENSION = join(ROOT, "dist", "callosum");
/** The notices of what is linked into the native parts; those of the page's parts lie beside the page. */
export const NOTICES = "licenses.txt";
const NATIVE = join(ROOT, "plugin", "native");
/** What goes along as it stands. The pages for people go whole, so that no link in an installed one leads nowhere. */
export const SHIPPED = [
  ...["openclaw.plugin.json", "tiers.json", "tiers.schema.json", "assets", "skills"],
  ...["LICENSE", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs"],
];
/** The oldest OpenClaw that the plugin was really run with. */
export const OLDEST_HOST = "2026.8.2";

/** Builds the native parts: the addon with its binding in plugin/native, and the command line. */
export async function buildNative(): Promise<void> {
  await runModule("@napi-rs/cli/dist/cli.js", [
    ...["build", "--platform", "--no-const-enum", "--release", "--esm"],
    ...["--cwd", "crates/callosum-node", "--package-json-path", "../../package.json"],
    ...["--output-dir", "../../plugin/native", "--js", "binding.js", "--dts", "binding.d.ts"],
  ]);
  await run("cargo", ["build", "--release", "--locked", "-p", "callosum-cli"]);
}

/** Builds everything and puts dist/callosum together. */
export async function build(): Promise<void> {
  await buildNative();
  rmSync(EXTENSION, { recursive: true, force: true });
  mkdirSync(join(EXTENSION, "bin"), { recursive: true });
  await runModule("typescript/bin/tsc", ["-p", "tsconfig.build.json"]);

  const addons = existsSync(NATIVE) ? readdirSync(NATIVE).filter((name) => name.endsWith(".node")) : [];
  if (addons.length === 0) throw new TaskError("the addon's build left no `.node` file in plugin/native");
  mkdirSync(join(EXTENSION, "native"), { recursive: true });
  for (const name of ["binding.js", ...addons]) cpSync(join(NATIVE, name), join(EXTENSION, "native", name));
  const sums = Object.fromEntries(addons.map((name) => [name, sha256(join(NATIVE, name))]));
  writeJson(join(EXTENSION, "native", "checksums.json"), sums);
  for (const name of SHIPPED) cpSync(join(ROOT, name), join(EXTENSION, name), { recursive: true });
  writeNotices(join(EXTENSION, NOTICES));
  await buildPage(join(EXTENSION, "page"));
  const program = join(EXTENSION, "bin", "callosum");
  cpSync(join(ROOT, "target", "release", "callosum"), program);
  chmodSync(program, 0o755);
  writeJson(join(EXTENSION, "package.json"), packageJson());
}

/** What `native.runtime.ts` compares: opening an addon that was copied only in part ends the whole gateway with a bus error. */
function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

export function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** The package file of the extension: what OpenClaw reads before it loads anything. */
function packageJson(): unknown {
  const manifest = JSON.parse(readFileSync(join(ROOT, "openclaw.plugin.json"), "utf8")) as {
    version: string;
    description: string;
  };
  const root = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { devDependencies: { openclaw: string } };
  return {
    name: "callosum",
    version: manifest.version,
    description: manifest.description,
    license: "MIT",
    type: "module",
    bin: { callosum: "./bin/callosum" },
    engines: { node: ">=24.16" },
    // OpenClaw is no peer dependency: nothing of it is imported, and for a peer the host's installer asks the registry, so that an
    // installation from a file would need the network.
    openclaw: {
      extensions: ["./src/index.js"],
      runtimeExtensions: ["./src/index.js"],
      install: { minHostVersion: `>=${OLDEST_HOST}` },
      compat: { pluginApi: `>=${OLDEST_HOST}` },
      build: { openclawVersion: root.devDependencies.openclaw },
    },
  };
}
