// The page's only way out: questions to the server it came from. Nothing else is ever requested.

import type { Boot } from "./boot.ts";
import { eventsIn } from "./model/event-stream.ts";
import type { SharedContext, Team } from "./model/together.ts";
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
  team: Team;
  context: SharedContext;
}

export type Question = keyof Answers;

/** What a person decides about. */
export type Matter = "task" | "proposal" | "file";

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
    return (await this.#answerOf(`api/${question}`, "GET", request, signal)) as Answers[Q];
  }

  /** Ends the leases on `key`. */
  async release(key: string): Promise<{ key: string; released: Lease[] }> {
    const { release } = this.boot;
    if (release === null) throw new AskError("forbidden", "Leases can't be released from this page.");
    return (await this.#answerOf(release, "POST", { key })) as { key: string; released: Lease[] };
  }

  /**
   * Accepts what an agent proposes, a task or a proposal in the shared context, or rejects it; or keeps a file that something else changed, of which
   * `version` was shown, or has it put back.
   */
  async decide(matter: Matter, id: string, accept: boolean, version?: string): Promise<void> {
    const { decide } = this.boot;
    if (decide === null) throw new AskError("forbidden", "Nothing can be decided on this page.");
    await this.#answerOf(decide, "POST", { matter, id, accept, version });
  }

  /** Tells `onHead` how far the journal goes, whenever it has grown, and `onLink` how the connection stands. Returns how to end it. */
  follow(onHead: (head: number) => void, onLink: (link: Link) => void): () => void {
    const ending = new AbortController();
    void (async () => {
      let wait = FIRST_WAIT_MS;
      while (!ending.signal.aborted) {
        let wasOpen = false;
        try {
          const { ok, body } = await this.#fetch("api/events", "GET", "text/event-stream", ending.signal);
          if (ok && body !== null) {
            wasOpen = true;
            wait = FIRST_WAIT_MS;
            onLink("live");
            for await (const { name, data } of eventsIn(body)) {
              const head = name === "head" ? headIn(data) : undefined;
              if (head !== undefined) onHead(head);
            }
          }
        } catch {
          // Cut off, or never there: either way it is tried again.
        }
        if (ending.signal.aborted) return;
        // A server ends its streams now and then: that alone is no loss.
        if (!wasOpen) onLink("lost");
        await new Promise((resolve) => setTimeout(resolve, wait));
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    })();
    return () => ending.abort();
  }

  /**
   * A request with the page's token. It stands where no address shows it, in a header that a frame without an origin may send without the browser
   * asking the server for permission first.
   */
  #fetch(path: string, method: "GET" | "POST", type: string, signal: AbortSignal | undefined): Promise<Response> {
    const headers = { accept: `${type}; token=${this.boot.token}` };
    const options: RequestInit = { method, headers, credentials: "include", cache: "no-store", redirect: "error" };
    return fetch(path, signal === undefined ? options : { ...options, signal });
  }

  async #answerOf(path: string, method: "GET" | "POST", request: unknown, signal?: AbortSignal): Promise<unknown> {
    const url = `${path}?${new URLSearchParams({ q: JSON.stringify(request) })}`;
    let response: Response;
    try {
      response = await this.#fetch(url, method, "application/json", signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new AskError("unreachable", "The server does not answer.");
    }
    let answer: unknown;
    try {
      answer = await response.json();
    } catch (error) {
      if (signal?.aborted) throw error;
      answer = undefined;
    }
    const failure = failureIn(answer);
    if (response.ok && failure === undefined && answer !== undefined) return answer;
    const code = response.status === 401 ? "unauthorized" : response.status === 403 ? "forbidden" : "internal";
    throw new AskError(
      typeof failure?.code === "string" ? failure.code : code,
      typeof failure?.message === "string" ? sentence(failure) : `The server answered with status ${response.status}.`,
    );
  }
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

function headIn(data: string): number | undefined {
  try {
    const { head } = JSON.parse(data) as { head?: unknown };
    return typeof head === "number" ? head : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong, and what to do about it where that is told. */
function sentence({ message, remedy }: { message?: unknown; remedy?: unknown }): string {
  return typeof remedy === "string" && remedy !== "" ? `${message}; ${remedy}` : String(message);
}

/** A failure is an object; the `error` of the rules is a text. */
function failureIn(answer: unknown): { code?: unknown; message?: unknown; remedy?: unknown } | undefined {
  const error = (answer as { error?: unknown } | null | undefined)?.error;
  return typeof error === "object" && error !== null ? error : undefined;
}
