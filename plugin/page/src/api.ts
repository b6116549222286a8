// The page's only way out: questions to the server it came from. Nothing else is ever requested.

import type { Boot } from "./boot.ts";
import type { Explained, JournalPiece, Lease, RuleBook, Status, Story, TallyPiece, TimelinePiece } from "./model/wire.ts";

/** Why a question has no answer. `code` is the server's, or `unreachable`. */
export class AskError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Answers {
  head: { head: number };
  status: Status;
  journal: JournalPiece;
  timeline: TimelinePiece;
  tally: TallyPiece;
  why: Story;
  explain: Explained;
  rules: RuleBook;
}

export type Question = keyof Answers;

/** How the stream of news stands. `refused`: the server no longer knows this page. */
export type Link = "connecting" | "live" | "lost";

/** The server of this page. */
export class Api {
  readonly boot: Boot;
  constructor(boot: Boot) {
    this.boot = boot;
  }

  /** Asks the core. Rejects with an `AskError`, or with what `signal` was aborted with. */
  async ask<Q extends Question>(question: Q, request: Record<string, unknown>, signal?: AbortSignal): Promise<Answers[Q]> {
    const query = new URLSearchParams({ t: this.boot.token, q: JSON.stringify(request) });
    return (await answerOf(`api/${question}?${query}`, signal === undefined ? {} : { signal })) as Answers[Q];
  }

  /** Ends the leases on `key`. */
  async release(key: string): Promise<{ key: string; released: Lease[] }> {
    const { release, token } = this.boot;
    if (release === null) throw new AskError("forbidden", "Leases can't be released from this page.");
    // Plain text, so that the browser asks no permission first: the frame's origin has none to give.
    const body = JSON.stringify({ key, token });
    return (await answerOf(release, { method: "POST", headers: { "content-type": "text/plain" }, body })) as {
      key: string;
      released: Lease[];
    };
  }

  /** Tells `onHead` how far the journal goes, whenever it has grown, and `onLink` how the connection stands. Returns how to end it. */
  follow(onHead: (head: number) => void, onLink: (link: Link) => void): () => void {
    let stream: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let wait = FIRST_WAIT_MS;
    const open = () => {
      const opened = new EventSource(`api/events?${new URLSearchParams({ t: this.boot.token })}`, { withCredentials: true });
      let wasOpen = false;
      stream = opened;
      opened.addEventListener("open", () => {
        wasOpen = true;
        wait = FIRST_WAIT_MS;
        onLink("live");
      });
      opened.addEventListener("head", (message) => {
        const head = headIn(message.data);
        if (head !== undefined) onHead(head);
      });
      opened.addEventListener("error", () => {
        // Not left to the browser, which gives up on some answers. A server ends its streams now and then: that alone is no loss.
        opened.close();
        if (!wasOpen) onLink("lost");
        again = setTimeout(open, wait);
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      });
    };
    open();
    return () => {
      clearTimeout(again);
      stream?.close();
    };
  }
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

function headIn(data: unknown): number | undefined {
  try {
    const { head } = JSON.parse(String(data)) as { head?: unknown };
    return typeof head === "number" ? head : undefined;
  } catch {
    return undefined;
  }
}

async function answerOf(url: string, options: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...options, credentials: "include", cache: "no-store", redirect: "error" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new AskError("unreachable", "The server does not answer.");
  }
  let answer: unknown;
  try {
    answer = await response.json();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    answer = undefined;
  }
  const failure = failureIn(answer);
  if (response.ok && failure === undefined && answer !== undefined) return answer;
  const code = response.status === 401 ? "unauthorized" : response.status === 403 ? "forbidden" : "internal";
  throw new AskError(
    typeof failure?.code === "string" ? failure.code : code,
    typeof failure?.message === "string" ? failure.message : `The server answered with status ${response.status}.`,
  );
}

/** A failure is an object; the `error` of the rules is a text. */
function failureIn(answer: unknown): { code?: unknown; message?: unknown } | undefined {
  const error = (answer as { error?: unknown } | null | undefined)?.error;
  return typeof error === "object" && error !== null ? error : undefined;
}
