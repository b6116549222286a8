// docs/calc.md, walked: every command that it shows, in its order, and what each prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { built } from "../programs.ts";

const PAGE = readFileSync(new URL("../../docs/calc.md", import.meta.url), "utf8");
const directory = mkdtempSync(join(tmpdir(), "callosum-calc-"));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The commands of the page, and what it says that they print. */
function commands(): Array<{ command: string; prints: string }> {
  const blocks = [...PAGE.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => ({ command: text.split("\n")[0] ?? "", prints: text.split("\n").slice(1).join("\n").trimEnd() })),
  );
}

/** Whether a text is as it is shown, `…` for anything. */
function isAsShown(text: string, shown: string): boolean {
  const pieces = shown.split("…").map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pieces.join("[\\s\\S]*")}$`).test(text.trimEnd());
}

test("every command of docs/calc.md prints what the page says", () => {
  const [bin, shop, stateDir] = ["bin", "shop", "state"].map((name) => join(directory, name)) as [string, string, string];
  for (const folder of [bin, shop, stateDir]) mkdirSync(folder, { mode: 0o700 });
  const program = built("callosum");
  symlinkSync(program, join(bin, "callosum"));
  writeFileSync(join(bin, "gemini"), "#!/bin/sh\necho no errors\necho fine >review.md\n");
  chmodSync(join(bin, "gemini"), 0o755);
  // Nothing is typed into the terminal of whoever runs this.
  writeFileSync(join(bin, "tmux"), "#!/bin/sh\n");
  chmodSync(join(bin, "tmux"), 0o755);
  writeFileSync(join(stateDir, "settings.json"), JSON.stringify({ instanceId: "home" }));
  const env = { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: directory, CALLOSUM_STATE_DIR: stateDir };
  const options = { env, cwd: shop, encoding: "utf8" as const };
  for (const event of ["SessionStart", "AfterAgent"]) {
    const input = JSON.stringify({ session_id: "gemini-1", hook_event_name: event, cwd: shop });
    assert.equal(spawnSync(program, ["hook", "gemini"], { ...options, input }).status, 0);
  }
  assert.equal(spawnSync(program, ["team", "on"], options).status, 0);
  const walked = commands();
  assert.ok(walked.length > 15);
  for (const { command, prints } of walked) {
    const { stdout, stderr } = spawnSync("sh", ["-c", command], { ...options, timeout: 60_000 });
    assert.ok(isAsShown(`${stdout}${stderr}`, prints), `$ ${command}\n${stdout}${stderr}\nand not:\n${prints}`);
  }
});
