import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsIn, type StreamEvent } from "../../../plugin/page/src/model/event-stream.ts";

async function read(...pieces: Array<string | Uint8Array>): Promise<StreamEvent[]> {
  const bytes = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const events: StreamEvent[] = [];
  for await (const event of eventsIn(ReadableStream.from(bytes) as ReadableStream<Uint8Array>)) events.push(event);
  return events;
}

test("events come whole however they were cut, and comments are none", async () => {
  const text = ':\n\nevent: head\ndata: {"head":5,"ä":1}\n\n:\n\nevent: head\ndata: 6\n\nevent: head\ndata: torn';
  const expected = [
    { name: "head", data: '{"head":5,"ä":1}' },
    { name: "head", data: "6" },
  ];
  assert.deepEqual(await read(text), expected);
  const bytes = new TextEncoder().encode(text);
  assert.deepEqual(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte))), expected);
});

test("an answer that is no stream of events is not collected without end", async () => {
  await assert.rejects(
    read(
      ..."x"
        .repeat(80)
        .split("")
        .map((letter) => letter.repeat(1_000)),
    ),
    /without an end/,
  );
});
