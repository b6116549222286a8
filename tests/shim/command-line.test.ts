import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { programIn } from "../../plugin/src/rpc/command-line.ts";

const MODULE = new URL("../../plugin/src/rpc/command-line.ts", import.meta.url).href;
const scratch = mkdtempSync(join(tmpdir(), "callosum-handover-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A plugin folder with this in its `bin`. */
function folder(name: string, files: Record<string, string>): string {
  const root = join(scratch, name);
  mkdirSync(join(root, "bin"), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(root, "bin", file), text);
    chmodSync(join(root, "bin", file), 0o755);
  }
  return root;
}

/** Hands over in a process of its own, whose output and exit code are the program's. */
function handOver(found: string[] | undefined, args: string[], stateDir?: string) {
  const code = `const { handOver } = await import(${JSON.stringify(MODULE)});
    process.exitCode = await handOver(${JSON.stringify(found) ?? "undefined"}, ${JSON.stringify(args)}, ${JSON.stringify(stateDir) ?? "undefined"});`;
  const env = { ...process.env, CALLOSUM_STATE_DIR: "/from/the/environment" };
  return spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8", input: "typed\n", env });
}

const PROGRAM = `#!/bin/sh
echo "dir=$CALLOSUM_STATE_DIR"
for word in "$@"; do echo "<$word>"; done
cat
echo wrong >&2
exit 7
`;

test("the program in the plugin's folder is taken, else the script that finds the platform's", () => {
  const built = folder("built", { callosum: PROGRAM });
  assert.deepEqual(programIn(built), [join(built, "bin", "callosum")]);
  const published = folder("published", { "callosum.mjs": "" });
  assert.deepEqual(programIn(published), [process.execPath, join(published, "bin", "callosum.mjs")]);
  assert.equal(programIn(join(scratch, "nowhere")), undefined);
});

test("arguments, streams and exit code are the program's own", () => {
  const args = ["journal", "--json", "-f", "--", "two words", "", "--help"];
  const { stdout, stderr, status } = handOver(programIn(folder("own", { callosum: PROGRAM })), args);
  assert.equal(stdout, ["dir=/from/the/environment", ...args.map((word) => `<${word}>`), "typed", ""].join("\n"));
  assert.equal(stderr, "wrong\n");
  assert.equal(status, 7);
});

test("the state directory of the settings reaches the program", () => {
  const { stdout } = handOver(programIn(folder("dir", { callosum: PROGRAM })), [], "~/a b");
  assert.match(stdout, /^dir=~\/a b\n/);
});

test("a program that a signal ended has the exit code a shell would give", () => {
  const { status } = handOver(programIn(folder("killed", { callosum: "#!/bin/sh\nkill -KILL $$\n" })), []);
  assert.equal(status, 137);
});

test("a program that is missing or can't be started is exit code 2, with the remedy", () => {
  const missing = handOver(undefined, ["status"]);
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /lacks its program.*install the plugin again/);
  const root = folder("broken", { callosum: PROGRAM });
  chmodSync(join(root, "bin", "callosum"), 0o644);
  const broken = handOver(programIn(root), ["status"]);
  assert.equal(broken.status, 2);
  assert.match(broken.stderr, /can't be started/);
});

test("being asked to stop stops the program first", () => {
  const root = folder("stopped", {
    callosum: "#!/bin/sh\ntrap 'echo stopped; exit 0' TERM\nkill -TERM \"$PPID\"\nfor turn in $(seq 200); do sleep 0.05; done\n",
  });
  const said = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { handOver, programIn } = await import(${JSON.stringify(MODULE)});
    console.log("code", await handOver(programIn(${JSON.stringify(root)}), [], undefined));`,
    ],
    { encoding: "utf8" },
  );
  assert.equal(said, "stopped\ncode 0\n");
});
