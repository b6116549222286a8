// The quick starts of Codex and the Gemini CLI, line by line as the page has them, with the real programs; and that of several runtimes at once.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { CALLOSUM } from "../openclaw/harness/stage.ts";
import { CODEX } from "./harness/agent.ts";
import { Scene } from "./harness/scene.ts";

const PAGE = readFileSync(new URL("../../docs/quick-start.md", import.meta.url), "utf8");

let bin: string;
before(() => {
  bin = mkdtempSync(join(tmpdir(), "callosum-quick-start-"));
  symlinkSync(CALLOSUM, join(bin, "callosum"));
  // Found on the PATH, as a person has it.
  writeFileSync(join(bin, "codex"), `#!/bin/sh\nexec '${process.execPath}' '${CODEX}' "$@"\n`, { mode: 0o755 });
});
after(() => rmSync(bin, { recursive: true }));

/** The commands of the page's block under a heading. */
function commandsUnder(heading: string): string[] {
  const block = new RegExp(`^## ${heading}$[^]*?\`\`\`console\n([^\`]*)\`\`\``, "m").exec(PAGE)?.[1] ?? "";
  const commands = block.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2).replace(/\s+#.*$/, "")] : []));
  assert.ok(commands.length > 3, heading);
  return commands;
}

/** Does what a line says, as a person at a shell. */
async function typed(line: string, env: Record<string, string>): Promise<{ code: number; said: string }> {
  // No other runtime that this workspace has: doctor would look at that, too.
  const path = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const options = { env: { ...env, PATH: path }, cwd: env.HOME, timeout: 60_000 };
  return await new Promise((resolve, reject) => {
    execFile("sh", ["-c", line], options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: Number(error?.code ?? 0), said: stdout + stderr });
    });
  });
}

for (const [runtime, heading] of [
  ["codex", "Codex"],
  ["gemini", "Gemini CLI"],
] as const)
  test(`${heading}: every line does what it says, and the first call shows`, { timeout: 300_000 }, async () => {
    const scene = await Scene.open({ bare: true });
    try {
      const agent = scene[runtime];
      const env = agent.environment();
      const said = new Map<string, string>();
      for (const line of commandsUnder(heading)) {
        // There a person enters `/hooks`: what a session does that has them trusted follows.
        if (line === "codex") continue;
        if (line === "callosum doctor") await scene.play(agent, agent.shell("echo hello"));
        const { code, said: text } = await typed(line, env);
        // Nobody trusted Callosum's hooks there, and Codex tells.
        assert.equal(code, runtime === "codex" && line === "callosum doctor" ? 1 : 0, `${line}: ${text}`);
        said.set(line, text);
      }
      assert.match(said.get(`callosum install ${runtime} --dry-run`) ?? "", /Nothing was written/);
      assert.match(said.get(`callosum install ${runtime}`) ?? "", /^Wrote /m);
      if (runtime === "codex") assert.match(said.get("callosum doctor") ?? "", /trust/);
      assert.match(said.get(`callosum journal -n 5 --runtime ${runtime}`) ?? "", / exec /);
    } finally {
      await scene.close();
    }
  });

test("several of them: one state directory, and what is there to look at", async () => {
  const home = mkdtempSync(join(tmpdir(), "callosum-several-"));
  try {
    for (const folder of [".claude", ".codex", ".gemini"]) mkdirSync(join(home, folder));
    const env = { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    for (const line of commandsUnder("Several of them")) {
      // It serves until it is stopped; the page has tests of its own.
      if (line === "callosum ui") continue;
      const { code, said } = await typed(line, env);
      assert.equal(code, 0, `${line}: ${said}`);
    }
    for (const file of [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"])
      assert.match(readFileSync(join(home, file), "utf8"), /--state-dir \S+\/\.callosum"/, file);
  } finally {
    rmSync(home, { recursive: true });
  }
});
