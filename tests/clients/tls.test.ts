// Both clients over TLS: a certificate that they were told to trust, and one that they were not.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findPython } from "../../scripts/python.ts";
import { ROOT } from "../../scripts/run.ts";
import { built } from "../programs.ts";
import { PYTHON_SOURCES } from "./harness/drivers.ts";
import { Service } from "./harness/service.ts";

const PYTHON = findPython();
const dir = mkdtempSync(join(tmpdir(), "callosum-tls-"));
const [authority, cert, key] = ["ca.pem", "cert.pem", "key.pem"].map((name) => join(dir, name)) as [string, string, string];
const service = new Service();
let env: Record<string, string> = {};

before(async () => {
  execFileSync(built("make-certificate"), [dir]);
  await service.start("--tls-cert", cert, "--tls-key", key);
  const url = service.url.replace("http:", "https:");
  env = {
    PATH: process.env.PATH ?? "",
    URL: url,
    TOKEN: service.token("tls"),
    PYTHONPATH: PYTHON_SOURCES,
    PYTHONDONTWRITEBYTECODE: "1",
  };
});
after(async () => {
  await service.remove();
  rmSync(dir, { recursive: true });
});

const TYPESCRIPT = `
import { CallosumClient } from ${JSON.stringify(join(ROOT, "clients", "typescript", "src", "index.ts"))};
const client = new CallosumClient({ url: process.env.URL, token: process.env.TOKEN });
try {
  for (let time = 0; time < 2; time += 1) console.log(await client.guard("read_file", { path: "/x" }, () => "ran", { session: "s" }));
} catch (error) {
  console.log(error.name, error.message, error.mayHaveArrived);
}
client.close();
`;
const BLOCKING = `
import os
from callosum import CallosumClient, CallosumError
with CallosumClient(os.environ["URL"], token=os.environ["TOKEN"]) as client:
    try:
        for _ in range(2):
            with client.guard("read_file", {"path": "/x"}, session="s"):
                print("ran")
    except CallosumError as error:
        print(type(error).__name__, error, error.may_have_arrived)
`;
const ON_LOOP = `
import asyncio, os
from callosum import AsyncCallosumClient, CallosumError
async def main():
    async with AsyncCallosumClient(os.environ["URL"], token=os.environ["TOKEN"]) as client:
        try:
            for _ in range(2):
                async with client.guard("read_file", {"path": "/x"}, session="s"):
                    print("ran")
        except CallosumError as error:
            print(type(error).__name__, error, error.may_have_arrived)
asyncio.run(main())
`;

const PROGRAMS: Array<[string, string | undefined, string[], string]> = [
  ["TypeScript", process.execPath, ["--input-type=module-typescript", "-e", TYPESCRIPT], "NODE_EXTRA_CA_CERTS"],
  ["Python", PYTHON, ["-c", BLOCKING], "SSL_CERT_FILE"],
  ["Python, async", PYTHON, ["-c", ON_LOOP], "SSL_CERT_FILE"],
];

for (const [name, program, args, trusted] of PROGRAMS)
  test(`${name}: a trusted certificate is spoken to, another is told`, {
    skip: program === undefined && "there is no Python",
  }, () => {
    const run = (more: Record<string, string>) => spawnSync(program ?? "", args, { env: { ...env, ...more }, encoding: "utf8" });
    const right = run({ [trusted]: authority });
    assert.equal(right.stdout, "ran\nran\n", right.stderr);
    const wrong = run({});
    assert.match(
      wrong.stdout,
      /^ServiceUnreachable .*https:\/\/127\.0\.0\.1:\d+ can't be reached: its certificate is not trusted \(.*\)\. /,
      wrong.stderr,
    );
    assert.match(wrong.stdout, new RegExp(`\`${trusted}\` (false|False)\n$`));
  });
