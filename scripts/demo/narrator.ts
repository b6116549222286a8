// How the demo speaks to the person in front of the terminal.

const WIDTH = 100;
const bold =
  process.stdout.isTTY && process.env.NO_COLOR === undefined
    ? (text: string) => `\u001b[1m${text}\u001b[0m`
    : (text: string) => text;

export function title(text: string): void {
  console.log(`\n${bold(text)}\n${"─".repeat(Math.min(text.length, WIDTH))}`);
}

export function say(text: string): void {
  console.log(wrap(text, WIDTH).join("\n"));
}

/** Something quoted from a session or a program, set apart from the story. */
export function quote(text: string): void {
  for (const line of text.trimEnd().split("\n")) {
    for (const [index, part] of wrap(line, WIDTH - 4).entries()) console.log(`  │ ${index > 0 ? "    " : ""}${part}`);
  }
}

/** Output of a program, as it is. */
export function show(command: string, output: string): void {
  console.log(`\n  $ ${command}`);
  for (const line of output.trimEnd().split("\n")) console.log(`  ${line}`);
}

function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  lines.push(indent + line);
  return lines;
}
