// The dialect of the Gemini API (`streamGenerateContent`), as the Gemini CLI speaks it.

import { type Conversation, type Dialect, isRecord, listOf, type Reply } from "../../openclaw/harness/fake-model.ts";

const partsOf = (content: Record<string, unknown> | undefined) => listOf(content?.parts);
const hasResult = (content: Record<string, unknown>) => partsOf(content).some((part) => isRecord(part.functionResponse));
const saidIn = (content: Record<string, unknown> | undefined) =>
  partsOf(content)
    .map((part) => (typeof part.text === "string" ? part.text : ""))
    .join("");

export const generateContent: Dialect = {
  asks: (path) => path.endsWith(":streamGenerateContent"),

  read(body): Conversation {
    const contents = listOf(body.contents);
    const isSaid = (content: Record<string, unknown>) => content.role === "user" && saidIn(content) !== "" && !hasResult(content);
    const script = contents.findLastIndex((content) => content.role === "user" && saidIn(content).includes("<<play "));
    const from = script < 0 ? contents.findLastIndex(isSaid) : script;
    const since = contents.slice(from + 1);
    return {
      said: saidIn(contents[from]),
      done: since.filter((content) => partsOf(content).some((part) => isRecord(part.functionCall))).length,
      results: since
        .flatMap(partsOf)
        .flatMap((part) => (isRecord(part.functionResponse) ? [resultOf(part.functionResponse)] : [])),
    };
  },

  write(response, reply: Reply): void {
    const parts =
      "text" in reply ? [{ text: reply.text }] : reply.calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
    const chunk = {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(chunk)}\n\n`);
  },
};

/** A tool's result is `{output}` or `{error}`. */
function resultOf({ response }: Record<string, unknown>): string {
  if (!isRecord(response)) return "";
  const { output, error } = response;
  return typeof output === "string" ? output : typeof error === "string" ? error : JSON.stringify(response);
}
