// The dialect of OpenAI's Responses API, as Codex speaks it.

import { type Conversation, type Dialect, listOf, type Reply, textOf } from "../../openclaw/harness/fake-model.ts";

const isCall = (item: Record<string, unknown>) => item.type === "function_call" || item.type === "custom_tool_call";
const isResult = (item: Record<string, unknown>) =>
  item.type === "function_call_output" || item.type === "custom_tool_call_output";

/** Tools that take a text as it is, no JSON. */
const FREE_FORM = ["apply_patch"];

export const responses: Dialect = {
  asks: (path) => path.endsWith("/responses"),

  read(body): Conversation {
    const input = listOf(body.input);
    const from = input.findLastIndex((item) => item.role === "user" && textOf(item.content).includes("<<play "));
    const since = input.slice(from + 1);
    return {
      said: textOf(input[from]?.content),
      // The calls of one message follow each other; their results come after them.
      done: since.filter((item, at) => isCall(item) && !isCall(since[at - 1] ?? {})).length,
      results: since.filter(isResult).map((item) => textOf(item.output)),
    };
  },

  write(response, reply: Reply): void {
    const send = (event: { type: string; [field: string]: unknown }) =>
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const items =
      "text" in reply
        ? [{ type: "message", id: "message", role: "assistant", content: [{ type: "output_text", text: reply.text }] }]
        : reply.calls.map(({ id, name, args }) =>
            FREE_FORM.includes(name)
              ? { type: "custom_tool_call", call_id: id, name, input: String(args.input) }
              : { type: "function_call", call_id: id, ...toolOf(name), arguments: JSON.stringify(argumentsOf(args)) },
          );
    const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
    response.writeHead(200, { "content-type": "text/event-stream" });
    send({ type: "response.created", response: { id: "fake" } });
    for (const [at, item] of items.entries()) send({ type: "response.output_item.done", output_index: at, item });
    send({ type: "response.completed", response: { id: "fake", usage } });
    response.end();
  },
};

/** A process's number, taken from the result that told it, is a text in the script and a number to Codex. */
function argumentsOf(args: Record<string, unknown>): Record<string, unknown> {
  return typeof args.session_id === "string" ? { ...args, session_id: Number(args.session_id) } : args;
}

/** The tools of MCP servers have a namespace. */
function toolOf(name: string): { name: string; namespace?: string } {
  const [, namespace, tool] = /^(mcp__\w+?)\/(\w+)$/.exec(name) ?? [];
  return namespace === undefined || tool === undefined ? { name } : { name: tool, namespace };
}
