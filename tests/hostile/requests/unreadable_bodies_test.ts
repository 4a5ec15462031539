/** Bodies that cannot be read, each as it is: what is malformed in other ways is fuzzed, see `fuzz_full_test.ts`. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { concat } from "../fuzz/bytes.ts";

const BASE = "/mcp-lite/v1";
const encoder = new TextEncoder();

const server = createServer({ tools: [defineTool("echo").describe("Echo").handle((args) => args)] });

for (
  const [name, sequence] of [
    ["a lone continuation byte", [0x80]],
    ["a byte that is never used", [0xff]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["two bytes of three", [0xe2, 0x82]],
    ["two bytes of four", [0xf0, 0x9f]],
    ["three bytes of four, then one", [0xf0, 0x9f, 0x98, 0x80, 0x80]],
    ["a character beyond the last", [0xf4, 0x90, 0x80, 0x80]],
  ] as const
) {
  for (const isDeclared of [true, false]) {
    test(`a body with ${name} is a parse error (content-length ${isDeclared ? "given" : "left out"})`, async () => {
      const [start, end] = [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"',
        '"}}}',
      ].map((text) => encoder.encode(text));
      const bytes = concat(start ?? new Uint8Array(), Uint8Array.from(sequence), end ?? new Uint8Array());
      const headers = {
        "content-type": "application/json",
        ...(isDeclared && { "content-length": String(bytes.length) }),
      };
      const response = await server.fetch(
        new Request(`http://localhost${BASE}/calltools`, { method: "POST", headers, body: bytes.slice() }),
      );
      const answer = await response.json() as { error?: { code: number } };
      deepStrictEqual([response.status, answer.error?.code], [400, -32700]);
    });
  }
}

// U+FFFD takes three bytes, too, so that the length does not show what a decoder has replaced.
for (const isDeclared of [true, false]) {
  test(`a character that is cut after its third byte is read as U+FFFD (content-length ${isDeclared ? "given" : "left out"})`, async () => {
    const [start, end] = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"',
      '"}}}',
    ];
    const bytes = concat(encoder.encode(start), Uint8Array.from([0xf0, 0x9f, 0x98]), encoder.encode(end));
    const headers = {
      "content-type": "application/json",
      ...(isDeclared && { "content-length": String(bytes.length) }),
    };
    const response = await server.fetch(
      new Request(`http://localhost${BASE}/calltools`, { method: "POST", headers, body: bytes.slice() }),
    );
    const answer = await response.json() as { result?: { content: unknown } };
    deepStrictEqual(answer.result?.content, { a: "\ufffd" });
  });
}

for (const isDeclared of [true, false]) {
  test(`a body with replacement characters of its own, or a byte order mark, is taken (content-length ${isDeclared ? "given" : "left out"})`, async () => {
    for (const [mark, text] of [["", "\ufffd"], ["", "a\ufffdé😀"], ["\ufeff", "é"], ["\ufeff", "\ufffd"]] as const) {
      const bytes = encoder.encode(
        `${mark}{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"${text}"}}}`,
      );
      const headers = {
        "content-type": "application/json",
        ...(isDeclared && { "content-length": String(bytes.length) }),
      };
      const response = await server.fetch(
        new Request(`http://localhost${BASE}/calltools`, { method: "POST", headers, body: bytes }),
      );
      const answer = await response.json() as { result?: { content: unknown } };
      deepStrictEqual(answer.result?.content, { a: text }, JSON.stringify([mark, text]));
    }
  });
}

for (const isSplit of [false, true]) {
  test(`a byte order mark does not hide invalid bytes in a body without a length${isSplit ? ", in chunks" : ""}`, async () => {
    // The mark is as long as what the replacement characters of these bytes are longer than the bytes.
    for (const invalid of [[0xff, 0xe2, 0x82], [0xe2, 0x82, 0xe2, 0x82, 0xe2, 0x82], [0xc2, 0xff, 0xf0, 0x9f, 0x98]]) {
      const text = '\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"';
      const bytes = Uint8Array.from([...encoder.encode(text), ...invalid, ...encoder.encode('"}}}')]);
      const body = new ReadableStream({
        start(controller) {
          if (isSplit) { for (const byte of bytes) controller.enqueue(Uint8Array.of(byte)); }
          else controller.enqueue(bytes);
          controller.close();
        },
      });
      const init: RequestInit & { duplex: "half" } = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        duplex: "half",
      };
      const response = await server.fetch(new Request(`http://localhost${BASE}/calltools`, init));
      const answer = await response.json() as { error?: { data: { code: string } } };
      deepStrictEqual([response.status, answer.error?.data.code], [400, "parse_error"], JSON.stringify(invalid));
    }
  });
}

const overLimit = `{"jsonrpc":"2.0","id":1,"method":"ping","params":"${"x".repeat(1_048_576)}"}`;
for (const declared of [undefined, "10", "0", "-1", "abc", "", "1e3", "1048577", "99999999999999999999"]) {
  for (const isStream of [false, true]) {
    test(`a body over the limit is refused with content-length ${declared ?? "left out"}${isStream ? ", as a stream" : ""}`, async () => {
      const headers = new Headers({
        "content-type": "application/json",
        ...(declared !== undefined && { "content-length": declared }),
      });
      const stream = () => new Blob([overLimit]).stream();
      const init: RequestInit & { duplex?: "half" } = {
        method: "POST",
        headers,
        body: isStream ? stream() : overLimit,
        ...(isStream && { duplex: "half" }),
      };
      const response = await server.fetch(new Request(`http://localhost${BASE}/calltools`, init));
      const answer = await response.json() as { error: { data: { code: string } }; id: null };
      deepStrictEqual([response.status, answer.error.data.code, answer.id], [413, "payload_too_large", null]);
    });
  }
}

test("a body that breaks off or was read before is refused, and no exception", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("reset")),
  });
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: broken,
    duplex: "half",
  };
  const used = new Request(`http://localhost${BASE}/calltools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  await used.text();
  for (const request of [new Request(`http://localhost${BASE}/calltools`, init), used]) {
    const response = await server.fetch(request);
    strictEqual(response.status, 400);
    strictEqual((await response.json() as { error: { data: { code: string } } }).error.data.code, "invalid_request");
  }
});
