// What the server says about this page: in the document itself, so that nothing else has to be asked first.

/** Under what name the token is kept. */
const KEPT = "callosum-token";

export interface Boot {
  token: string;
  host: "openclaw" | "local";
  version: string;
  view: "all" | "leases";
  /** Where leases are released; null where they can't be. */
  release: string | null;
  /** Likewise where what agents propose is accepted and rejected. */
  decide: string | null;
}

/** Reads what the server wrote into the document; undefined when it did not. */
export function readBoot(page: Document): Boot | undefined {
  const content = page.querySelector('meta[name="callosum-page"]')?.getAttribute("content");
  if (content === null || content === undefined) return undefined;
  try {
    const given = JSON.parse(content) as Partial<Boot>;
    const host = given.host === "openclaw" ? "openclaw" : "local";
    const token = host === "local" ? keep(given.token) : given.token;
    if (typeof token !== "string") return undefined;
    return {
      token,
      host,
      version: String(given.version ?? ""),
      view: given.view === "leases" ? "leases" : "all",
      release: typeof given.release === "string" ? given.release : null,
      decide: typeof given.decide === "string" ? given.decide : null,
    };
  } catch {
    return undefined;
  }
}

/**
 * `callosum ui` gives the token once, to the document that its link opens. It is kept for a reload and for other windows, where no other server on
 * this machine gets it.
 */
function keep(token: unknown): unknown {
  try {
    if (typeof token !== "string") return window.localStorage.getItem(KEPT);
    // The link is used up: a reload must not ask by it again.
    window.history.replaceState(null, "", window.location.pathname + window.location.hash);
    window.localStorage.setItem(KEPT, token);
  } catch {
    // A browser that keeps nothing needs a link for each window.
  }
  return token;
}
