import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { encodeSseEvent } from "../../../src/wires/framing/sse.ts";
import { encodeEvent } from "../../../src/wires/framing/event_stream.ts";

/** Events that a client reads from bytes that arrive in these chunks. */
function parseChunks(chunks: readonly Uint8Array[]): { event: string | undefined; data: string }[] {
  const events: { event: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  // After ASCII alone, Deno 2.9 takes U+FEFF at the start of a chunk for a byte order mark, unless `ignoreBOM` is set.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  parser.feed(decoder.decode());
  return events;
}

test("encodeSseEvent() writes one event line, one data line and an empty one", () => {
  strictEqual(encodeSseEvent("done", '{"a":1}'), 'event: done\ndata: {"a":1}\n\n');
});

/** Pieces that would break a stream whose encoder trusted them. */
const hostile = fc.constantFrom(
  "\r",
  "\n",
  "\r\n",
  "\n\n",
  "\0",
  "\u2028",
  "\u2029",
  "\u0085",
  "\ufeff",
  "data: {}",
  "\n\nevent: done\ndata: {}\n\n",
  ":",
  "id: 1\n",
  "retry: 1\r",
  "\ud800",
  "\udc00",
  "😀",
  "é",
  "€",
);
const piece = fc.array(fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 4 }).map((parts) =>
  parts.join("")
);
const partial = fc.oneof(
  piece,
  fc.dictionary(piece, piece, { maxKeys: 2, noNullPrototype: true }),
  fc.array(piece, { maxLength: 2 }),
  fc.jsonValue({ maxDepth: 2 }),
);

test("encodeSseEvent() round-trips any partials through eventsource-parser at every split of the bytes", () => {
  fc.assert(
    fc.property(fc.array(partial, { minLength: 1, maxLength: 3 }), (values) => {
      const datas = values.map((value) => encodeEvent({ kind: "partial", value }));
      const bytes = new TextEncoder().encode([
        ...datas.map((data) => encodeSseEvent("message", data)),
        encodeSseEvent("heartbeat", "{}"),
        encodeSseEvent("done", "{}"),
      ].join(""));
      const want = [
        ...datas.map((data) => ({ event: "message", data })),
        { event: "heartbeat", data: "{}" },
        { event: "done", data: "{}" },
      ];
      for (let cut = 0; cut <= bytes.length; cut++) {
        const got = parseChunks([bytes.subarray(0, cut), bytes.subarray(cut)]);
        // Compared by text first: assertions on structures are slow, and there are a hundred thousand of these.
        if (JSON.stringify(got) !== JSON.stringify(want)) deepStrictEqual(got, want, `cut at ${cut}`);
      }
      const back = parseChunks([bytes]).filter(({ event }) => event === "message").map(({ data }) =>
        JSON.parse(data).partial
      );
      deepStrictEqual(back, values.map((value) => JSON.parse(JSON.stringify(value))));
    }),
    { seed: 7, numRuns: 150 },
  );
});

test("encodeSseEvent() round-trips a hostile partial fed byte by byte", () => {
  const value = "a\r\nb\rc\nd\0e\u2028f\u2029😀\n\nevent: done\ndata: {}\n\n";
  const bytes = new TextEncoder().encode(encodeSseEvent("message", encodeEvent({ kind: "partial", value })));
  const events = parseChunks(Array.from(bytes, (byte) => Uint8Array.of(byte)));
  strictEqual(events.length, 1);
  deepStrictEqual(JSON.parse(events[0]?.data ?? ""), { partial: value });
});

for (
  const [name, event, want] of [
    ["an undefined partial", { kind: "partial", value: undefined }, { partial: null }],
    ["a partial that is a function", { kind: "partial", value: () => {} }, { partial: null }],
    ["a partial of NaN", { kind: "partial", value: Number.NaN }, { partial: null }],
    ["progress", { kind: "progress", progress: { done: 1, total: 2, message: "a\nb" } }, {
      progress: { done: 1, total: 2, message: "a\nb" },
    }],
    ["progress without a total", { kind: "progress", progress: { done: 0 } }, { progress: { done: 0 } }],
  ] as const
) {
  test(`encodeEvent() writes ${name} as one line of JSON`, () => {
    const text = encodeEvent(event);
    strictEqual(/[\r\n]/.test(text), false);
    deepStrictEqual(JSON.parse(text), want);
  });
}
