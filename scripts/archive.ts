// Packs the extension folder with an installer for people: an archive for each platform that there is something for, and the sums of all.
// `node scripts/archive.ts FOLDER` takes the native parts that the release built from FOLDER/<platform>/, as pack.ts does; without a folder it
// takes what `npm run build` made for this machine.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv } from "node:process";
import { EXTENSION, NOTICES, sumsOfAddons } from "./build.ts";
import { writeNotices } from "./notices.ts";
import { builtFor, PROGRAMS, TARGETS } from "./pack.ts";
import { ROOT, TaskError } from "./run.ts";
import { SBOM, writeBillOfMaterials } from "./sbom.ts";

const OUT = join(ROOT, "dist", "archives");
const INSTALLER = "install.sh";

/** Makes the archives in `out`; gives their names. */
export function archive(artifacts?: string, out = OUT): string[] {
  const { version } = JSON.parse(readFileSync(join(ROOT, "openclaw.plugin.json"), "utf8")) as { version: string };
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "callosum-archive-"));
  try {
    for (const { platformArchABI: platform, triple } of TARGETS) {
      const files = builtFor(platform, artifacts);
      if (!existsSync(files.addon)) continue;
      const name = `callosum-${version}-${platform}`;
      const whole = join(folder, name);
      cpSync(EXTENSION, whole, { recursive: true });
      for (const addon of readdirSync(join(whole, "native")).filter((file) => file.endsWith(".node")))
        rmSync(join(whole, "native", addon));
      cpSync(files.addon, join(whole, "native", files.addonName));
      sumsOfAddons(join(whole, "native"));
      writeNotices(join(whole, NOTICES), triple);
      writeBillOfMaterials(join(whole, SBOM), triple, version);
      for (const program of PROGRAMS) {
        const place = join(whole, "bin", program);
        cpSync(join(files.programs, program), place);
        chmodSync(place, 0o755);
      }
      cpSync(join(ROOT, "deploy", INSTALLER), join(whole, INSTALLER));
      chmodSync(join(whole, INSTALLER), 0o755);
      execFileSync("tar", ["-czf", join(out, `${name}.tar.gz`), "-C", folder, name]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const names = readdirSync(out).sort();
  const sum = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
  // As `sha256sum --check` reads it.
  writeFileSync(join(out, "SHA256SUMS"), names.map((name) => `${sum(name)}  ${name}\n`).join(""));
  return names;
}

if (argv[1] !== undefined && resolve(argv[1]) === import.meta.filename) {
  try {
    const names = archive(argv[2]);
    if (argv[2] !== undefined && names.length < TARGETS.length)
      throw new TaskError(`only ${names.join(", ")} could be made: the artifacts lack platforms`);
    console.log(`dist/archives holds ${names.join(", ")} and their sums.`);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
