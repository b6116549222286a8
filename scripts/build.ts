// Builds dist/callosum: the complete folder that OpenClaw takes as an extension. Incremental as far as cargo is.

import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { generateTypeDef, parseTriple, writeJsBinding } from "@napi-rs/cli";
import { FOR_TESTS } from "../tests/programs.ts";
import { DEMO_BUILD } from "./cargo.mjs";
import { hostTarget, writeNotices } from "./notices.ts";
import { buildPage } from "./page.ts";
import { ROOT, run, runModule, TaskError } from "./run.ts";

export const EXTENSION = join(ROOT, "dist", "callosum");
/** What the demo runs instead: the same without what it does not show, compiled fast. */
export const DEMO_EXTENSION = join(ROOT, "dist", "demo");
/** The notices of what is linked into the native parts; those of the page's parts lie beside the page. */
export const NOTICES = "licenses.txt";
const NATIVE = join(ROOT, "plugin", "native");
/** What goes along as it stands. The pages for people go whole, so that no link in an installed one leads nowhere. */
export const SHIPPED = [
  ...["openclaw.plugin.json", "tiers.json", "tiers.schema.json", "assets", "skills"],
  ...["LICENSE", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs"],
  ...["clients/typescript/README.md", "clients/python/README.md", "clients/examples"],
];
/** The oldest OpenClaw that the plugin was really run with. */
export const OLDEST_HOST = "2026.8.2";
/** For cargo: with these the tests' addon panics where it is told to. `cargo test` has them too, so that both are one build. */
export const FAULT_INJECTION = ["--features", "callosum-node/fault-injection"];

/** The parts of the `napi` section of package.json that name things. */
interface Root {
  version: string;
  devDependencies: { openclaw: string };
  napi: { binaryName: string; packageName: string; dtsHeaderFile: string };
}
const ROOT_PACKAGE = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Root;

/**
 * Builds the native parts in one go, so that what they share is compiled once: the addon, with its binding in plugin/native, and the
 * command line and the service in target/release. Napi's own program would build the addon alone, and in another folder.
 */
export async function buildNative(): Promise<void> {
  // Where the addon's build tells what the addon has: beside its other traces, since only a compilation tells it.
  const told = join(ROOT, "target", "release", "binding");
  mkdirSync(told, { recursive: true });
  const programs = ["-p", "callosum-node", "-p", "callosum-cli", "-p", "callosum-server"];
  await run("cargo", ["build", "--release", "--locked", ...programs], { NAPI_TYPE_DEF_TMP_FOLDER: told });
  const { binaryName, packageName, dtsHeaderFile } = ROOT_PACKAGE.napi;
  const cwd = join(ROOT, "crates", "callosum-node");
  const asked = { typeDefDir: told, cwd, configDtsHeaderFile: dtsHeaderFile, constEnum: false, declareBindingTarget: true };
  const { exports, dts } = await generateTypeDef(asked);
  if (exports.length === 0)
    throw new TaskError(`${told} says nothing of the addon: \`cargo clean --release -p callosum-node\`, then build again`);
  writeFileSync(join(NATIVE, "binding.d.ts"), dts);
  await writeJsBinding({
    ...{ platform: true, format: "esm", idents: exports, jsBinding: "binding.js", outputDir: NATIVE },
    ...{ binaryName, packageName, version: ROOT_PACKAGE.version },
  });
  // In place of the old one: a process that has that one loaded keeps it.
  const addon = join(NATIVE, addonName());
  cpSync(join(ROOT, "target", "release", LIBRARY), `${addon}.new`);
  renameSync(`${addon}.new`, addon);
}

/** The addon as cargo names it. */
const LIBRARY = process.platform === "darwin" ? "libcallosum_node.dylib" : "libcallosum_node.so";

/** The addon as its binding asks for it on this machine. */
function addonName(): string {
  return `${ROOT_PACKAGE.napi.binaryName}.${parseTriple(hostTarget()).platformArchABI}.node`;
}

/** Builds the programs that tests and `npm run torture` start beside the product's; `tests/programs.ts` finds them. */
export async function buildTestPrograms(): Promise<void> {
  await buildPrograms(...FOR_TESTS);
}

/** Builds the addon that panics on demand in target/debug. */
export async function buildPanickingAddon(): Promise<void> {
  await buildAsTested("--lib");
}

/** Builds native programs in target/debug. */
export async function buildPrograms(...names: string[]): Promise<void> {
  await buildAsTested(...names.flatMap((name) => ["--bin", name]));
}

/** Builds in target/debug, from the same compilation of what that stands on as `cargo test`. */
async function buildAsTested(...chosen: string[]): Promise<void> {
  // There are no examples: asking for them gives the dependencies the features that tests have.
  await run("cargo", ["build", "--locked", "--workspace", ...chosen, "--examples", ...FAULT_INJECTION]);
}

/** Builds everything and puts dist/callosum together. */
export async function build(): Promise<void> {
  await buildNative();
  const addons = readdirSync(NATIVE).filter((name) => name.endsWith(".node"));
  const programs = ["callosum", "callosum-serve"].map((name) => join(ROOT, "target", "release", name));
  await putTogether(EXTENSION, new Map(addons.map((name) => [name, join(NATIVE, name)])), programs);
  await runModule("typescript/bin/tsc", ["-p", "tsconfig.client.json"]);
  writeNotices(join(EXTENSION, NOTICES));
  await buildPage(join(EXTENSION, "page"));
}

/**
 * Builds what the demo runs, for who wants to see it before anything else: the same plugin and command line in a third of the time, since
 * they are not optimised, and without page, service and client.
 */
export async function buildDemo(): Promise<void> {
  await run("cargo", DEMO_BUILD);
  const built = join(ROOT, "target", "demo");
  await putTogether(DEMO_EXTENSION, new Map([[addonName(), join(built, LIBRARY)]]), [join(built, "callosum")]);
}

/** Puts an extension together from the sources, addons by the names that they get, and programs. */
async function putTogether(extension: string, addons: Map<string, string>, programs: string[]): Promise<void> {
  rmSync(extension, { recursive: true, force: true });
  await runModule("typescript/bin/tsc", ["-p", "tsconfig.build.json", "--outDir", extension]);
  const native = join(extension, "native");
  mkdirSync(native, { recursive: true });
  cpSync(join(NATIVE, "binding.js"), join(native, "binding.js"));
  for (const [name, addon] of addons) cpSync(addon, join(native, name));
  sumsOfAddons(native);
  for (const name of SHIPPED) cpSync(join(ROOT, name), join(extension, name), { recursive: true });
  mkdirSync(join(extension, "bin"), { recursive: true });
  for (const program of programs) {
    const shipped = join(extension, "bin", basename(program));
    cpSync(program, shipped);
    chmodSync(shipped, 0o755);
  }
  writeJson(join(extension, "package.json"), packageJson());
}

/** Writes what `native.runtime.ts` compares: opening an addon that was copied only in part ends the whole gateway with a bus error. */
export function sumsOfAddons(folder: string): void {
  const addons = readdirSync(folder).filter((name) => name.endsWith(".node"));
  writeJson(join(folder, "checksums.json"), Object.fromEntries(addons.map((name) => [name, sha256(join(folder, name))])));
}

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
  return {
    name: "callosum",
    version: manifest.version,
    description: manifest.description,
    license: "MIT",
    type: "module",
    bin: { callosum: "./bin/callosum" },
    // OpenClaw goes by paths; all that others may import is the client.
    exports: {
      "./client": { types: "./client/index.d.ts", default: "./client/index.js" },
      "./package.json": "./package.json",
    },
    engines: { node: ">=24.16" },
    // OpenClaw is no peer dependency: nothing of it is imported, and for a peer the host's installer asks the registry, so that an
    // installation from a file would need the network.
    openclaw: {
      extensions: ["./src/index.js"],
      runtimeExtensions: ["./src/index.js"],
      install: { minHostVersion: `>=${OLDEST_HOST}` },
      compat: { pluginApi: `>=${OLDEST_HOST}` },
      build: { openclawVersion: ROOT_PACKAGE.devDependencies.openclaw },
    },
  };
}
