/**
 * `serve()` of the runtime that runs the tests, and requests by HTTP/1.1 that it rejects: MCP-lite's statuses and codes.
 * Hosts, origins, paths and bodies on every wire are guarantees: `origins.ts`, `bodies.ts` and `limits.ts`.
 */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createServer, defineTool } from "../../../mod.ts";
import { runtime } from "../../runtime/runtime.ts";
import { call, callBody, post, type RawReply, sendRaw } from "../../serve/client.ts";

const skip = runtime === "workerd" && "workerd opens no sockets";
const JSON_TYPE = "content-type: application/json\r\n";
const BODY_BYTES = 1_048_576;

/** A server on loopback, closed at the end of its scope. */
async function listen() {
  const { serve } = await import("../../../src/entries/serve.ts");
  const echo = defineTool("echo").describe("Give back what came").handle((args) => args);
  const listening = await serve(createServer({ logger: false, tools: [echo] }), { port: 0, graceMs: 0 });
  const { url } = listening;
  return { url, host: new URL(url).host, [Symbol.asyncDispose]: () => listening.close() };
}

const isRejected = ({ status }: RawReply): boolean => status === 0 || (status >= 400 && status < 500);

test("hosts and origins from elsewhere are permission_denied, its own are not", { skip }, async () => {
  await using server = await listen();
  const [, port] = server.host.split(":");
  const ask = (head: string) =>
    sendRaw(
      server.url,
      `POST /mcp-lite/v1/tools HTTP/1.1\r\n${head}${JSON_TYPE}content-length: 2\r\nconnection: close\r\n\r\n{}`,
    );
  for (const host of ["localhost", `localhost:${port}`, `127.0.0.1:${port}`, "LOCALHOST", `[::1]:${port}`]) {
    strictEqual((await ask(`host: ${host}\r\n`)).status, 200, host);
  }
  const origins = ["http://evil.example", "https://127.0.0.1.evil.example", "http://127.0.0.1:1", "null", "x"];
  for (
    const head of [
      "host: evil.example\r\n",
      `host: localhost.evil.example:${port}\r\n`,
      ...origins.map((origin) => `host: ${server.host}\r\norigin: ${origin}\r\n`),
    ]
  ) {
    const reply = await ask(head);
    strictEqual(reply.status, 403, head);
    match(reply.text, /"code":-32000,.*"permission_denied"/);
  }
  strictEqual((await ask(`host: ${server.host}\r\norigin: http://${server.host}\r\n`)).status, 200, "its own origin");
  // Node reads the first of two.
  ok(isRejected(await ask("host: evil.example\r\nhost: localhost\r\n")), "two hosts");
  const old = await sendRaw(server.url, `POST /mcp-lite/v1/tools HTTP/1.0\r\n${JSON_TYPE}content-length: 2\r\n\r\n{}`);
  ok(old.status < 500, `no host: ${old.status}`);
});

test("methods and paths have their own statuses", { skip }, async () => {
  await using server = await listen();
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const response = await fetch(`${server.url}/mcp-lite/v1/calltools`, { method });
    strictEqual(response.status, 405, method);
    match(response.headers.get("allow") ?? "", /\bPOST\b/);
    strictEqual((await response.json()).error.code, -32600);
  }
  for (const path of ["", "/", "/nope", "/calltools/more", "/CALLTOOLS", "/../v1", "/__proto__", "/constructor"]) {
    const response = await post(server.url, path, "{}");
    strictEqual(response.status, 404, path);
    strictEqual((await response.json()).error.code, -32601);
  }
  strictEqual((await post(server.url, "/tools/", "{}")).status, 200, "a slash at the end");
  strictEqual((await post(server.url, "/tools?a=b", "{}")).status, 200, "a query");
});

test("media types and encodings other than JSON in UTF-8 are 415", { skip }, async () => {
  await using server = await listen();
  const body = callBody("echo", { a: 1 });
  const send = async (headers: Readonly<Record<string, string>>, content: BodyInit = body) =>
    (await post(server.url, "/calltools", content, { headers })).status;
  for (
    const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "application/jsonp",
      "multipart/form-data; boundary=x",
    ]
  ) strictEqual(await send({ "content-type": type }), 415, type);
  for (const type of ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']) {
    strictEqual(await send({ "content-type": type }), 200, type);
  }
  const head = "POST /mcp-lite/v1/tools HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
  strictEqual((await sendRaw(server.url, `${head}content-length: 2\r\n\r\n{}`)).status, 415, "no type");
  for (const encoding of ["gzip", "br", "identity, gzip"]) {
    strictEqual(await send({ "content-encoding": encoding }, gzipSync(body)), 415, encoding);
  }
});

test("bodies over the limit are 413, with a length or without", { skip }, async () => {
  await using server = await listen();
  const exact = callBody("echo", { text: "x".repeat(BODY_BYTES - callBody("echo", { text: "" }).length) });
  strictEqual(exact.length, BODY_BYTES);
  strictEqual((await post(server.url, "/calltools", exact)).status, 200, "exactly the limit");
  const longer = await post(server.url, "/calltools", `${exact} `);
  strictEqual(longer.status, 413);
  strictEqual((await longer.json()).error.code, -32600);

  const head = `POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: localhost\r\n${JSON_TYPE}`;
  const promised = await sendRaw(server.url, `${head}content-length: 99999999999\r\n\r\n{}`);
  strictEqual(promised.status, 413, "rejected by its length, before it is read");
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const chunked = [
    `${head}transfer-encoding: chunked\r\n\r\n`,
    ...Array.from({ length: 17 }, () => chunk),
    "0\r\n\r\n",
  ];
  strictEqual((await sendRaw(server.url, chunked)).status, 413, "chunked");
  const fitting = `${head}transfer-encoding: chunked\r\n\r\n${exact.length.toString(16)}\r\n${exact}\r\n0\r\n\r\n`;
  strictEqual((await sendRaw(server.url, fitting)).status, 200, "chunked, exactly the limit");
  deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 }, "it still answers");
});

test("bodies that are not UTF-8 as a whole are parse errors without an id", { skip }, async () => {
  await using server = await listen();
  const [before = "", after = ""] = callBody("echo", { text: "§" }).split("§");
  const cut = Buffer.from([0xf0, 0x9f, 0x98]);
  const bodies: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
    "a truncated sequence at the end": Buffer.concat([Buffer.from(before), cut]),
    "a truncated sequence after the JSON": Buffer.concat([Buffer.from(`${before}a${after}`), cut]),
    "UTF-16": Buffer.from(`\ufeff${before}x${after}`, "utf16le"),
  };
  for (const [name, body] of Object.entries(bodies)) {
    const response = await post(server.url, "/calltools", body);
    const { error, id } = await response.json();
    deepStrictEqual([response.status, error.code, id], [400, -32700, null], name);
  }
  for (const text of ["\ufffd", "😀", "é日本\u2028", "\u0000", "\ud800"]) {
    deepStrictEqual((await call(server.url, "echo", { text })).result.content, { text }, JSON.stringify(text));
  }
});

test("no method, target, host or body is answered with a 5xx", { skip, timeout: 60_000 }, async () => {
  await using server = await listen();
  const paths = ["*", "//", "/%zz", "/\u00e9", "/mcp-lite/v1/../v1/tools", "\\mcp-lite\\v1\\tools", "#", "mcp-lite"];
  const urls = ["http://", "http://[::1/mcp-lite/v1/tools", "http://evil.example:99999/", "//evil.example/mcp-lite/v1"];
  const long = [`/${"a".repeat(6_000)}`, `/mcp-lite/v1/tools?${"b".repeat(6_000)}`, "/mcp-lite/v1/tools?%%%"];
  const send = (method: string, target: string, host: string) => {
    const head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${JSON_TYPE}content-length: 2\r\nconnection: close`;
    return sendRaw(server.url, Buffer.from(`${head}\r\n\r\n{}`, "latin1"), 200);
  };
  for (const method of ["POST", "GET", "OPTIONS", "CONNECT", "TRACE", "MADE-UP"]) {
    await Promise.all([...paths, ...urls, ...long].map(async (target) => {
      const { status } = await send(method, target, server.host);
      ok(status < 500 || status === 501, `${method} ${target.slice(0, 60)}: ${status}`);
    }));
  }
  await Promise.all(["a b", "localhost:", "localhost:port"].map(async (host) => {
    const { status } = await send("POST", "/mcp-lite/v1/tools", host);
    ok(status < 500, `host ${host}: ${status}`);
  }));
  const withoutParams = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}';
  for (const body of ["", "null", "[]", "1", '"x"', "{", "[".repeat(100_000), "{}".repeat(3), withoutParams]) {
    const response = await post(server.url, "/calltools", body);
    ok(response.status >= 400 && response.status < 500, `${body.slice(0, 40)}: ${response.status}`);
    notStrictEqual((await response.json()).error.code, undefined);
  }
  for (const unknown of ["constructor", "__proto__", "toString", "", "x".repeat(100_000)]) {
    strictEqual((await call(server.url, unknown)).error.message, "Tool not found");
  }
  deepStrictEqual((await call(server.url, "echo", { a: 1 })).result.content, { a: 1 }, "it still answers");
});
