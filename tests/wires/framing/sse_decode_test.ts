import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { SseDecoder, type SseEvent } from "../../../src/http_client/sse.ts";

function decodeAll(pieces: readonly string[]): SseEvent[] {
  const decoder = new SseDecoder();
  return pieces.flatMap((piece) => decoder.decode(piece));
}

function parseByLibrary(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => void events.push({ event: event ?? "message", data }) });
  parser.feed(text);
  return events;
}

const CASES: readonly (readonly [string, readonly SseEvent[]])[] = [
  ["data: a\n\n", [{ event: "message", data: "a" }]],
  ["event: done\ndata: {}\n\n", [{ event: "done", data: "{}" }]],
  ["data:a\ndata:  b\n\n", [{ event: "message", data: "a\n b" }]],
  ["data\n\n", [{ event: "message", data: "" }]],
  ["event: x\n\ndata: a\n\n", [{ event: "message", data: "a" }]],
  [": comment\nid: 1\nretry: 5\ndata: a\n\n", [{ event: "message", data: "a" }]],
  ["data: a\r\n\r\ndata: b\r\rdata: c\n\n", [{ event: "message", data: "a" }, { event: "message", data: "b" }, {
    event: "message",
    data: "c",
  }]],
  ["data: never ended\n", []],
  ["data: a:b\n\n", [{ event: "message", data: "a:b" }]],
];

for (const [text, want] of CASES) {
  test(`SseDecoder reads ${JSON.stringify(text)} at every split`, () => {
    for (let cut = 0; cut <= text.length; cut++) {
      deepStrictEqual(decodeAll([text.slice(0, cut), text.slice(cut)]), want);
    }
    deepStrictEqual(decodeAll([...text]), want);
  });
}

test("SseDecoder reads what eventsource-parser reads, however the text is cut", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "",
      "data",
      "data:",
      "data: x",
      "event: done",
      "event:",
      "id: 1",
      ": c",
      "retry: 1",
      " data: y",
      "datax: z",
      "data:\u2028",
    ),
    fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\0\ufeff]/g, "")),
  );
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  const stream = fc.array(fc.tuple(line, ending)).map((lines) => lines.map((parts) => parts.join("")).join(""));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(200), { maxLength: 6 }), (text, cuts) => {
      const at = [...new Set([0, ...cuts, text.length].map((cut) => Math.min(cut, text.length)))].sort((one, other) =>
        one - other
      );
      const pieces = at.map((from, index) => text.slice(from, at[index + 1] ?? from));
      deepStrictEqual(decodeAll(pieces), parseByLibrary(`${text}`));
    }),
    { numRuns: 2_000 },
  );
});

test("SseDecoder takes a long line in small pieces", () => {
  const decoder = new SseDecoder();
  decoder.decode("data: ");
  for (let at = 0; at < 200_000; at++) decoder.decode("xxxxxxxx");
  strictEqual(decoder.decode("\n\n")[0]?.data.length, 1_600_000);
});
