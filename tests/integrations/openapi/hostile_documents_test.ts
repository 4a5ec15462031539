/** Documents and arguments that want a request to leave the API, or to carry what they choose: what is sent stays below the base URL. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";

type Members = Readonly<Record<string, unknown>>;

const responses = { 200: { description: "Done" } };
const get = (more: Members = {}) => ({ get: { operationId: "a", summary: "A", responses, ...more } });
const text = { type: "string" };
const query = (name: string, schema: unknown = text) => get({ parameters: [{ name, in: "query", schema }] });
const header = (...names: readonly string[]) =>
  get({ parameters: names.map((name) => ({ name, in: "header", schema: text })) });
const path = (name: string) => get({ parameters: [{ name, in: "path", required: true, schema: text }] });

/** Paths of a document, and what is beside them. */
const DOCUMENTS: Readonly<Record<string, readonly [paths: unknown, more?: Members]>> = {
  "a parameter __proto__": [{ "/a": query("__proto__") }],
  "a parameter constructor in the path": [{ "/a/{constructor}": path("constructor") }],
  "two parameters in a segment": [{
    "/a/{x}{y}": get({ parameters: ["x", "y"].map((name) => ({ name, in: "path", required: true, schema: text })) }),
  }],
  "a schema that refers to itself": [{ "/a": query("q", { $ref: "#/components/schemas/S" }) }, {
    components: { schemas: { S: { $ref: "#/components/schemas/S" } } },
  }],
  "paths that refer to each other": [{ "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" } }],
  "a parameter that refers to itself": [{ "/a": get({ parameters: [{ $ref: "#/components/parameters/P" }] }) }, {
    components: { parameters: { P: { $ref: "#/components/parameters/P" } } },
  }],
  "a reference to a file": [{ "/a": query("q", { $ref: "file:///etc/passwd" }) }],
  "a reference to another host": [{ "/a": get({ parameters: [{ $ref: "https://evil.example/x.json" }] }) }],
  "a reference to __proto__": [{ "/a": query("q", { $ref: "#/__proto__/polluted" }) }],
  "an operation of a script": [{ "/a": get({ servers: [{ url: "javascript:alert(1)" }] }) }],
  "an operation of another host": [{ "/a": get({ servers: [{ url: "https://evil.example" }] }) }],
  "a path with dots": [{ "/../../admin": get() }],
  "a path with encoded dots": [{ "/%2e%2e/%2E%2e/admin": get() }],
  "a path that names a host": [{ "//evil.example/x": get() }],
  "a path without a slash": [{ "@evil.example/x": get() }],
  "a path with a backslash": [{ "/\\evil.example/x": get() }],
  "a path with a query": [{ "/a?x=1#f": get() }],
  "a path with a line break": [{ "/a\r\nHost: evil.example": get() }],
  "headers of the connection": [{
    "/a": header("Authorization", "cookie", "host", "content-length", "transfer-encoding"),
  }],
  "a header with a line break": [{ "/a": header("x\r\ny") }],
  "a header": [{ "/a": header("x-a") }],
  "a cookie": [{ "/a": get({ parameters: [{ name: "sid", in: "cookie", schema: text }] }) }],
  "an id of control characters": [{ "/a": get({ operationId: "a\u202e\n\u0000b", summary: "A\u202e\n" }) }],
  "an id of a system tool": [{ "/a": get({ operationId: "redeem" }) }],
  "an id of 100,000 letters": [{ "/a": get({ operationId: "a".repeat(100_000), summary: "A".repeat(1_000_000) }) }],
  "a pattern of exponential time": [{ "/a": query("q", { type: "string", pattern: "^(a+)+$" }) }],
  "a pattern that is invalid": [{ "/a": query("q", { type: "string", pattern: "(" }) }],
  "5,000 nested schemas": [{
    "/a": query("q", Array.from({ length: 5_000 }).reduce<unknown>((inner) => ({ allOf: [inner] }), text)),
  }],
  "what is no operation": [{
    "/a": null,
    "/b": 5,
    "/c": [],
    "/d": { get: null },
    "/e": { get: 5 },
    "/f": { get: { operationId: 5, responses: null, parameters: {} } },
  }],
  "no paths": [null],
  "10,000 parameters": [{
    "/a": get({ parameters: Array.from({ length: 10_000 }, (_, n) => ({ name: `p${n}`, in: "query", schema: text })) }),
  }],
  "a name in each place": [{
    "/a/{id}": {
      post: {
        operationId: "a",
        summary: "A",
        parameters: [
          { name: "id", in: "path", required: true, schema: text },
          ...["query", "header"].map((place) => ({ name: "id", in: place, schema: text })),
        ],
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { id: text, body: text } } } },
        },
        responses,
      },
    },
  }],
};

const VALUES = [
  "..",
  "../../x",
  "%2e%2e",
  "%2e%2e%2fx",
  "a/b",
  "a?b#c",
  "a\r\nb: c",
  "\u0000",
  "\ud800",
  "",
  "//evil.example",
  "@evil.example",
  "\\..\\x",
  `${"a".repeat(40)}!`,
];

for (const [name, [paths, more]] of Object.entries(DOCUMENTS)) {
  test(`a document with ${name} is refused with its place, or its requests stay below the base`, async () => {
    const document = { openapi: "3.1.0", info: { title: "T", version: "1" }, paths, ...more };
    const sent: [url: string, headers: Headers][] = [];
    let tools;
    try {
      tools = toolsFromOpenApi(document, {
        baseUrl: "https://api.example/v1",
        headers: { authorization: "Bearer s3cret" },
        fetch: (url, init) => {
          sent.push([url, new Headers(init.headers)]);
          return Promise.resolve(Response.json({ ok: true }));
        },
      });
    } catch (thrown) {
      const { message } = thrown as Error;
      ok(/^(Cannot import|\d+ operations cannot be imported)/.test(message), message);
      return;
    }
    const server = createServer({ tools, logger: false });
    const { $ } = testClient(server);
    for (const { name, inputSchema } of (await $.list()).slice(0, 3)) {
      ok(/^[\w.-]{1,64}$/.test(name), name);
      const members = Object.keys((inputSchema as { properties?: object }).properties ?? {}).slice(0, 5);
      for (const value of VALUES) {
        // Refused or sent: what counts is where it was sent to.
        await $.outcome(name, Object.fromEntries(members.map((member) => [member, value]))).catch(() => {});
      }
    }
    for (const [url, headers] of sent) {
      const { host, pathname } = new URL(url);
      strictEqual(host, "api.example", url);
      ok(pathname.startsWith("/v1/"), url);
      strictEqual(headers.get("authorization"), "Bearer s3cret");
      for (const own of ["cookie", "host", "content-length", "transfer-encoding"]) ok(!headers.has(own), own);
    }
    await server.close(0);
  });
}
