/** Webtools as HTTP: what may be cached, what other methods, types, hosts and origins get, and where it ends. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { ask, createWeather, URL_BASE } from "./weather.ts";

test("metadata is the same to the byte on every replica, and its SHA-256 is the ETag and the digest", async () => {
  const one = await ask(createWeather().server, "GET", "/");
  const other = await ask(createWeather().server, "GET", "");
  strictEqual(one.text, other.text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(one.text)));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  strictEqual(one.headers.get("etag"), `"${hex}"`);
  strictEqual(one.headers.get("repr-digest"), `sha-256=:${btoa(String.fromCharCode(...hash))}:`);
  strictEqual(one.headers.get("cache-control"), "no-cache");
  const version = await ask(createWeather().server, "GET", "/1.0.0");
  strictEqual(version.headers.get("cache-control"), "max-age=3600");
  ok(version.headers.get("etag") !== one.headers.get("etag"));
});

test("If-None-Match gives 304 for what is known, in all its spellings", async () => {
  const { server } = createWeather();
  const etag = (await ask(server, "GET", "/")).headers.get("etag") ?? "";
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag}`, "*"]) {
    const { status, text, headers } = await ask(server, "GET", "/", undefined, { "if-none-match": known });
    deepStrictEqual([known, status, text, headers.get("etag")], [known, 304, "", etag]);
  }
  for (const known of ['"x"', etag.slice(1, -1), '""', ""]) {
    strictEqual((await ask(server, "GET", "/", undefined, { "if-none-match": known })).status, 200, known);
  }
});

test("HEAD says what GET does, without a body", async () => {
  const { server } = createWeather();
  const get = await ask(server, "GET", "/1.0.0");
  const head = await ask(server, "HEAD", "/1.0.0");
  deepStrictEqual([head.status, head.text], [200, ""]);
  for (const name of ["etag", "cache-control", "content-type", "repr-digest"]) {
    strictEqual(head.headers.get(name), get.headers.get(name));
  }
  strictEqual((await ask(server, "HEAD", "/7.0.0")).status, 404);
});

test("If-Match on a call: another metadata is 412, before anything is run", async () => {
  const { server, sessions } = createWeather();
  const etag = (await ask(server, "GET", "/")).headers.get("etag") ?? "";
  const call = { action: "get_current", request: { location: "Paris" } };
  const refused = await ask(server, "POST", "/", call, { "if-match": '"another"' });
  deepStrictEqual([refused.status, refused.json.error.code], [412, "SCHEMA_ERROR"]);
  strictEqual(sessions.length, 0);
  for (const condition of [etag, "*"]) {
    strictEqual((await ask(server, "POST", "/", call, { "if-match": condition })).status, 200);
  }
  strictEqual((await ask(server, "POST", "/", { ...call, version: "1.0.0" }, { "if-match": etag })).status, 412);
});

test("answers may not be cached", async () => {
  const { server } = createWeather();
  for (const body of [{ action: "get_current", request: { location: "Paris" } }, { action: "x", request: {} }]) {
    strictEqual((await ask(server, "POST", "/", body)).headers.get("cache-control"), "no-store");
  }
});

for (
  const [method, path, allow] of [
    ["PUT", "", "GET, HEAD, POST"],
    ["DELETE", "/", "GET, HEAD, POST"],
    ["PATCH", "/1.0.0", "GET, HEAD"],
    ["POST", "/1.0.0", "GET, HEAD"],
    ["OPTIONS", "/", "GET, HEAD, POST"],
  ] as const
) {
  test(`${method} ${path} is 405 with Allow and the envelope`, async () => {
    const { status, headers, json } = await ask(createWeather().server, method, path);
    deepStrictEqual([status, headers.get("allow"), json.error.code], [405, allow, "SCHEMA_ERROR"]);
  });
}

for (
  const [name, headers] of [
    ["no type", { "content-type": "" }],
    ["another type", { "content-type": "text/plain" }],
    ["another charset", { "content-type": "application/json; charset=latin1" }],
    ["an encoding", { "content-encoding": "gzip" }],
  ] as const
) {
  test(`a body with ${name} is 415`, async () => {
    const { status, json } = await ask(createWeather().server, "POST", "", "{}", headers as Record<string, string>);
    deepStrictEqual([status, json.status, json.error.code], [415, "error", "SCHEMA_ERROR"]);
  });
}

test("below its path every answer is an envelope; beside it, the server's", async () => {
  const { server } = createWeather();
  for (
    const path of ["/x", "/1.0.0/x", "//", "/%", "/%00", "/constructor", "/__proto__", "/1.0", "/v1.0.0", "/latest"]
  ) {
    const { status, json } = await ask(server, "GET", path);
    deepStrictEqual([path, status, json.status, json.error.code], [path, 404, "error", "WEBTOOL_NOT_FOUND"]);
  }
  const beside = await ask(server, "GET", "her");
  deepStrictEqual([beside.status, beside.json.jsonrpc], [404, "2.0"]);
});

test("a trailing slash is no redirect, and none is missed", async () => {
  const { server } = createWeather();
  for (const path of ["", "/", "/1.0.0", "/1.0.0/", "?x=1", "/?x=1"]) {
    strictEqual((await ask(server, "GET", path)).status, 200, path);
  }
});

test("a body over the limit is 413, one nested too deep 400, one that is not UTF-8 400", async () => {
  const { server } = createWeather({}, { limits: { bodyBytes: 1_000, depth: 20 } });
  const large = await ask(server, "POST", "/", { action: "get_current", request: { location: "x".repeat(2_000) } });
  deepStrictEqual([large.status, large.json.error.code], [413, "SCHEMA_ERROR"]);
  const deep = await ask(server, "POST", "/", `{"action":"get_current","request":${"[".repeat(30)}${"]".repeat(30)}}`);
  deepStrictEqual([deep.status, deep.json.error.code], [400, "SCHEMA_ERROR"]);
  const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  const headers = { "content-type": "application/json" };
  const response = await server.fetch(new Request(URL_BASE, { method: "POST", headers, body }));
  deepStrictEqual([response.status, (await response.json()).error.code], [400, "SCHEMA_ERROR"]);
});

test("pages of allowed origins may GET and POST, and read the ETag", async () => {
  const { server } = createWeather({}, { origins: ["https://app.example"], cors: true });
  const origin = "https://app.example";
  const preflight = await ask(server, "OPTIONS", "/", undefined, {
    origin,
    "access-control-request-headers": "if-match",
  });
  strictEqual(preflight.status, 204);
  strictEqual(preflight.headers.get("access-control-allow-methods"), "GET, HEAD, POST");
  strictEqual(preflight.headers.get("access-control-allow-headers"), "if-match");
  const got = await ask(server, "GET", "/", undefined, { origin });
  strictEqual(got.headers.get("access-control-allow-origin"), origin);
  match(got.headers.get("access-control-expose-headers") ?? "", /etag/);
});

test("other wires keep their own methods", async () => {
  const tools = [defineTool("t").describe("T").handle(() => 1)];
  const wires = [mcpLite(), webtools({ name: "w", description: "W", version: "1.0.0" })];
  const server = createServer({ logger: false, tools, wires, cors: true, origins: ["https://app.example"] });
  const headers = { origin: "https://app.example" };
  const preflight = await server.fetch(new Request("http://h/mcp-lite/v1/calltools", { method: "OPTIONS", headers }));
  strictEqual(preflight.headers.get("access-control-allow-methods"), "POST");
});

test("a caller that the server refuses gets the refusal in the envelope", async () => {
  const { server } = createWeather({}, { hosts: ["weather.example"] });
  const { status, json } = await ask(server, "GET", "/");
  deepStrictEqual([status, json.status, json.error.code], [403, "error", "PERMISSION_DENIED"]);
  const foreign = await ask(createWeather().server, "POST", "/", {}, { origin: "https://evil.example" });
  deepStrictEqual([foreign.status, foreign.json.error.code], [403, "PERMISSION_DENIED"]);
});

test("a chosen path, two webtools on one server, and the root path", async () => {
  const tools = [defineTool("t").describe("T").handle(() => 1)];
  const wires = [
    webtools({ name: "a", description: "A", version: "1.0.0", path: "/" }),
    webtools({ name: "b", description: "B", version: "2.0.0" }),
    mcpLite(),
  ];
  const server = createServer({ logger: false, tools, wires });
  const name = async (url: string) => (await (await server.fetch(new Request(url))).json()).name;
  strictEqual(await name("http://h/"), "a");
  strictEqual(await name("http://h/1.0.0"), "a");
  strictEqual(await name("http://h/webtools/b"), "b");
  strictEqual(await name("http://h/webtools/b/2.0.0"), "b");
});

test("webtools() refuses what could not work, and says why", () => {
  const right = { name: "w", description: "W", version: "1.0.0" };
  for (
    const [wrong, why] of [
      [{ name: "a b" }, /a name is 1 to 64/],
      [{ description: " " }, /cannot be empty/],
      [{ version: "1" }, /not a semantic version/],
      [{ version: "01.0.0" }, /not a semantic version/],
      [{ versions: [{ version: "1.0.0", tools: [] }] }, /two versions are the same/],
    ] as const
  ) throws(() => webtools({ ...right, ...wrong }), why);
});
