// How every answer of the plugin's routes is sent.

import type { ServerResponse } from "node:http";

/** Sends a whole answer, unless one was begun or nobody is there any more. */
export function send(response: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string>): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...headers,
  });
  response.end(body);
}
