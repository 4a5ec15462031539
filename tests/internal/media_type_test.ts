import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { acceptsEventStream, isJsonMediaType } from "../../src/internal/http.ts";

const CONTENT_TYPES: readonly (readonly [string | null, boolean])[] = [
  ["application/json", true],
  ["Application/JSON", true],
  [" application/json ", true],
  ["application/json;", true],
  ["application/json; charset=utf-8", true],
  ["application/json;charset=UTF-8", true],
  ['application/json; charset="utf-8"', true],
  ["application/json; charset=utf8", true],
  ["application/json; version=1; charset=utf-8", true],
  [null, false],
  ["", false],
  ["application/json; charset=latin1", false],
  ["application/json; charset=utf-16", false],
  ["application/json; charset=utf-8; charset=utf-16", false],
  ["application/json; charset=utf-80", false],
  ["application/json; charset = utf-16", false],
  ["application/jsonp", false],
  ["application/json+x", false],
  ["application/problem+json", false],
  ["text/json", false],
  ["text/plain", false],
  ["text/plain; application/json", false],
  ["application/json, application/json", false],
  ["*/*", false],
];

for (const [contentType, isJson] of CONTENT_TYPES) {
  test(`isJsonMediaType(${JSON.stringify(contentType)}) is ${isJson}`, () =>
    strictEqual(isJsonMediaType(contentType), isJson));
}

const ACCEPTS: readonly (readonly [string | null, boolean])[] = [
  ["text/event-stream", true],
  ["TEXT/Event-Stream", true],
  ["application/json, text/event-stream", true],
  ["application/json,text/event-stream;q=0.1", true],
  ["text/event-stream; q=0.001", true],
  ["text/event-stream;charset=utf-8", true],
  ["text/event-stream;q=1.000", true],
  [null, false],
  ["", false],
  ["*/*", false],
  ["text/*", false],
  ["application/json", false],
  ["text/event-stream;q=0", false],
  ["text/event-stream; q=0.000", false],
  ["text/event-stream ; Q=0.0", false],
  ["text/event-stream;q=0, */*", false],
  ["text/event-streams", false],
  ["x-text/event-stream", false],
  ['application/json;profile="text/event-stream"', false],
];

for (const [accept, isAccepted] of ACCEPTS) {
  test(`acceptsEventStream(${JSON.stringify(accept)}) is ${isAccepted}`, () =>
    strictEqual(acceptsEventStream(accept), isAccepted));
}
