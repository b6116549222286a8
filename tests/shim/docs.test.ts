// The pages that people read: their links, what goes along with the extension, and what they say twice.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { SHIPPED } from "../../scripts/build.ts";
import { references } from "../../scripts/references.ts";
import { ROOT } from "../../scripts/run.ts";

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
});
const PAGES = listed.split("\n").filter((page) => page !== "" && existsSync(join(ROOT, page)));
const README_LINES = 200;
const PAGE_LINES = 300;
const ARCHITECTURE_LINES = 200;
const DESIGN_LINES = 60;

const text = (page: string) => readFileSync(join(ROOT, page), "utf8");
/** A page without its blocks of code, in which neither `#` nor `](` means anything. */
const prose = (page: string) => text(page).replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^ *\2`*$/gm, "");
const lines = (page: string) => text(page).trimEnd().split("\n").length;

/** The anchors that a forge makes of a page's headings. */
function anchors(page: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of prose(page).matchAll(/^#{1,6} +(.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; found.has(anchor); count += 1) anchor = `${slug}-${count}`;
    found.add(anchor);
  }
  return found;
}

interface Link {
  page: string;
  /** Where it leads: a path from the top of the repository. */
  to: string;
  anchor: string | undefined;
}

/** The links of a page that stay in the repository. */
function links(page: string): Link[] {
  const spoken = prose(page).replaceAll(/`[^`\n]*`/g, "code");
  const targets = [...spoken.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: +(\S+)/gm)].map(([, inline, below]) => inline ?? below ?? "");
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      return { page, to: path === "" ? page : normalize(join(dirname(page), path)), anchor };
    });
}

const LINKS = PAGES.flatMap(links);
const isShipped = (path: string) => SHIPPED.some((name) => path === name || path.startsWith(`${name}/`));

test("no link leads nowhere: every file is there, and every heading", () => {
  assert.ok(LINKS.length > 50, `only ${LINKS.length} links found`);
  const broken = LINKS.filter(
    ({ to, anchor }) => !existsSync(join(ROOT, to)) || (anchor !== undefined && !anchors(to).has(anchor)),
  );
  assert.deepEqual(broken, []);
});

test("no page that is installed links to one that is not", () => {
  const lost = LINKS.filter(({ page, to }) => isShipped(page) && !isShipped(to));
  assert.deepEqual(lost, []);
});

test("every page of docs is found from the README", () => {
  const seen = new Set(["README.md"]);
  for (const page of seen) for (const { to } of PAGES.includes(page) ? links(page) : []) seen.add(to);
  const pages = PAGES.filter((page) => page.startsWith("docs/"));
  assert.ok(pages.length > 5);
  assert.deepEqual(
    pages.filter((page) => !seen.has(page)),
    [],
  );
});

test("the README stays a front door, and no page becomes a book", () => {
  assert.ok(lines("README.md") <= README_LINES, `README.md has ${lines("README.md")} lines`);
  assert.ok(lines("ARCHITECTURE.md") <= ARCHITECTURE_LINES, `ARCHITECTURE.md has ${lines("ARCHITECTURE.md")} lines`);
  for (const page of PAGES.filter((page) => page.startsWith("docs/") && !page.startsWith("docs/reference/"))) {
    const most = page.startsWith("docs/design/") ? DESIGN_LINES : PAGE_LINES;
    assert.ok(lines(page) <= most, `${page} has ${lines(page)} lines`);
  }
});

/** Where the paths of ARCHITECTURE.md begin; what a row says of its folder may also begin there. */
const FOLDERS = [
  "",
  "crates/callosum-core/src",
  "crates/callosum-shell/src",
  "crates/callosum-surroundings/src",
  "crates/callosum-core",
  "crates/callosum-cli/src",
  "crates/callosum-runtimes/src",
  "crates/callosum-server/src",
];

/** `hook/{event,json}.rs` as two paths. */
function unfold(path: string): string[] {
  const [, before = "", choices = "", after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return choices === "" ? [path] : choices.split(",").map((choice) => `${before}${choice}${after}`);
}

test("what the code map and the walk of a call name is there", () => {
  const rows = [...text("ARCHITECTURE.md").matchAll(/^\|.*$/gm)].map(([row]) => {
    const spans = [...row.matchAll(/`([^`\s]+)`/g)].flatMap(([, span = ""]) => unfold(span.replace(/^…\//, "")));
    const [first = ""] = spans;
    const folders = [...FOLDERS, ...FOLDERS.map((folder) => join(folder, first))];
    return { folders, paths: spans.filter((path) => /^[\w-]+\/|\.(rs|ts)$/.test(path)) };
  });
  assert.ok(rows.flatMap(({ paths }) => paths).length > 50);
  const lost = rows.flatMap(({ folders, paths }) =>
    paths.filter((path) => !folders.some((folder) => existsSync(join(ROOT, folder, path)))),
  );
  assert.deepEqual(lost, []);
});

test("every source that a page names is there", () => {
  for (const page of PAGES.filter((page) => page !== "ARCHITECTURE.md")) {
    const named = [...text(page).matchAll(/`([\w/-]+\.rs)`/g)].map(([, path = ""]) => path);
    const lost = named.filter((path) => ![...FOLDERS, dirname(page)].some((folder) => existsSync(join(ROOT, folder, path))));
    assert.deepEqual(lost, [], page);
  }
});

test("every corpus that tests/reach speaks of is there", () => {
  const page = "tests/reach/README.md";
  const named = [...text(page).matchAll(/`((?:kept-back|second|third|opened|own)\/[\w*-]*)`/g)].map(([, path = ""]) => path);
  assert.ok(named.length > 20);
  // A name stands for all files that begin with it.
  const files = (path: string) => globSync(join("tests/reach", `${path.replace(/\*$/, "")}*`), { cwd: ROOT });
  assert.deepEqual(
    named.filter((path) => files(path).length === 0),
    [],
  );
});

test("what the skill and the README quote of the gate's texts, the gate says", () => {
  const says = ["decision/pause_text.rs", "policy/text.rs"].map((file) => text(`crates/callosum-core/src/${file}`)).join("\n");
  const headings = text("skills/callosum/SKILL.md").match(/^## .*"$/gm) ?? [];
  const quoted = headings.flatMap((heading) => [...heading.matchAll(/"([^"]+)"/g)].map(([, words = ""]) => words));
  assert.equal(quoted.length, 5);
  const shown = /\n {4}\[Callosum\][\s\S]*?\n```/.exec(text("README.md"))?.[0] ?? "";
  const sentences = shown.split("\n").filter((line) => /^ {4}[A-Z].*[.:]$/.test(line));
  assert.equal(sentences.length, 2);
  for (const words of [...quoted, ...sentences.map((line) => line.trim())]) assert.ok(says.includes(words), words);
});

test("the shipped rules name as many programs as the pages say", () => {
  const { rules } = JSON.parse(text("tiers.json")) as { rules: Array<{ command?: string | string[] }> };
  const patterns = rules.flatMap(({ command = [] }) => command);
  const programs = new Set(patterns.flatMap((pattern) => pattern.split(" ")[0]?.split("|") ?? []));
  const named = [...programs].filter((program) => /^[\w.+-]+$/.test(program));
  assert.ok(named.length > 1_000, `${named.length} programs`);
  for (const page of ["README.md", "CHANGELOG.md", "docs/rules/commands.md"])
    assert.match(text(page), /more\s+than\s+a\s+thousand\s+programs/, page);
});

test("the references say what the product does now", async () => {
  for (const [page, now] of await references())
    assert.ok(existsSync(join(ROOT, page)) && text(page) === now, `${page} is out of date: run \`npm run references\``);
});

test("every design decision says its context, what was decided, and what follows", () => {
  const pages = PAGES.filter((page) => /^docs\/design\/\d{4}-/.test(page));
  assert.ok(pages.length >= 12);
  for (const page of pages) {
    const headings = [...prose(page).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings, ["Context", "Decision", "Consequences", "Tried or rejected"], page);
  }
});

/** Words that the glossary rules out, and where they are meant all the same. */
const RULED_OUT: Array<{ word: RegExp; say: string; unless: RegExp }> = [
  {
    word: /\block(?:s|ed|ing)?\b/i,
    say: "lease",
    unless:
      /guard|flock|fcntl|file lock|lock file|two locks|only lock|without a lock|plain native loop|as expensive as|locks exclude|take no lock|would drop the lock|file locks|the open file|--lock-file/i,
  },
  { word: /\bintercept(?:s|ed)?\b/i, say: "started", unless: /the journal|format/i },
  { word: /\bmend(?:s|ed|ing)?\b/i, say: "fix", unless: /$^/ },
  { word: /\b(?:risk|severity) level\b/i, say: "tier", unless: /$^/ },
  { word: /\b(?:default|standard|bundled) rules\b/i, say: "shipped rules", unless: /$^/ },
  { word: /\bbuilt[- ]in rules\b|(?:, |\()built in\b/i, say: "shipped", unless: /$^/ },
  { word: /\bstate (?:folder|dir)\b/i, say: "state directory", unless: /OpenClaw/ },
  { word: /\baudit (?:log|trail)\b/i, say: "journal", unless: /$^/ },
  { word: /\b(?:fingerprint|checksum) of (?:a|the) call\b/i, say: "digest", unless: /$^/ },
  { word: /\bcool-?down\b/i, say: "window", unless: /$^/ },
];

/** What is wrong with pieces of text that people read: paragraphs, or sentences of a program. */
function ruledOut(where: string, pieces: string[]): string[] {
  return pieces.flatMap((piece) =>
    RULED_OUT.filter(({ word, unless }) => word.test(piece) && !unless.test(piece)).map(
      ({ say }) => `${where}: say "${say}": ${piece.trim().slice(0, 160)}`,
    ),
  );
}

/** The paragraphs, items and rows of a page, without what stands in code. */
const paragraphs = (page: string) =>
  prose(page)
    .replaceAll(/`[^`\n]*`/g, "code")
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)/);

/**
 * The sentences of a program: its texts with a blank in them, without what stands in code, and what stands between tags; no comments, no
 * unit tests, and of Rust no raw texts, which are JSON.
 */
function sentences(file: string): string[] {
  const source = text(file).replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
  const spoken = file.endsWith(".rs")
    ? source.replace(/#\[cfg\(test\)\]\nmod \w+ \{[\s\S]*$/, "").replaceAll(/(?<!\w)b?r(#*)"[\s\S]*?"\1|b?'\\?"'/g, "")
    : source;
  const texts = [...spoken.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|(?<!\\)`((?:[^`\\\n]|\\.)*)`/g)].map(([, one, other]) =>
    (one ?? other ?? "").replaceAll(/\\?`[^`]*`/g, "code"),
  );
  const lines = file.endsWith(".tsx") ? spoken.split("\n") : [];
  const between = lines.filter((line) => /^\s*[A-Za-z][^=;{}()"]* [^=;{}()"]*$/.test(line));
  return [...texts.filter((piece) => / /.test(piece) && !piece.startsWith("{")), ...between];
}

test("one word for one thing, in all that people read", () => {
  const files = (pattern: string) => globSync(pattern, { cwd: ROOT });
  // What the journal's format calls things is told on its own page.
  const pages = [...PAGES.filter((page) => page !== "docs/format.md" && isShipped(page)), ...files("skills/*/*.md")];
  const programs = ["crates/*/src/**/*.rs", "plugin/src/**/*.ts", "plugin/page/src/**/*.{ts,tsx}"]
    .flatMap(files)
    .filter((file) => !/tests?\.rs$|callosum-(?:testing|bench)\//.test(file));
  const printed = ["crates/callosum-cli/tests/snapshots/*.txt"].flatMap(files);
  assert.ok(pages.length > 20 && programs.length > 400 && printed.length > 5);
  const found = [
    ...pages.flatMap((page) => ruledOut(page, paragraphs(page))),
    ...programs.flatMap((file) => ruledOut(file, sentences(file))),
    // The command's other name stays.
    ...[...printed, "docs/reference/command-line.md"].flatMap((file) =>
      ruledOut(
        file,
        text(file)
          .replaceAll(/\[alias: locks\]|callosum locks/g, "")
          .split("\n"),
      ),
    ),
  ];
  assert.deepEqual(found, []);
});

test("the Node that tools pick up is the one that comes with the dependencies", () => {
  const { optionalDependencies } = JSON.parse(text("package.json")) as { optionalDependencies: Record<string, string> };
  for (const version of Object.values(optionalDependencies)) assert.equal(text(".node-version").trim(), version);
});
