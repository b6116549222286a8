// Text from the journal was written by others: models, mails, web pages. Nothing in it may move, hide or reorder what stands around it.

/** A stretch of text; `sign` stretches stand for characters that would not be seen, or would change how others are. */
export interface Stretch {
  text: string;
  sign: boolean;
}

// Controls, separators, private use, halves of pairs, and all that takes no room or turns the direction; but for what emoji are made with.
const UNSEEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cs}\ufff9-\ufffb]|(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?<=\p{Extended_Pictographic})\ufe0f)\p{Default_Ignorable_Code_Point}/gu;

/** More marks on one letter than any language writes: they would cover the lines around. */
const PILE = /(\p{M}{4})\p{M}+/gu;

/** `text` in stretches, with what can't be seen written out. */
export function stretches(text: string): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  const calm = text.replace(PILE, "$1");
  for (const match of calm.matchAll(UNSEEN)) {
    if (match.index > from) found.push({ text: calm.slice(from, match.index), sign: false });
    found.push({ text: signFor(match[0]), sign: true });
    from = match.index + match[0].length;
  }
  if (from < calm.length) found.push({ text: calm.slice(from), sign: false });
  return found;
}

/** Where rules came from: a path, or `shipped`, which answers call `built in`. */
export const rulesSource = (source: string) => (source === "built in" ? "shipped" : source);

/** `text` with what can't be seen written out, for titles and labels. */
export function visible(text: string): string {
  return stretches(text)
    .map((stretch) => stretch.text)
    .join("");
}

/** At most `most` characters of `text`, with an ellipsis where it was cut; never half a character. */
export function cut(text: string, most: number): string {
  // Nearly always true, and cheap.
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

function signFor(character: string): string {
  if (character === "\n") return "↵";
  if (character === "\t") return "⇥";
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
