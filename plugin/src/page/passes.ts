// What a copy of the page may do. The host authenticates the document: its frame sends the host's cookie when the document is fetched, but many
// browsers (Safari, Debian's Chromium, private windows) send no cookie with anything that the frame fetches afterwards. So the document carries a
// token, which only it knows, and the token opens the rest, for a time.

import type { IncomingMessage } from "node:http";
import { Tokens } from "./tokens.ts";

/** Copies of the page that may be open at once; an older one has to be loaded again. */
const MOST_PAGES = 256;
/** Afterwards the host is asked again, by loading the page again. */
const READING_MS = 12 * 60 * 60 * 1000;
const RELEASING_MS = 60 * 60 * 1000;

interface Pass {
  /** Who was let in, by the settings of the gateway at that time. */
  settings: string;
  /** Until when it releases leases, on the clock of `performance.now()`. */
  releasesUntil: number;
}

export class Passes {
  // A reload of the plugin must not shut out the pages that are open.
  readonly #tokens = Tokens.ofProcess<Pass>("pages", MOST_PAGES, READING_MS);
  readonly #settings: () => string;

  /** `settings` gives what decides whom the host lets in: when it changes, all passes end. */
  constructor(settings: () => string) {
    this.#settings = settings;
  }

  /** A token for one copy of the page. */
  issue(releases: boolean): string {
    return this.#tokens.issue({ settings: this.#settings(), releasesUntil: releases ? performance.now() + RELEASING_MS : 0 });
  }

  /** Whether the token opens the api. */
  reads(token: unknown): boolean {
    return this.#tokens.find(token)?.settings === this.#settings();
  }

  /** Whether the token releases leases. */
  releases(token: unknown): boolean {
    return this.reads(token) && performance.now() < (this.#tokens.find(token)?.releasesUntil ?? 0);
  }
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
