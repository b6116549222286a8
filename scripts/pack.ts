// Lays out in dist/npm what is published: one package for each platform, with the addon, the programs and the page that they serve, and
// the main package, which has no native code and names them all as optional dependencies. `node scripts/pack.ts FOLDER` takes what the release
// built from FOLDER/<platform>/; without a folder it takes what `npm run build` made for this machine.

import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { argv } from "node:process";
import { parseTriple } from "@napi-rs/cli";
import { EXTENSION, NOTICES, writeJson } from "./build.ts";
import { writeNotices } from "./notices.ts";
import { ROOT, TaskError } from "./run.ts";
import { SBOM, writeBillOfMaterials } from "./sbom.ts";

const OUT = join(ROOT, "dist", "npm");
/** What is in `bin/`: the command, and the service that it starts. */
export const PROGRAMS = ["callosum", "callosum-serve"];

interface Root {
  napi: { binaryName: string; packageName: string; targets: string[] };
}
interface Extension {
  version: string;
  description: string;
  license: string;
  engines: Record<string, string>;
  openclaw: { install: Record<string, unknown> };
  [field: string]: unknown;
}

const { napi } = readJson<Root>(join(ROOT, "package.json"));
/** What the loader that napi-rs generated looks for, so its names are not ours to choose. */
export const TARGETS = napi.targets.map((triple) => parseTriple(triple));

/** Where the native parts for a platform lie, if they were built: in `artifacts`, or what `npm run build` made for this machine. */
export function builtFor(platform: string, artifacts?: string): { addonName: string; addon: string; programs: string } {
  const addonName = `${napi.binaryName}.${platform}.node`;
  return artifacts === undefined
    ? { addonName, addon: join(EXTENSION, "native", addonName), programs: join(EXTENSION, "bin") }
    : { addonName, addon: join(artifacts, platform, addonName), programs: join(artifacts, platform) };
}

/** Lays out the main package and a package for every platform that there is something for; gives the platforms. */
export function pack(artifacts?: string): string[] {
  const extension = readJson<Extension>(join(EXTENSION, "package.json"));
  rmSync(OUT, { recursive: true, force: true });

  const packed: string[] = [];
  for (const target of TARGETS) {
    const platform = target.platformArchABI;
    const { addonName, addon, programs } = builtFor(platform, artifacts);
    if (!existsSync(addon)) continue;
    const dir = join(OUT, platform);
    mkdirSync(join(dir, "bin"), { recursive: true });
    cpSync(addon, join(dir, addonName));
    for (const program of PROGRAMS) {
      cpSync(join(programs, program), join(dir, "bin", program));
      // Artifacts of a workflow come without their modes.
      chmodSync(join(dir, "bin", program), 0o755);
    }
    // The program looks for it beside its own folder.
    cpSync(join(EXTENSION, "page"), join(dir, "page"), { recursive: true });
    cpSync(join(ROOT, "LICENSE"), join(dir, "LICENSE"));
    writeNotices(join(dir, NOTICES), target.triple);
    writeBillOfMaterials(join(dir, SBOM), target.triple, extension.version);
    writeJson(join(dir, "package.json"), {
      name: `${napi.packageName}-${platform}`,
      version: extension.version,
      description: `${extension.description} (${platform})`,
      license: extension.license,
      main: addonName,
      files: [addonName, "bin", "page", NOTICES, SBOM],
      engines: extension.engines,
      os: [target.platform],
      cpu: [target.arch],
      ...(target.platform === "linux" && { libc: [target.abi === "musl" ? "musl" : "glibc"] }),
    });
    packed.push(platform);
  }

  const main = join(OUT, napi.packageName);
  cpSync(EXTENSION, main, { recursive: true });
  rmSync(join(main, "bin"), { recursive: true });
  // Those of the native parts go with them.
  rmSync(join(main, NOTICES));
  for (const name of readdirSync(join(main, "native"))) if (name !== "binding.js") rmSync(join(main, "native", name));
  cpSync(join(ROOT, "npm", "callosum.mjs"), join(main, "bin", "callosum.mjs"));
  const names = TARGETS.map((target) => `${napi.packageName}-${target.platformArchABI}`);
  writeJson(join(main, "package.json"), {
    ...extension,
    bin: { callosum: "./bin/callosum.mjs" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, extension.version])),
    openclaw: {
      ...extension.openclaw,
      // npm drops an optional dependency without a word; with this the host's installer does not.
      install: { ...extension.openclaw.install, requiredPlatformPackages: names },
    },
  });
  return packed;
}

function readJson<T>(file: string): T {
  if (!existsSync(file)) throw new TaskError(`\`${file.replace(`${ROOT}/`, "")}\` is missing: run \`npm run build\` first`);
  return JSON.parse(readFileSync(file, "utf8")) as T;
}

if (argv[1] !== undefined && resolve(argv[1]) === import.meta.filename) {
  try {
    const artifacts = argv[2];
    const packed = pack(artifacts);
    const missing = TARGETS.map((target) => target.platformArchABI).filter((platform) => !packed.includes(platform));
    // Half a release would be an addon that some platforms wait for in vain.
    if (artifacts !== undefined && missing.length > 0) throw new TaskError(`nothing was built for ${missing.join(", ")}`);
    console.log(`dist/npm holds the main package and those for ${packed.join(", ")}.`);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
