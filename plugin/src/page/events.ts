// The page's live signal: server-sent events that say how far the journal is. One look serves every open stream. A stream is no work that the host
// waits for, and all of them end with the instance: the browser opens the next by itself, at the instance that is there then.

import type { ServerResponse } from "node:http";
import type { CoreAnswer } from "../core-answer.ts";
import { isRecord } from "../host.ts";

/** How often the journal is looked at while somebody listens. */
const LOOK_MS = 500;
/** How often a silent stream says that it is alive, for proxies that end idle connections. */
const ALIVE_MS = 15_000;
const MOST_STREAMS = 32;
/** A stream with this much unread has nobody at its end. */
const MOST_UNREAD = 64 * 1024;

/** Whose a stream is, what it was told last, and when on the clock of `performance.now()`. */
interface Told {
  token: string;
  head: unknown;
  at: number;
}

export class HeadStreams {
  readonly #look: () => Promise<CoreAnswer>;
  readonly #reads: (token: string) => boolean;
  readonly #open = new Map<ServerResponse, Told>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #ended = false;

  /** `look` asks the core for `head`; `reads` tells whether a token still opens the api. */
  constructor(look: () => Promise<CoreAnswer>, reads: (token: string) => boolean) {
    this.#look = look;
    this.#reads = reads;
  }

  /**
   * Makes the response the stream of the page that has this token, in place of the one it had; false when there are too many, or this instance is
   * gone. It ends with the token. Nobody need wait for its end.
   */
  add(token: string, response: ServerResponse, headers: Record<string, string>): boolean {
    if (this.#ended) return false;
    for (const [other, told] of this.#open) if (told.token === token) this.#close(other);
    if (this.#open.size >= MOST_STREAMS) return false;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      // Else nginx keeps events back until a buffer is full.
      "x-accel-buffering": "no",
      ...headers,
    });
    response.write(":\n\n");
    this.#open.set(response, { token, head: undefined, at: performance.now() });
    response.once("close", () => this.#remove(response));
    response.on("error", () => this.#remove(response));
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => {
        for (const [known, { token: theirs }] of this.#open) if (!this.#reads(theirs)) this.#close(known);
        void this.#tell();
      }, LOOK_MS);
      // Never a reason for the process to stay alive.
      this.#timer.unref();
    }
    void this.#tell();
    return true;
  }

  /** Ends all streams; there will be no more. */
  end(): void {
    this.#ended = true;
    for (const response of this.#open.keys()) response.end();
    this.#open.clear();
    this.#rest();
  }

  /** Tells each stream what it does not know. One at a time: a core that can't answer must not collect questions. */
  async #tell(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const answer = await this.#look();
    this.#looking = false;
    const found = answer.ok && isRecord(answer.payload) ? answer.payload : undefined;
    const event = `event: head\ndata: ${JSON.stringify(found)}\n\n`;
    const now = performance.now();
    for (const [response, told] of this.#open) {
      const news = found !== undefined && found.head !== told.head;
      if (!news && now - told.at < ALIVE_MS) continue;
      this.#open.set(response, { ...told, head: news ? found.head : told.head, at: now });
      if (response.writableLength > MOST_UNREAD) response.destroy();
      else response.write(news ? event : ":\n\n");
    }
  }

  #close(response: ServerResponse): void {
    response.end();
    this.#remove(response);
  }

  #remove(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
