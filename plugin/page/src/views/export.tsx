// What is shown, taken along: as JSON or CSV.

import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useApp } from "../hooks/app.ts";
import { type Row, toCsv, toJson } from "../model/export.ts";
import { toClipboard } from "./copy.tsx";

const FORMATS = [
  { id: "json", name: "JSON", type: "application/json", write: toJson },
  { id: "csv", name: "CSV", type: "text/csv", write: toCsv },
] as const;

/** Buttons that give `rows` as a file called `name`; in a host's frame, which may save none, they copy them. */
export function Export({ name, rows }: { name: string; rows: () => Row[] }) {
  const { api } = useApp();
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const isFramed = api.boot.host === "openclaw";
  const give = async ({ id, type, write }: (typeof FORMATS)[number]) => {
    const text = write(rows());
    if (isFramed) setSaid((await toClipboard(text)) ? "Copied" : "It can't be copied here");
    else save(`callosum-${name}.${id}`, type, text);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of a form
    <span className="export" role="group" aria-label={isFramed ? "Copy these rows" : "Export these rows"}>
      <span className="muted" aria-live="polite">
        {said === "" ? (isFramed ? "Copy as" : "Export") : said}
      </span>
      {FORMATS.map((format) => (
        <Button key={format.id} className="quiet small" onPress={() => void give(format)}>
          {format.name}
        </Button>
      ))}
    </span>
  );
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
