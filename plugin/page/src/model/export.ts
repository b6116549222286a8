// What is shown, as a file: JSON, or CSV that a spreadsheet can open without harm.

/** A row of what is shown: names of columns and what stands there. */
export type Row = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/** As JSON, a list of objects. */
export function toJson(rows: readonly Row[]): string {
  return `${JSON.stringify(rows, null, 2)}\n`;
}

/** As CSV by RFC 4180, with the columns of all rows. */
export function toCsv(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(","));
  return [columns.map(cell).join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function cell(value: Row[string]): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? value.join(" ") : String(value);
  // A spreadsheet takes such a text for a formula, and agents write what stands here.
  const inert = typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
