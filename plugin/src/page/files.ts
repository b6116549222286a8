// The files of the page, as the build left them beside the compiled plugin: read once, at the first look, and served from memory. There is a fixed
// list of them, so no path of a request ever reaches the disk.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Beside the compiled `src`; in the source tree the folder of this name has the page's sources, which no browser can run. */
const FOLDER = fileURLToPath(new URL("../../page", import.meta.url));
const DOCUMENT = "index.html";
/** Stands in the document where it is told about this host. */
const PLACEHOLDER = "<!--callosum-page-->";
/** What the document loads, and its types. */
export const FILES = {
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

export type FileName = keyof typeof FILES;

/** What the document is told when it is served. */
export interface About {
  /** Opens the api to this one copy of the page. */
  token: string;
  host: "openclaw";
  version: string;
  view: "all" | "leases";
  /** Where leases are released with the token, relative to the page; null where they can't be. */
  release: string | null;
  /** Likewise where a person accepts and rejects what agents propose. */
  decide: string | null;
}

export interface PageFile {
  type: string;
  body: Buffer;
  etag: string;
}

export class PageFiles {
  readonly #document: string;
  readonly #files: Map<FileName, PageFile>;

  private constructor(document: string, files: Map<FileName, PageFile>) {
    this.#document = document;
    this.#files = files;
  }

  /** Reads the folder; undefined when it has no built page. Throws when it can't be read. */
  static read(folder: string = FOLDER): PageFiles | undefined {
    const names = Object.keys(FILES) as FileName[];
    if (![DOCUMENT, ...names].every((name) => existsSync(join(folder, name)))) return undefined;
    const files = names.map((name): [FileName, PageFile] => {
      const body = readFileSync(join(folder, name));
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      return [name, { type: FILES[name], body, etag }];
    });
    return new PageFiles(readFileSync(join(folder, DOCUMENT), "utf8"), new Map(files));
  }

  /** The document for one copy of the page. */
  document(about: About): string {
    const content = JSON.stringify(about).replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`);
    return this.#document.replace(PLACEHOLDER, () => `<meta name="callosum-page" content="${content}">`);
  }

  /** A file that the document loads. */
  file(name: FileName): PageFile | undefined {
    return this.#files.get(name);
  }
}
