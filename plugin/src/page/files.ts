// The files of the page, as the build left them beside the compiled plugin: read once, at the first look, and served from memory. What is not in
// the folder then is not there, so no path of a request ever reaches the disk.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Beside the compiled `src`; in the source tree the folder of this name has the page's sources, which no browser can run. */
const FOLDER = fileURLToPath(new URL("../../page", import.meta.url));
const DOCUMENT = "index.html";
/** Stands in the document where it is told about this host. */
const PLACEHOLDER = "<!--callosum-page-->";
const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

/** What the document is told when it is served. */
export interface About {
  /** Opens the api to this one copy of the page. */
  token: string;
  host: "openclaw";
  version: string;
  view: "all" | "leases";
  /** Where leases are released with the token, relative to the page; null where they can't be. */
  release: { grant: null; post: string } | null;
}

export interface PageFile {
  type: string;
  body: Buffer;
  etag: string;
}

export class PageFiles {
  readonly #document: string;
  readonly #files: Map<string, PageFile>;

  private constructor(document: string, files: Map<string, PageFile>) {
    this.#document = document;
    this.#files = files;
  }

  /** Reads the folder; undefined when it has no built page. Throws when it can't be read. */
  static read(folder: string = FOLDER): PageFiles | undefined {
    if (!existsSync(join(folder, DOCUMENT)) || !existsSync(join(folder, "app.js"))) return undefined;
    const files = new Map<string, PageFile>();
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const type = TYPES[extname(entry.name)];
      if (!entry.isFile() || type === undefined) continue;
      const body = readFileSync(path);
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      files.set(relative(folder, path).split(sep).join("/"), { type, body, etag });
    }
    const document = files.get(DOCUMENT)?.body.toString("utf8");
    files.delete(DOCUMENT);
    return document?.includes(PLACEHOLDER) ? new PageFiles(document, files) : undefined;
  }

  /** The document for one copy of the page. */
  document(about: About): string {
    const content = JSON.stringify(about).replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`);
    return this.#document.replace(PLACEHOLDER, () => `<meta name="callosum-page" content="${content}">`);
  }

  /** A file besides the document, by its path relative to it. */
  file(path: string): PageFile | undefined {
    return this.#files.get(path);
  }
}
