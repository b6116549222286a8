// What a copy of the page may do. The host authenticates the document: its frame sends the host's cookie when the document is fetched, but many
// browsers (Safari, Debian's Chromium, private windows) send no cookie with anything that the frame fetches afterwards. So the document carries a
// token, which only it knows, and the token opens the rest, for a time.
//
// A token is signed, not remembered: it says itself until when it is good, so that however many copies are opened, none pushes out another.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Afterwards the host is asked again, by loading the page again. */
const READING_MS = 12 * 60 * 60 * 1000;
const RELEASING_MS = 60 * 60 * 1000;
/** Until when it reads and until when it releases, on the clock of `performance.now()`; what makes it unlike all others; the signature. */
const TOKEN = /^((\d{1,12})\.(\d{1,12})\.[\w-]{12})\.([\w-]{43})$/;

interface Pass {
  readsUntil: number;
  releasesUntil: number;
}

export class Passes {
  readonly #settings: () => string;
  readonly #now: () => number;

  /** `settings` gives what decides whom the host lets in: when it changes, all passes end. `now` is the clock, in milliseconds. */
  constructor(settings: () => string, now: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#now = now;
  }

  /** A token for one copy of the page. */
  issue(releases: boolean): string {
    const now = Math.ceil(this.#now());
    const says = `${now + READING_MS}.${releases ? now + RELEASING_MS : 0}.${randomBytes(9).toString("base64url")}`;
    return `${says}.${this.#signature(says).toString("base64url")}`;
  }

  /** Whether the token opens the api. */
  reads(token: string | undefined): boolean {
    return this.#now() < (this.#pass(token)?.readsUntil ?? 0);
  }

  /** Whether the token releases leases. */
  releases(token: string | undefined): boolean {
    return this.reads(token) && this.#now() < (this.#pass(token)?.releasesUntil ?? 0);
  }

  /** What the token says; undefined when it is none of this process's, or the settings have changed since. */
  #pass(token: string | undefined): Pass | undefined {
    const [, says = "", reads, releases, signature = ""] = TOKEN.exec(token ?? "") ?? [];
    if (!timingSafeEqual(this.#signature(says), Buffer.from(signature.padEnd(43, "A"), "base64url"))) return undefined;
    return { readsUntil: Number(reads), releasesUntil: Number(releases) };
  }

  #signature(says: string): Buffer {
    return createHmac("sha256", processKey()).update(`${says}\n${this.#settings()}`).digest();
  }
}

/**
 * What tokens are signed with: one key for the whole process, so that a reload of the plugin does not shut out the pages that are open. Each load
 * has its own copy of this module, and only the global object reaches from one to the other.
 */
function processKey(): Buffer {
  const shared = globalThis as { [key: symbol]: Buffer | undefined };
  const symbol = Symbol.for("callosum.page-key");
  shared[symbol] ??= randomBytes(32);
  return shared[symbol];
}

/**
 * The token that a request carries. It stands in `Accept`, as `application/json; token=…`: an address would be kept in histories and logs, and for
 * every other header that could hold it a browser first asks whether it may be sent, since the page's frame has no origin of its own, by a request
 * that proxies which want their own cookie turn down.
 */
export function tokenOf(request: IncomingMessage): string | undefined {
  return /;\s*token=([\w.-]+)/.exec(request.headers.accept ?? "")?.[1];
}

/**
 * Whether a document that the host has let through belongs to somebody who may write. On the path of the tab for those only, the host's cookie
 * proves it. But the host lets readers through there too, by a bearer token, which a frame never has, and by what a proxy in front says of them.
 * Where it has roles, it tells a plugin too little to know the one from the other.
 */
export function mayRelease(request: IncomingMessage, hasRoles: boolean): boolean {
  if (request.headers.authorization !== undefined || hasRoles) return false;
  const declared = request.headers["x-openclaw-scopes"];
  if (declared === undefined) return true;
  const scopes = String(declared)
    .split(",")
    .map((scope) => scope.trim());
  return scopes.includes("operator.write") || scopes.includes("operator.admin");
}
