// Server-sent events out of a body that is being fetched. The browser's own reader of them can't send a header, and a token in its address would be
// kept in histories and logs.

/** More than this without an end is no event of ours. */
const MOST_UNREAD = 64 * 1024;

export interface StreamEvent {
  name: string;
  data: string;
}

/** The events of a body, as they come; comments are left out. Throws when the body is cut off, or is no stream of events. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  // Safari can't iterate over a body.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unread = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      unread += decoder.decode(value, { stream: true });
      const blocks = unread.split("\n\n");
      unread = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventOf(block);
        if (event.data !== "") yield event;
      }
      if (unread.length > MOST_UNREAD) throw new Error("an event without an end");
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): StreamEvent {
  const fields = (name: string) =>
    block.split("\n").flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, "")] : []));
  return { name: fields("event").at(-1) ?? "message", data: fields("data").join("\n") };
}
