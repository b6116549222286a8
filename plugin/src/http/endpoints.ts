// The service's five endpoints under a route of the gateway, for instances that are programs of their own: who has the gateway's token needs no
// service. What they mean is the core's; here a request is let in, read, and its answer sent.

import type { IncomingMessage } from "node:http";
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import type { EndpointAnswer } from "../../native/binding.js";
import type { GateOwner } from "../gate-owner.ts";
import { type Scopes, scopesOfRequest } from "./scopes.runtime.ts";
import { send } from "./send.ts";
import type { Turns } from "./turns.ts";

/** Clients take it as the service's address. */
export const BASE = "/plugins/callosum-gate";
/** As the service's. */
const MOST_BODY = 1 << 20;
/** Up to so much of a longer body is taken in, so that its sender gets to read the answer. */
const MOST_DRAINED = 8 << 20;
/** A body that takes longer is given up. */
const BODY_MS = 15_000;

const TOO_LARGE = refused(
  413,
  "limit",
  "the request's body is larger than 1 MiB",
  "send less: of large parameters their beginning tells as much",
);
const TIMED_OUT = {
  ...refused(503, "timed-out", "the request's body did not come", "send the whole request within 15 s"),
  retryAfter: 1,
};

/** Adds the route to the host. `scopesOf` tells what the host lets the sender of a request do. */
export function registerEndpoints(
  api: OpenClawPluginApi,
  owner: GateOwner,
  turns: Turns,
  scopesOf: () => Promise<Scopes> = scopesOfRequest,
): void {
  api.registerHttpRoute({
    path: BASE,
    match: "prefix",
    auth: "gateway",
    // Else a device that may only read is told from nobody.
    gatewayRuntimeScopeSurface: "trusted-operator",
    handler: async (request, response) => {
      let answer: EndpointAnswer;
      try {
        answer = await answerTo(request, owner, turns, await scopesOf());
      } catch (thrown) {
        owner.fault("a route of the gate", thrown);
        answer = refused(500, "internal", "the request failed", "report this as a bug, with the gateway's log");
      }
      const { status, body, retryAfter, allow } = answer;
      send(response, status, body, {
        "content-type": "application/json",
        "x-callosum-protocol": "1",
        // What is left of a body that was too long is not read.
        ...(!request.complete && { connection: "close" }),
        ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
        ...(allow !== undefined && { allow }),
      });
      return true;
    },
  });
}

async function answerTo(request: IncomingMessage, owner: GateOwner, turns: Turns, scopes: Scopes): Promise<EndpointAnswer> {
  const { method = "GET", headers } = request;
  if (headers.origin !== undefined)
    return refused(403, "foreign", "a web page can't ask this", "ask it from a program, without the header `Origin`");
  const writes = method !== "GET" && method !== "HEAD";
  const wanted = ["operator.admin", "operator.write", ...(writes ? [] : ["operator.read"])];
  if (!wanted.some((scope) => scopes.includes(scope)))
    return refused(
      403,
      "forbidden",
      `the gateway lets you do too little: this needs the scope ${writes ? "operator.write" : "operator.read"}`,
      "send the gateway's own token, or that of a device which has the scope",
    );
  const body = await bodyOf(request);
  if (!Buffer.isBuffer(body)) return body;
  if (body.length > 0 && !/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    return refused(415, "bad-request", "the request's `Content-Type` is not `application/json`", "send JSON, and say so");
  const gate = owner.lookAt();
  if (gate === undefined) {
    const { cause, remedy } = owner.failure ?? { cause: "this instance of the plugin was closed", remedy: ["Ask again."] };
    return { ...refused(503, "unavailable", cause, remedy.join(" ")), retryAfter: 5 };
  }
  const key = headers["idempotency-key"];
  const asked = { method, path: below(request.url ?? "/"), body, ...(key !== undefined && { idempotencyKey: String(key) }) };
  const busy = refused(503, "busy", "too many requests at once", "wait, then send it again");
  return await turns.take(() => gate.endpoint(asked), { ...busy, retryAfter: 1 });
}

/** What of an address stands below the route, as it came. */
function below(url: string): string {
  return url.startsWith(BASE) ? url.slice(BASE.length) : url;
}

/** A request's whole body, or why it can't be taken. */
function bodyOf(request: IncomingMessage): Promise<Buffer | EndpointAnswer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let seen = 0;
    const end = (answer: Buffer | EndpointAnswer) => {
      clearTimeout(late);
      resolve(answer);
    };
    const late = setTimeout(() => end(TIMED_OUT), BODY_MS);
    request.on("data", (piece: Buffer) => {
      seen += piece.length;
      if (seen <= MOST_BODY) pieces.push(piece);
      else pieces.length = 0;
      if (seen <= MOST_DRAINED) return;
      request.pause();
      end(TOO_LARGE);
    });
    request.once("end", () => end(seen > MOST_BODY ? TOO_LARGE : Buffer.concat(pieces)));
    // Whoever went away reads nothing.
    request.once("close", () => end(TIMED_OUT));
  });
}

function refused(status: number, code: string, message: string, remedy: string): EndpointAnswer {
  return { status, body: JSON.stringify({ error: { code, message, remedy } }) };
}
