// How the page's routes answer. The frame that the host shows the page in has an opaque origin, so its requests say `Origin: null`, as those of any
// sandboxed frame of any page do. So that origin may read answers, but what is private needs the token that the document alone knows, and the
// document may be read by nobody.

import type { IncomingMessage, ServerResponse } from "node:http";
import { send } from "../http/send.ts";
import type { PageFile } from "./files.ts";

/** Nothing from elsewhere, nothing inline, and no other site may show the page in a frame. */
const DOCUMENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** The page itself: for the frame alone, so no origin may read it by script. */
export function sendDocument(response: ServerResponse, html: string): void {
  send(response, 200, html, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": DOCUMENT_POLICY,
    "cross-origin-resource-policy": "same-origin",
  });
}

/** A file that the document loads. It holds nothing private; without a policy of its own it could not run as a page. */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile): void {
  const headers = {
    "content-type": file.type,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-cache",
    etag: file.etag,
  };
  if (request.headers["if-none-match"] === file.etag) send(response, 304, "", headers);
  else send(response, 200, file.body, headers);
}

/** JSON text that the page reads by script. */
export function sendJson(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  send(response, status, text, { "content-type": "application/json; charset=utf-8", ...forPage(request) });
}

/** A failure, in the shape that the core's answers have. */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  sendJson(request, response, status, JSON.stringify({ error: { code, message } }));
}

/** A sentence for somebody who opened an address that is no page. */
export function sendPlain(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Record<string, string> = {},
): void {
  const body = status === 204 ? "" : `${sentence}\n`;
  send(response, status, body, { "content-type": "text/plain; charset=utf-8", ...forPage(request), ...headers });
}

/** What the state of things speaks against. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...["claimed", "stale", "blocked", "cycle", "unknown", "ambiguous", "not-yours", "limit", "policy", "cannot-write"],
]);

/** The HTTP status for a failure of the core's. */
export function statusOfFailure(code: string): number {
  if (code === "bad-request") return 400;
  if (REFUSALS.has(code)) return 409;
  return code === "not-found" ? 404 : 503;
}

/** What lets the page, and no other origin, read an answer. */
export function forPage(request: IncomingMessage): Record<string, string> {
  const headers = { "cross-origin-resource-policy": "same-origin", vary: "Origin" };
  if (request.headers.origin !== "null") return headers;
  return { ...headers, "access-control-allow-origin": "null", "access-control-allow-credentials": "true" };
}
