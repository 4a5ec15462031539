import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { monitorFromSignal } from "../../../src/core/call/time_limit.ts";
import { readEvents, ResumableSseDecoder } from "../../../src/http_client/resumable_sse.ts";
import { SseDecoder, type SseEvent } from "../../../src/http_client/sse.ts";

function decodeAll(chunks: readonly string[]): SseEvent[] {
  const decoder = new SseDecoder();
  return chunks.flatMap((chunk) => decoder.decode(chunk));
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

test("SseDecoder takes a long line in small chunks", () => {
  const decoder = new SseDecoder();
  decoder.decode("data: ");
  for (let at = 0; at < 200_000; at++) decoder.decode("xxxxxxxx");
  strictEqual(decoder.decode("\n\n")[0]?.data.length, 1_600_000);
});

test("ResumableSseDecoder keeps the id of the last whole event and the delay that the server sent", () => {
  const decoder = new ResumableSseDecoder(1_000);
  strictEqual(decoder.lastEventId, "");
  strictEqual(decoder.retryMs, undefined);
  decoder.decode("id: 1\nretry: 250\nretry: soon\ndata: a\n\ndata: b\n\nid: 2\n");
  strictEqual(decoder.lastEventId, "1");
  strictEqual(decoder.retryMs, 250);
  decoder.decode("\nid: \0\ndata: c\n\n");
  strictEqual(decoder.lastEventId, "2", "an event without data has an id, too; one with NUL is ignored");
});

test("ResumableSseDecoder discards an incomplete event when a stream is resumed, but keeps the last id", () => {
  const decoder = new ResumableSseDecoder(1_000);
  decoder.decode("id: 1\ndata: a\n\ndata: brok");
  decoder.restart();
  deepStrictEqual(decoder.decode("data: whole\n\n"), [{ event: "message", data: "whole" }]);
  strictEqual(decoder.lastEventId, "1");
});

for (const field of ["data: ", "event: ", "data: a\ndata: "]) {
  test(`ResumableSseDecoder has a limit for an event, of ${JSON.stringify(field)}`, () => {
    const decoder = new ResumableSseDecoder(100);
    strictEqual(decoder.decode(`data: first\n\n${field}${"x".repeat(80)}`).length, 1);
    strictEqual(decoder.isOverLimit, false);
    decoder.decode("x".repeat(40));
    strictEqual(decoder.isOverLimit, true);
  });
}

test("ResumableSseDecoder holds no comment and no unknown field, however long", () => {
  const decoder = new ResumableSseDecoder(100);
  for (const start of [":", "unknown: "]) {
    decoder.decode(start);
    for (let at = 0; at < 100; at++) decoder.decode("x".repeat(100));
    deepStrictEqual(decoder.decode("\ndata: a\n\n"), [{ event: "message", data: "a" }]);
  }
  strictEqual(decoder.isOverLimit, false);
});

test("readEvents() gives the events before one that is too large, and then throws", async () => {
  const monitor = monitorFromSignal(new AbortController().signal);
  const response = () => new Response(`data: a\n\ndata: ${"x".repeat(200)}`);
  const events: SseEvent[] = [];
  await rejects(async () => {
    for await (const event of readEvents(response(), new ResumableSseDecoder(100), monitor, true)) events.push(event);
  }, { code: "result_too_large", message: "An event is larger than 100 bytes" });
  deepStrictEqual(events, [{ event: "message", data: "a" }]);
  await rejects(async () => void await readEvents(response(), new ResumableSseDecoder(100), monitor).next(), {
    message: "The answer is larger than 100 bytes",
  });
});
