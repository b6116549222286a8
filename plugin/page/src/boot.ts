// What the server says about this page: in the document itself, so that nothing else has to be asked first.

/** How leases can be released here. */
export interface ReleaseDoor {
  /** Where to ask for a grant first; null when the page's own token will do. */
  grant: string | null;
  post: string;
}

export interface Boot {
  token: string;
  host: "openclaw" | "local";
  version: string;
  view: "all" | "leases";
  release: ReleaseDoor | null;
}

/** Reads what the server wrote into the document; undefined when it did not. */
export function readBoot(page: Document): Boot | undefined {
  const content = page.querySelector('meta[name="callosum-page"]')?.getAttribute("content");
  if (content === null || content === undefined) return undefined;
  try {
    const given = JSON.parse(content) as Partial<Boot>;
    if (typeof given.token !== "string") return undefined;
    return {
      token: given.token,
      host: given.host === "openclaw" ? "openclaw" : "local",
      version: String(given.version ?? ""),
      view: given.view === "leases" ? "leases" : "all",
      release: doorFrom(given.release),
    };
  } catch {
    return undefined;
  }
}

function doorFrom(given: ReleaseDoor | null | undefined): ReleaseDoor | null {
  if (typeof given?.post !== "string") return null;
  return { post: given.post, grant: typeof given.grant === "string" ? given.grant : null };
}
