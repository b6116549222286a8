// Takes a text to the clipboard, also where a sandboxed frame has no leave to.

import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";

/** Copies `text` as it is, unseen characters and all. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await toClipboard(text)) ? "Copied" : "Select it and copy it by hand");
  return (
    <Button className="quiet" onPress={copy}>
      <span aria-live="polite">{said === "" ? label : said}</span>
    </Button>
  );
}

/** Whether `text` is in the clipboard now. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without leave for the clipboard the older way may still go.
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr-only";
    (document.querySelector(".dialog") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
