// A roundtable's Markdown as parts with lines, each with its proof. It is shown as text: no markup of it is ever taken for ours.

export interface Part {
  title: string;
  lines: { text: string; proof: string }[];
}

/** Lines of a report that are shown at most. */
const MOST = 400;

/** The parts of a report; what stands before the first heading has no title. */
export function report(text: string): Part[] {
  const parts: Part[] = [];
  let part: Part = { title: "", lines: [] };
  let lines = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) {
      part = { title: line.slice(3).trim(), lines: [] };
      parts.push(part);
    } else if (line.startsWith("- ") && lines < MOST) {
      const [, said = line.slice(2), proof = ""] = /^- (.*?)((?:\s*\[[^\]]*\])*)$/.exec(line) ?? [];
      if (parts.length === 0) parts.push(part);
      part.lines.push({ text: said.trim(), proof: proof.trim() });
      lines += 1;
    }
  }
  return parts;
}
