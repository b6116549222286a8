// What only the Python client has, and its package: installed as somebody would, and typed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findPython, findTypeChecker } from "../../scripts/python.ts";
import { ROOT } from "../../scripts/run.ts";
import { PYTHON_SOURCES } from "./harness/drivers.ts";

const PYTHON = findPython();
const TYPE_CHECKER = findTypeChecker();
const dir = mkdtempSync(join(tmpdir(), "callosum-python-"));
after(() => rmSync(dir, { recursive: true }));

function python(program: string | undefined, args: string[], env: Record<string, string> = {}): string {
  assert.ok(program !== undefined);
  const more = { PYTHONDONTWRITEBYTECODE: "1", MYPY_CACHE_DIR: join(dir, "cache"), ...env };
  const { status, stdout, stderr } = spawnSync(program, args, { env: { ...process.env, ...more }, encoding: "utf8", cwd: dir });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

test("decorators, threads, forks and cancelled tasks", { skip: PYTHON === undefined && "there is no Python" }, () => {
  const said = python(PYTHON, ["-m", "unittest", "discover", join(ROOT, "tests", "clients", "python")], {
    PYTHONPATH: PYTHON_SOURCES,
  });
  assert.match(said, /Ran [1-9]\d* tests/);
  assert.match(said, /\nOK\n/);
});

test("both packages have one version", () => {
  const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(ROOT, "clients", "python", "pyproject.toml"), "utf8")) ?? [];
  const { version: other } = JSON.parse(readFileSync(join(ROOT, "openclaw.plugin.json"), "utf8")) as { version: string };
  assert.equal(version, other);
});

test("the package installs, and its types hold for whoever uses it", {
  skip: TYPE_CHECKER === undefined && "there is no mypy",
}, () => {
  const sources = join(dir, "sources");
  // A build leaves traces beside the sources.
  cpSync(join(ROOT, "clients", "python"), sources, { recursive: true });
  python(TYPE_CHECKER, ["-m", "mypy", "--config-file", join(sources, "pyproject.toml")], { MYPYPATH: join(sources, "src") });

  const installed = join(dir, "installed");
  python(TYPE_CHECKER, [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--target",
    installed,
    sources,
  ]);
  const program = join(dir, "agent.py");
  const right = [
    "from callosum import AsyncCallosumClient, CallosumClient, Paused",
    "client = CallosumClient(token='t')",
    "@client.guard('mail', session=lambda: 's', not_done=(ConnectionError, OSError))",
    "def send(to: str) -> int:",
    "    return len(to)",
    "sent: int = send('alice')",
    "async def main() -> str:",
    "    async with AsyncCallosumClient() as other, other.guard('mail', {'to': 'alice'}) as verdict:",
    "        return verdict.call",
    "def once(client: CallosumClient) -> None:",
    "    answer = client.intercept('mail', 'send', {'to': 'alice'})",
    "    client.complete(answer['contextKey'], id=answer['call'])",
    "    ends: str = client.lock('deal', 4)['expiresAt'] or answer['expiresAt'] or answer['contextKeys'][answer['evidence'][0]]",
    "def text(paused: Paused) -> str:",
    "    return paused.text",
  ];
  writeFileSync(program, `${right.join("\n")}\n`);
  const check = ["-m", "mypy", "--strict", program];
  python(TYPE_CHECKER, check, { MYPYPATH: installed });
  writeFileSync(program, `${right.join("\n").replace("send('alice')", "send(1)")}\n`);
  assert.throws(() => python(TYPE_CHECKER, check, { MYPYPATH: installed }), /incompatible type "int"; expected "str"/);
});
