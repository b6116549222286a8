// Server-sent events, as the HTML standard defines their format (https://html.spec.whatwg.org/multipage/server-sent-events.html).

/** One event of a stream. */
export interface ServerSentEvent {
  /** The last id of the stream up to this event: where to resume. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Takes the bytes of one connection, in pieces of any size. */
export class EventStreamParser {
  /** The last id that was told, by an event with or without data. */
  lastEventId: string;
  /** How long to wait before the next connection, where the server says so. */
  retryMs: number | undefined;

  readonly #decoder = new TextDecoder();
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string;

  /** `lastEventId` is what the connections before were told. */
  constructor(lastEventId: string) {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /** The events that are complete with these bytes. What a connection breaks off in the middle of is no event. */
  *feed(bytes: Uint8Array): Generator<ServerSentEvent> {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    // A CR at the end may be half of a CRLF.
    const ends = /\r\n|\n|\r(?!$)/g;
    let from = 0;
    for (let end = ends.exec(this.#rest); end !== null; end = ends.exec(this.#rest)) {
      const line = this.#rest.slice(from, end.index);
      from = end.index + end[0].length;
      if (line !== "") this.#field(line);
      else {
        const event = this.#dispatch();
        if (event !== undefined) yield event;
      }
    }
    this.#rest = this.#rest.slice(from);
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): ServerSentEvent | undefined {
    this.lastEventId = this.#id;
    const [data, event] = [this.#data, this.#event];
    this.#data = [];
    this.#event = "";
    return data.length === 0 ? undefined : { id: this.#id, event: event || "message", data: data.join("\n") };
  }
}
