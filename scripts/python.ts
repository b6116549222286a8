// The Python that the Python client is tested with.

import { spawnSync } from "node:child_process";

/** The oldest one that the client is for. */
const OLDEST: [number, number] = [3, 9];

/** A program, or why there is none. */
interface Python {
  program?: string;
  missing?: string;
}

function find(): Python {
  const { stdout, error } = spawnSync("python3", ["-c", "import sys; print(*sys.version_info[:2])"], { encoding: "utf8" });
  if (error !== undefined) return { missing: "there is no `python3`" };
  const [major = 0, minor = 0] = stdout.split(" ").map(Number);
  if (major === OLDEST[0] && minor >= OLDEST[1]) return { program: "python3" };
  return { missing: `\`python3\` is ${major}.${minor}, and ${OLDEST.join(".")} or newer is needed` };
}

export const PYTHON: Python = find();
