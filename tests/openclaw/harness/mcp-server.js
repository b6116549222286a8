// The smallest MCP server: one tool, `send_email`, that writes down what it was asked to send. JSON-RPC, a message a line, on stdio.
// JavaScript, because hosts start it for each session, and Node would load a TypeScript parser each time.

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [outbox = ""] = process.argv.slice(2);
const text = { type: "string" };

/** @type {Record<string, (params: { protocolVersion?: string; arguments?: { to?: string; fail?: string } }) => unknown>} */
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "mailer", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [
      {
        name: "send_email",
        description: "Sends a mail",
        inputSchema: { type: "object", properties: { to: text, body: text, fail: text }, required: ["to"] },
      },
    ],
  }),
  "tools/call": ({ arguments: { to, fail } = {} }) => {
    if (fail !== undefined) return { isError: true, content: [{ type: "text", text: fail }] };
    appendFileSync(outbox, `mcp ${to}\n`);
    return { content: [{ type: "text", text: "sent" }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = ANSWERS[method];
  const reply = answer === undefined ? { error: { code: -32601, message: "unknown method" } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
}
