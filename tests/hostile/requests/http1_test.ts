/** `serve()` on each runtime: what is refused, and how. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { call, callBody, post, sendRaw } from "../../serve/client.ts";
import { command, runtimes, startProgram, testWith } from "../../serve/programs.ts";

const program = "tests/serve/program.ts";
const JSON_TYPE = "content-type: application/json\r\n";

for (const runtime of runtimes) {
  const { name } = runtime;

  testWith(`serve() on ${name} refuses hosts and origins from elsewhere`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program));
    const { port } = new URL(server.url);
    const ask = (head: string) =>
      sendRaw(
        server.url,
        `POST /mcp-lite/v1/tools HTTP/1.1\r\n${head}${JSON_TYPE}content-length: 2\r\nconnection: close\r\n\r\n{}`,
      );

    for (const host of ["localhost", `localhost:${port}`, `127.0.0.1:${port}`, "LOCALHOST", `[::1]:${port}`]) {
      strictEqual((await ask(`host: ${host}\r\n`)).status, 200, host);
    }
    for (
      const host of [
        "evil.example",
        `evil.example:${port}`,
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0",
        "evil",
      ]
    ) {
      const reply = await ask(`host: ${host}\r\n`);
      strictEqual(reply.status, 403, host);
      match(reply.text, /"code":-32000,.*"permission_denied"/);
    }
    for (
      const host of [
        "",
        "localhost@evil.example",
        "evil.example/localhost",
        "localhost:80:80",
        "[::1].evil.example",
        "localhost\\.evil.example",
        "%6cocalhost",
        "localhost, evil.example",
        "x".repeat(4000),
      ]
    ) {
      const { status } = await ask(`host: ${host}\r\n`);
      ok(status === 0 || (status >= 400 && status < 500), `${host}: ${status}`);
    }
    // Node heeds the first of two.
    const twice = await ask(`host: evil.example\r\nhost: localhost\r\n`);
    ok(twice.status === 0 || (twice.status >= 400 && twice.status < 500), `two hosts: ${twice.status}`);
    const none = await sendRaw(
      server.url,
      `POST /mcp-lite/v1/tools HTTP/1.0\r\n${JSON_TYPE}content-length: 2\r\n\r\n{}`,
    );
    ok(none.status < 500, `no host: ${none.status}`);

    for (
      const origin of [
        "http://evil.example",
        "null",
        `http://localhost.evil.example:${port}`,
        `http://127.0.0.1:1`,
        "x",
        "https://127.0.0.1.evil.example",
      ]
    ) {
      strictEqual((await ask(`host: 127.0.0.1:${port}\r\norigin: ${origin}\r\n`)).status, 403, origin);
    }
    strictEqual(
      (await ask(`host: 127.0.0.1:${port}\r\norigin: http://127.0.0.1:${port}\r\n`)).status,
      200,
      "its own origin",
    );
  });

  testWith(
    `serve() on ${name} refuses methods, paths and media types with their own statuses`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program));
      for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
        const response = await fetch(`${server.url}/mcp-lite/v1/calltools`, { method });
        strictEqual(response.status, 405, method);
        match(response.headers.get("allow") ?? "", /\bPOST\b/);
        strictEqual((await response.json()).error.code, -32600);
      }
      for (
        const endpoint of ["", "/", "/nope", "/calltools/more", "/CALLTOOLS", "/../v1", "/__proto__", "/constructor"]
      ) {
        const response = await post(server.url, endpoint, "{}");
        strictEqual(response.status, 404, endpoint);
        strictEqual((await response.json()).error.code, -32601);
      }
      strictEqual((await post(server.url, "/tools/", "{}")).status, 200, "a slash at the end");
      strictEqual((await post(server.url, "/tools?a=b", "{}")).status, 200, "a query");

      const body = callBody("echo", { a: 1 });
      const types = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
        "application/jsonp",
        "multipart/form-data; boundary=x",
      ];
      for (const type of types) {
        strictEqual(
          (await post(server.url, "/calltools", body, { headers: { "content-type": type } })).status,
          415,
          type,
        );
      }
      for (const type of ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']) {
        strictEqual(
          (await post(server.url, "/calltools", body, { headers: { "content-type": type } })).status,
          200,
          type,
        );
      }
      const untyped = await sendRaw(
        server.url,
        `POST /mcp-lite/v1/tools HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`,
      );
      strictEqual(untyped.status, 415, "no type");
      for (const encoding of ["gzip", "br", "identity, gzip"]) {
        const response = await post(server.url, "/calltools", gzipSync(body), {
          headers: { "content-encoding": encoding },
        });
        strictEqual(response.status, 415, encoding);
      }
    },
  );

  testWith(
    `serve() on ${name} refuses bodies over the limit, with a length or without`,
    [runtime.program],
    async (path) => {
      await using server = await startProgram(command(runtime, path, program));
      const limit = 1_048_576;
      const empty = callBody("echo", { text: "" });
      const exact = callBody("echo", { text: "x".repeat(limit - empty.length) });
      strictEqual(exact.length, limit);
      strictEqual((await post(server.url, "/calltools", exact)).status, 200, "exactly the limit");

      const declared = await post(server.url, "/calltools", `${exact} `);
      strictEqual(declared.status, 413);
      strictEqual((await declared.json()).error.code, -32600);

      const head = `POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: localhost\r\n${JSON_TYPE}`;
      const lying = await sendRaw(server.url, `${head}content-length: 99999999999\r\n\r\n{}`);
      strictEqual(lying.status, 413, "refused by its length, before it is read");

      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
      const chunked = await sendRaw(server.url, [
        `${head}transfer-encoding: chunked\r\n\r\n`,
        ...Array.from({ length: 17 }, () => chunk),
        "0\r\n\r\n",
      ]);
      strictEqual(chunked.status, 413, "chunked");
      const fitting = `${exact.length.toString(16)}\r\n${exact}\r\n0\r\n\r\n`;
      strictEqual(
        (await sendRaw(server.url, `${head}transfer-encoding: chunked\r\n\r\n${fitting}`)).status,
        200,
        "chunked, exactly the limit",
      );
      deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 }, "it still answers");
    },
  );

  testWith(`serve() on ${name} takes UTF-8 and nothing else`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program));
    const [before = "", after = ""] = callBody("echo", { text: "§" }).split("§");
    const around = (...bytes: readonly number[]) =>
      Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const bad: Readonly<Record<string, Uint8Array>> = {
      "a stray byte": around(0xff),
      "a stray continuation": around(0x80),
      "a truncated 4-byte sequence": around(0xf0, 0x9f, 0x98),
      "a truncated 4-byte sequence at the end": Buffer.concat([Buffer.from(before), Buffer.from([0xf0, 0x9f, 0x98])]),
      "a truncated sequence after whole JSON": Buffer.concat([around(0x61), Buffer.from([0xf0, 0x9f, 0x98])]),
      "an overlong NUL": around(0xc0, 0x80),
      "a surrogate": around(0xed, 0xa0, 0x80),
      "latin-1": around(0xe9),
      "UTF-16": Buffer.from(`\ufeff${before}x${after}`, "utf16le"),
    };
    for (const [what, body] of Object.entries(bad)) {
      const response = await post(server.url, "/calltools", body as Uint8Array<ArrayBuffer>);
      strictEqual(response.status, 400, what);
      const { error, id } = await response.json();
      strictEqual(error.code, -32700, what);
      strictEqual(id, null);
    }
    for (const text of ["\ufffd", "😀", "é日本\u2028", "\u0000", "\ud800"]) {
      deepStrictEqual((await call(server.url, "echo", { text })).result.content, { text }, JSON.stringify(text));
    }
  });

  testWith(`serve() on ${name} never gives a 5xx for what a client made up`, [runtime.program], async (path) => {
    await using server = await startProgram(command(runtime, path, program));
    const { host } = new URL(server.url);
    const targets = [
      "*",
      "//",
      "///",
      "/%",
      "/%zz",
      "/%00",
      "/\u00e9",
      "/mcp-lite/v1/../v1/tools",
      "/mcp-lite/v1/%74ools",
      "/mcp-lite//v1/tools",
      "\\mcp-lite\\v1\\tools",
      "/mcp-lite/v1/tools?%%%",
      "/mcp-lite/v1/tools#fragment",
      "http://",
      "http://[/",
      "http://[::1/mcp-lite/v1/tools",
      "http://evil.example:99999/",
      "http://evil.example/mcp-lite/v1/tools",
      "//evil.example/mcp-lite/v1/tools",
      "/?",
      "?",
      "#",
      "mcp-lite",
      `/${"a".repeat(6_000)}`,
      `/${"a/".repeat(3_000)}`,
      `/mcp-lite/v1/tools?${"b".repeat(6_000)}`,
    ];
    for (const target of targets) {
      for (const method of ["POST", "GET", "OPTIONS", "CONNECT", "TRACE", "MADE-UP"]) {
        const request =
          `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${JSON_TYPE}content-length: 2\r\nconnection: close\r\n\r\n{}`;
        const { status } = await sendRaw(server.url, request, 200);
        ok(status < 500 || status === 501, `${method} ${target.slice(0, 60)}: ${status}`);
      }
    }
    for (const wrong of ["http://[", "a b", "\u00e9", "[::1", "localhost:", ":80", "localhost:port", "?", "#"]) {
      const request =
        `POST /mcp-lite/v1/tools HTTP/1.1\r\nhost: ${wrong}\r\n${JSON_TYPE}content-length: 2\r\nconnection: close\r\n\r\n{}`;
      const { status } = await sendRaw(server.url, Buffer.from(request, "latin1"), 200);
      ok(status < 500, `host ${wrong}: ${status}`);
    }
    for (
      const body of [
        "",
        "null",
        "[]",
        "1",
        '"x"',
        "{",
        "[".repeat(100_000),
        "{}".repeat(3),
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
      ]
    ) {
      const response = await post(server.url, "/calltools", body);
      ok(response.status >= 400 && response.status < 500, `${body.slice(0, 40)}: ${response.status}`);
      notStrictEqual((await response.json()).error.code, undefined);
    }
    for (const unknown of ["constructor", "__proto__", "toString", "", "x".repeat(100_000)]) {
      strictEqual((await call(server.url, unknown)).error.message, "Tool not found");
    }
    deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 }, "it still answers");
  });
}
