import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeRequest, isRequestId, parseJson } from "../../../src/wires/framing/json_rpc/decode.ts";
import { encodeError, encodeResult } from "../../../src/wires/framing/json_rpc/reply.ts";

/** The result of `decodeRequest` for a body with this id, sent as JSON text. */
function decodeWithId(idJson: string | undefined): ReturnType<typeof decodeRequest> {
  const id = idJson === undefined ? "" : `"id":${idJson},`;
  return decodeRequest(JSON.parse(`{"jsonrpc":"2.0",${id}"method":"ping"}`));
}

for (
  const [idJson, id] of [
    ["0", 0],
    ["1", 1],
    ["-1", -1],
    ["1.0", 1],
    ["1e3", 1000],
    ['""', ""],
    ['"0"', "0"],
    ['"\\ud800"', "\ud800"],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
    [String(Number.MIN_SAFE_INTEGER), Number.MIN_SAFE_INTEGER],
  ] as const
) {
  test(`decodeRequest() takes id ${idJson}`, () => {
    deepStrictEqual(decodeWithId(idJson), { id, method: "ping", params: undefined });
    deepStrictEqual(JSON.parse(encodeResult(id, "{}")), { jsonrpc: "2.0", id, result: {} });
  });
}

test("decodeRequest() takes id -0, which goes back as a number equal to it", () => {
  const request = decodeWithId("-0");
  ok(!("error" in request));
  strictEqual(JSON.parse(encodeResult(request.id, "{}")).id == 0, true);
});

const BAD_IDS = [
  undefined,
  "null",
  "true",
  "false",
  "{}",
  "[]",
  "[1]",
  "1.5",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740992",
  "1e400",
  "1e20",
];
for (const idJson of BAD_IDS) {
  test(`decodeRequest() refuses ${idJson === undefined ? "a request without id" : `id ${idJson}`}`, () => {
    const rejected = decodeWithId(idJson);
    ok("error" in rejected);
    strictEqual(rejected.id, null);
    strictEqual(rejected.error.code, "invalid_request");
    match(rejected.error.message, /id/);
  });
}

for (
  const [name, body, id] of [
    ["an array", [], null],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], null],
    ["null", null, null],
    ["a string", "ping", null],
    ["a number", 1, null],
    ["no jsonrpc", { id: 7, method: "ping" }, 7],
    ["jsonrpc 1.0", { jsonrpc: "1.0", id: 7, method: "ping" }, 7],
    ["jsonrpc as a number", { jsonrpc: 2.0, id: "x", method: "ping" }, "x"],
    ["jsonrpc with a space", { jsonrpc: "2.0 ", id: 7, method: "ping" }, 7],
    ["no method", { jsonrpc: "2.0", id: 7 }, 7],
    ["a method that is no string", { jsonrpc: "2.0", id: 7, method: ["ping"] }, 7],
    ["a response", { jsonrpc: "2.0", id: 7, result: {} }, 7],
  ] as const
) {
  test(`decodeRequest() refuses ${name}`, () => {
    const rejected = decodeRequest(body);
    ok("error" in rejected);
    strictEqual(rejected.id, id);
    strictEqual(rejected.error.code, "invalid_request");
  });
}

test("decodeRequest() says of a batch that it is one", () => {
  const rejected = decodeRequest([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
  match("error" in rejected ? rejected.error.message : "", /batch/i);
});

test("decodeRequest() keeps params as they came, and takes no member from a prototype", () => {
  const params = { name: "x" };
  deepStrictEqual(decodeRequest({ jsonrpc: "2.0", id: 1, method: "m", params }), { id: 1, method: "m", params });
  ok("error" in decodeRequest(JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}')));
});

test("decodeRequest() and isRequestId() are total", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const decoded = decodeRequest(value);
      if ("error" in decoded) ok(decoded.id === null || isRequestId(decoded.id));
      else ok(isRequestId(decoded.id));
    }),
    { seed: 5 },
  );
});

test("parseJson() gives the value, or why it cannot be read", () => {
  deepStrictEqual(parseJson('{"a":[1]}', 512), { value: { a: [1] } });
  for (const text of ["", " ", "{", "{'a':1}", "nul", '{"a":1}x', "\u0000", "NaN", "\ufeff\ufeff{}", "[1,]"]) {
    const parsed = parseJson(text, 512);
    strictEqual("error" in parsed && parsed.error.code, "parse_error", JSON.stringify(text));
  }
  const deep = parseJson("[".repeat(513) + "]".repeat(513), 512);
  strictEqual("error" in deep && deep.error.code, "invalid_request");
  match("error" in deep ? deep.error.message : "", /512/);
  ok("value" in parseJson("[".repeat(512) + "]".repeat(512), 512));
});

test("encodeResult() and encodeError() write JSON for any id", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger()), fc.json(), (id, json) => {
      deepStrictEqual(JSON.parse(encodeResult(id, json)), {
        jsonrpc: "2.0",
        id: JSON.parse(JSON.stringify(id)),
        result: JSON.parse(json),
      });
      deepStrictEqual(JSON.parse(encodeError(id, json)), {
        jsonrpc: "2.0",
        id: JSON.parse(JSON.stringify(id)),
        error: JSON.parse(json),
      });
    }),
    { seed: 6 },
  );
  deepStrictEqual(JSON.parse(encodeError(null, '{"code":1}')), { jsonrpc: "2.0", id: null, error: { code: 1 } });
});
