// The gateway methods `callosum.status` and `callosum.journal`. Both only read.

import type { GateOwner } from "./gate-owner.ts";
import { isRecord, messageOf } from "./host.ts";

export interface MethodFailure {
  code: "INVALID_REQUEST" | "UNAVAILABLE";
  message: string;
}

export type MethodAnswer = { ok: true; payload: unknown } | { ok: false; error: MethodFailure };

const MAX_LIMIT = 1_000;
const MAX_TEXT = 1_024;

/** How each parameter of `callosum.journal` must look. */
const FILTERS: Record<string, { expects: string; fits: (value: unknown) => boolean }> = {
  limit: { expects: `a whole number from 1 to ${MAX_LIMIT}`, fits: (value) => isWhole(value, 1, MAX_LIMIT) },
  tier: { expects: "a whole number from 0 to 4", fits: (value) => isWhole(value, 0, 4) },
  key: { expects: "a text", fits: isText },
  session: { expects: "a text", fits: isText },
  tool: { expects: "a text", fits: isText },
  action: { expects: "a text", fits: isText },
  since: {
    expects: "a time like 2026-01-31T09:00:00Z, or milliseconds since 1970",
    fits: (value) => isText(value) || isWhole(value, 0, Number.MAX_SAFE_INTEGER),
  },
};

/** `callosum.status` */
export async function status(owner: GateOwner, version: string): Promise<MethodAnswer> {
  try {
    const gate = owner.lookAt();
    if (gate === undefined) {
      return { ok: true, payload: { version, degraded: degradedBy(owner) } };
    }
    return parse(await gate.status());
  } catch (thrown) {
    return unavailable(messageOf(thrown));
  }
}

/** `callosum.journal` */
export async function journal(owner: GateOwner, params: unknown): Promise<MethodAnswer> {
  try {
    const filter = params === undefined || params === null ? {} : params;
    const problem = isRecord(filter) ? problemIn(filter) : "the parameters must be an object";
    if (problem !== undefined) return { ok: false, error: { code: "INVALID_REQUEST", message: `callosum.journal: ${problem}` } };
    const gate = owner.lookAt();
    if (gate === undefined) return unavailable(owner.failure?.cause ?? "this instance of the plugin has been closed");
    return parse(await gate.journal(JSON.stringify(filter)));
  } catch (thrown) {
    return unavailable(messageOf(thrown));
  }
}

/** In the shape in which the core tells why it is degraded. */
function degradedBy(owner: GateOwner): unknown {
  if (owner.failure === undefined)
    return { code: "closed", cause: "this instance of the plugin was closed", remedy: "Ask again in a moment." };
  const { cause, remedy, since } = owner.failure;
  return { code: "addon-not-loaded", cause, remedy: remedy.join(" "), since };
}

function problemIn(filter: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(filter)) {
    const known = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (known === undefined)
      return `no parameter is called \`${name.slice(0, 64)}\`; there are ${Object.keys(FILTERS).join(", ")}`;
    if (!known.fits(value)) return `\`${name}\` must be ${known.expects}`;
  }
  return undefined;
}

/** The core answers with JSON text; a failure is an object with `error`. */
function parse(text: string): MethodAnswer {
  const payload: unknown = JSON.parse(text);
  if (isRecord(payload) && isRecord(payload.error)) return unavailable(String(payload.error.message ?? payload.error.code));
  return { ok: true, payload };
}

function unavailable(message: string): MethodAnswer {
  return { ok: false, error: { code: "UNAVAILABLE", message: `callosum: ${message}` } };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_TEXT;
}
