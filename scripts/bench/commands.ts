// What the shipped rules take over shell commands: parsing, matching and keys, nothing else.

import { ask, program } from "./native.ts";
import { atMost, type Row } from "./rows.ts";
import { summary, type Times } from "./samples.ts";

const SECTION = "classifying a shell command, natively";
const CALLS = 2_000;
const LARGE_CALLS = 50;
const LIMIT_US = 10;
const TIMES_LARGER = 12;

const body = (bytes: number) => "A line of a letter that goes on for a while.\n".repeat(bytes / 45);
const letter = (bytes: number) => `sendmail -t <<'EOF'\nTo: alice@example.com\n\n${body(bytes)}EOF\n`;

const COMMANDS: [name: string, command: string][] = [
  [
    "that names no program of a rule, 100 bytes",
    "cd app && rg -n 'fn main' crates --glob '*.rs' | head -50; sed -n 1,80p README.md; cat notes.txt | wc",
  ],
  ["that only looks, by a program of rules: git status", "git status --short && git diff --stat | tail -5"],
  ["that does, 30 bytes", "mail -s hi alice@example.com"],
  [
    "that does, 200 bytes",
    "cd app && sudo -E env A=b timeout 30 gog gmail send --to alice@example.com --subject 'Hello there' --body \"The build is green; see you\" 2>&1 | tee /tmp/log.txt && echo 'the mail is on its way, and all is done'",
  ],
  ["that does, with a here-document of 10 KB", letter(10_000)],
  ["that does, with a here-document of 100 KB", letter(100_000)],
  ["that can't be parsed, 64 KB", `mail -s hi alice@example.com ${"$(".repeat(32_000)}`],
];

export async function commandRows(): Promise<Row[]> {
  const orders = COMMANDS.map(([, command]) => ({ command, calls: command.length > 1_000 ? LARGE_CALLS : CALLS }));
  const answers = await ask<Times[]>(program("classify"), [], JSON.stringify(orders));
  const rows = COMMANDS.map(([name], index): Row => {
    return { section: SECTION, name, unit: "µs", ...summary(answers[index] ?? []), targets: [] };
  });
  const [, , , does, small, large] = rows;
  does?.targets.push(atMost(LIMIT_US, does.p50, "µs", `≤ ${LIMIT_US} µs`));
  if (small !== undefined) {
    large?.targets.push(atMost(TIMES_LARGER, large.p50 / small.p50, "×", `linear: ≤ ${TIMES_LARGER}× the tenth`));
  }
  return rows;
}
