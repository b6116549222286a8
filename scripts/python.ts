// The Python that the Python client is tested with: this machine's, and mypy in a folder of its own.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installFromDebian, missing, trying } from "./debian.ts";
import { ROOT, run } from "./run.ts";

const PROGRAM = "python3";
/** The oldest minor version of Python 3 that the client is for. */
const OLDEST = 9;
const MYPY = "2.4.1";
const FOLDER = join(ROOT, "target", "python");
const HOW = `install Python 3.${OLDEST} or newer with its module \`venv\``;

/** The Python to test with; undefined where there is none. */
export function findPython(): string | undefined {
  const { stdout, error } = spawnSync(PROGRAM, ["-c", "import sys; print(*sys.version_info[:2])"], { encoding: "utf8" });
  if (error !== undefined) return undefined;
  const [major = 0, minor = 0] = stdout.split(" ").map(Number);
  return major === 3 && minor >= OLDEST ? PROGRAM : undefined;
}

/** The Python that has mypy; undefined where it could not be set up. */
export function findTypeChecker(): string | undefined {
  const program = join(FOLDER, "bin", "python");
  return existsSync(join(FOLDER, "bin", "mypy")) ? program : undefined;
}

/** Sees to Python and mypy where that can be done. Without them the tests say that they are skipped; in CI that is a failure. */
export async function installPython(): Promise<void> {
  if (!hasVenv()) await installFromDebian("python3", "python3-venv");
  if (findPython() === undefined) return missing("THE PYTHON CLIENT IS NOT TESTED", `there is no Python: ${HOW}`);
  if (findTypeChecker() === undefined && hasVenv())
    await trying(async () => {
      rmSync(FOLDER, { recursive: true, force: true });
      await run(PROGRAM, ["-m", "venv", FOLDER]);
      await run(join(FOLDER, "bin", "python"), [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        `mypy==${MYPY}`,
      ]);
    });
  if (findTypeChecker() === undefined) missing("THE PYTHON CLIENT'S TYPES ARE NOT CHECKED", `mypy could not be set up: ${HOW}`);
}

function hasVenv(): boolean {
  return findPython() !== undefined && spawnSync(PROGRAM, ["-c", "import venv, ensurepip"]).status === 0;
}
