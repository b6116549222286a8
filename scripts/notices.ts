// The notices of what is linked into the addon and the command line: whose each crate is, under what licence, and the licence's text. They are made
// from what cargo resolves and from the files that the crates come with, so that no list has to be kept, and nothing be installed.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { searchPath } from "./cargo.mjs";
import { ROOT, TaskError } from "./run.ts";

/** What is built for a platform. */
const PROGRAMS = ["callosum-node", "callosum-cli", "callosum-server"];
/** Licences that ask for no more than that their text goes along. */
const PERMISSIVE = new Set([
  ...["0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC"],
  ...["MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib"],
]);
const LICENCE_FILE = /^(un)?licen[cs]e|^copying|^copyright|^notice/i;
/** Crates that come without a text: it is their repository's, or that of the licence, where they name one and have none. */
const TEXTS: Record<string, string> = {
  "fast-glob": "fast-glob.txt",
  napi: "napi-rs.txt",
  "napi-sys": "napi-rs.txt",
  "utf8-chars": "apache-2.0.txt",
};
/** Cargo does not resolve it, but it is in every program. */
const STANDARD_LIBRARY = { name: "The Rust standard library", license: "MIT OR Apache-2.0", texts: [ownText("rust.txt")] };

/** A crate as `cargo metadata` describes it, as far as it is looked at. */
export interface Crate {
  id: string;
  name: string;
  version: string;
  license: string | null;
  license_file: string | null;
  manifest_path: string;
  source: string | null;
  targets: Array<{ kind: string[] }>;
}
export interface Metadata {
  packages: Crate[];
  resolve: { nodes: Array<{ id: string; deps: Array<{ pkg: string; dep_kinds: Array<{ kind: string | null }> }> }> };
}
/** What stands in the notices about one work. */
export interface Notice {
  name: string;
  license: string;
  texts: string[];
}

/** Writes the notices of what is built for `target`, a triple of Rust's or this machine. */
export function writeNotices(file: string, target = hostTarget()): void {
  const crates = linked(metadata(target));
  writeFileSync(file, textOf([...crates.map(noticeOf), STANDARD_LIBRARY]));
}

/** The triple of this machine. */
export function hostTarget(): string {
  const host = /^host: (\S+)$/m.exec(output("rustc", ["-vV"]))?.[1];
  if (host === undefined) throw new TaskError("`rustc -vV` does not tell for which machine it builds");
  return host;
}

/** What cargo resolves for a platform. */
export function metadata(target: string): Metadata {
  const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
  return JSON.parse(output("cargo", args)) as Metadata;
}

function output(program: string, args: string[]): string {
  const env = { ...process.env, PATH: searchPath() };
  try {
    return execFileSync(program, args, {
      cwd: ROOT,
      env,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "inherit"],
    });
  } catch (error) {
    throw new TaskError(`\`${program} ${args.join(" ")}\` failed: ${error}`);
  }
}

/** The crates of others that end up in the programs: not what builds or tests them, nor what only runs in the compiler. By name. */
export function linked({ packages, resolve }: Metadata): Crate[] {
  const crates = new Map(packages.map((crate) => [crate.id, crate]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const found = new Map<string, Crate>();
  const look = (id: string) => {
    const crate = crates.get(id);
    if (crate === undefined || found.has(id) || crate.targets.some(({ kind }) => kind.includes("proc-macro"))) return;
    found.set(id, crate);
    for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? []) if (dep_kinds.some(({ kind }) => kind === null)) look(pkg);
  };
  for (const program of PROGRAMS) {
    const root = packages.find(({ name, source }) => name === program && source === null);
    if (root === undefined)
      throw new TaskError(`cargo knows no \`${program}\`: correct the list of programs in scripts/notices.ts`);
    look(root.id);
  }
  const others = [...found.values()].filter(({ source }) => source !== null);
  return others.sort((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1));
}

/** What a crate says of itself. Throws when it may not be shipped, or comes without the text that has to go along. */
export function noticeOf(crate: Crate): Notice {
  const { name, version, license } = crate;
  const shown = `${name} ${version}`;
  if (license === null || !isPermissive(license))
    throw new TaskError(
      `\`${shown}\` is under ${license ?? "no named licence"}, which is none that scripts/notices.ts knows to be permissive`,
    );
  const folder = dirname(crate.manifest_path);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name));
  const names = new Set([...files.map((entry) => entry.name), ...(crate.license_file === null ? [] : [crate.license_file])]);
  const texts = [...names].sort().map((file) => readFileSync(join(folder, file), "utf8"));
  const own = TEXTS[name];
  if (texts.length > 0 && own !== undefined)
    throw new TaskError(`\`${shown}\` has a licence text now: take it out of the table in scripts/notices.ts`);
  if (own !== undefined) texts.push(ownText(own));
  if (!texts.some((text) => text.trim() !== ""))
    throw new TaskError(`\`${shown}\` comes without a licence text: find it, and name it in the table in scripts/notices.ts`);
  return { name: shown, license, texts };
}

/** Whether a licence expression (SPDX, or with `/` as it once was) leaves a choice that is permissive. */
export function isPermissive(expression: string): boolean {
  const words = expression.replaceAll("/", " OR ").match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const take = (word: string) => words[at] === word && ++at > 0;
  const either = (): boolean => {
    let holds = both();
    while (take("OR")) holds = both() || holds;
    return holds;
  };
  const both = (): boolean => {
    let holds = one();
    while (take("AND")) holds = one() && holds;
    return holds;
  };
  const one = (): boolean => {
    if (take("(")) return either() && take(")");
    let name = words[at++] ?? "";
    if (take("WITH")) name += ` WITH ${words[at++] ?? ""}`;
    return PERMISSIVE.has(name);
  };
  return either() && at === words.length;
}

/** The notices as a text: each licence's once, with all whose it is. */
export function textOf(notices: Notice[]): string {
  const groups = new Map<string, { text: string; names: string[] }>();
  for (const { name, license, texts } of notices)
    for (const text of texts) {
      const words = text.replace(/\s+/g, " ").trim();
      if (words === "") continue;
      const group = groups.get(words) ?? { text: text.replaceAll("\r\n", "\n").trim(), names: [] };
      group.names.push(`${name} (${license})`);
      groups.set(words, group);
    }
  const rule = "-".repeat(80);
  const parts = [...groups.values()].map(({ text, names }) => `${rule}\n${[...new Set(names)].join("\n")}\n${rule}\n\n${text}\n`);
  const head = "The addon and the `callosum` program of Callosum contain the following works.\n";
  return [head, ...parts].join("\n");
}

function ownText(name: string): string {
  return readFileSync(join(ROOT, "scripts", "notices", name), "utf8");
}
