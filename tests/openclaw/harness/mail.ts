// A mail program that only writes down what it was asked to send. It stands under the name `himalaya` in front of the PATH of every exec.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Plain sh, so that it starts in a millisecond. The line in the outbox says that the mail is out; a slow server may keep the program waiting
// after it, and a failing one never gets that far.
const PROGRAM = `#!/bin/sh
for word in "$@"; do
  case "$word" in
    --fail=2) echo "error: unexpected argument '--fail' found" >&2; exit 2 ;;
    --fail=*) echo 'cannot send message: recipient refused' >&2; exit "\${word#*=}" ;;
  esac
done
printf '%s\\n' "$*" >> "$(dirname "$0")/outbox.txt"
for word in "$@"; do
  case "$word" in
    --slow=*) sleep "\${word#*=}" ;;
  esac
done
echo 'Message sent.'
`;

export class Mail {
  /** The folder to put before PATH. */
  readonly bin: string;

  constructor(dir: string) {
    this.bin = join(dir, "bin");
    mkdirSync(this.bin, { recursive: true });
    const program = join(this.bin, "himalaya");
    writeFileSync(program, PROGRAM);
    chmodSync(program, 0o755);
  }

  /** The mails sent so far, as the program's arguments, that mention this text. */
  sent(about: string): string[] {
    const outbox = join(this.bin, "outbox.txt");
    if (!existsSync(outbox)) return [];
    return readFileSync(outbox, "utf8")
      .split("\n")
      .filter((line) => line.includes(about));
  }
}

export interface SendOptions {
  /** Seconds that the program takes after the mail is out. */
  slow?: number;
  /** Exit code of a program that can't send. */
  fail?: number;
}

/** A command that sends a mail. */
export function send(to: string, text = "hello", options: SendOptions = {}): string {
  const slow = options.slow === undefined ? "" : ` --slow=${options.slow}`;
  const fail = options.fail === undefined ? "" : ` --fail=${options.fail}`;
  return `himalaya message send --to ${to} --body '${text}'${slow}${fail}`;
}
