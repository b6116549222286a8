// The dialect of an OpenAI-compatible chat-completions server, as OpenClaw's `openai-completions` speaks it.

import { type Conversation, type Dialect, listOf, type Reply, textOf } from "./fake-model.ts";

/** How a user message begins that the host adds by itself, behind the person's one. */
const HOST_CONTEXT = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";

export const chatCompletions: Dialect = {
  asks: (path) => path.endsWith("/chat/completions"),

  read(body): Conversation {
    const messages = listOf(body.messages);
    const from = messages.findLastIndex(
      (message) => message.role === "user" && !textOf(message.content).startsWith(HOST_CONTEXT),
    );
    const since = messages.slice(from + 1);
    return {
      said: textOf(messages[from]?.content),
      done: since.filter((message) => message.role === "assistant" && message.tool_calls).length,
      results: since.filter((message) => message.role === "tool").map((message) => textOf(message.content)),
    };
  },

  write(response, reply: Reply): void {
    const send = (delta: unknown, finish: string | null) => {
      const chunk = {
        id: "fake",
        object: "chat.completion.chunk",
        created: 0,
        model: "scripted",
        choices: [{ index: 0, delta, finish_reason: finish }],
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    send({ role: "assistant", content: "text" in reply ? reply.text : "" }, null);
    if ("calls" in reply) {
      const calls = reply.calls.map(({ id, name, args }, index) => ({
        index,
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }));
      send({ tool_calls: calls }, null);
    }
    send({}, "calls" in reply ? "tool_calls" : "stop");
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    response.write(`data: ${JSON.stringify({ id: "fake", object: "chat.completion.chunk", choices: [], usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  },
};
