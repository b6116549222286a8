// Runs the tests of the Rust crates. They are compiled in one go, and their programs run side by side: cargo runs one after the other, and the
// service's waits for most of its time.

import { dirname, relative } from "node:path";
import { announced, failureOf, ROOT, TaskError } from "./run.ts";

/** What takes longest begins first: whichever began last, everything would wait for its end. */
const LONGEST = ["callosum-core/tests/it", "callosum-server/tests/it", "callosum-cli/tests/it"];
/** How many programs run side by side. */
const PROGRAMS = 2;

/** A message of cargo about something that it has compiled. */
interface Compiled {
  reason: string;
  manifest_path: string;
  target: { src_path: string };
  profile: { test: boolean };
  executable: string | null;
}

/** A program of tests. */
interface Program {
  path: string;
  /** Its crate's folder, where it expects to run. */
  cwd: string;
  /** Where its code lies, from the crates' folder. */
  source: string;
}

/** Compiles and runs the tests that `options` of `cargo test` choose, so many at a time in each program. */
export async function rustTests(options: string[], threads: number): Promise<void> {
  const asked = ["test", "--no-run", "--message-format=json-render-diagnostics", ...options];
  announced("cargo", asked);
  const programs: Program[] = [];
  const said = (line: string) => {
    const { reason, manifest_path, target, profile, executable } = JSON.parse(line) as Compiled;
    if (reason !== "compiler-artifact" || !profile.test || executable === null) return;
    const source = relative(`${ROOT}/crates`, dirname(target.src_path));
    programs.push({ path: executable, cwd: dirname(manifest_path), source });
  };
  if ((await failureOf("cargo", asked, { said })) !== undefined)
    throw new TaskError("the tests of the Rust crates can't be compiled");
  if (programs.length === 0) throw new TaskError("cargo compiled no tests");

  const place = ({ source }: Program) => (LONGEST.indexOf(source) + LONGEST.length + 1) % (LONGEST.length + 1);
  programs.sort((a, b) => place(a) - place(b));
  const failed: string[] = [];
  const worker = async () => {
    for (let next = programs.shift(); next !== undefined; next = programs.shift()) {
      const { path, cwd, source } = next;
      const lines: string[] = [];
      const more = { CARGO_MANIFEST_DIR: cwd, RUST_TEST_THREADS: String(threads) };
      const failure = await failureOf(path, [], { cwd, more, said: (line) => lines.push(line) });
      // What one says is printed together.
      console.log(`\n$ ${relative(ROOT, path)} (${source})\n${lines.join("\n")}`);
      if (failure !== undefined) failed.push(source);
    }
  };
  await Promise.all(Array.from({ length: PROGRAMS }, worker));
  if (failed.length > 0) throw new TaskError(`tests failed in ${failed.join(", ")}`);
}
