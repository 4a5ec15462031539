import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { openapiPage, toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { webtools } from "../../../src/entries/webtools.ts";

interface Node {
  readonly name?: string | undefined;
  readonly next?: Node | undefined;
}
const node: v.GenericSchema<Node> = v.object({ name: v.optional(v.string()), next: v.optional(v.lazy(() => node)) });
const walk = defineTool("walk").describe("Walk").input(v.object({ start: node })).output(v.string()).handle(() =>
  "end"
);
const secret = defineTool("secret").describe("Secret").visibleTo(() => false).handle(() => 1);
const later = defineTool("later").describe("Later").promise().handle(() => 1);

const server = createServer({
  name: "docs",
  version: "2.0.0",
  tools: [walk, secret, later],
  wires: [openapiPage(), mcpLite(), webtools({ name: "w", description: "W", version: "1.0.0" })],
});
const get = (init?: RequestInit) => server.fetch(new Request("http://localhost/openapi.json", init));

test("openapi() describes just what is mounted, validly, as the caller may see it", async () => {
  const text = await (await get()).text();
  const document = JSON.parse(text);
  deepStrictEqual(Object.keys(document.paths).sort(), [
    "/mcp-lite/v1/call",
    "/mcp-lite/v1/calltools",
    "/mcp-lite/v1/listtools",
    "/mcp-lite/v1/rpc",
    "/mcp-lite/v1/tools",
    "/webtools/w",
    "/webtools/w/{version}",
  ]);
  ok(!text.includes("secret"));
  const { valid, errors } = await new Validator().validate(document);
  deepStrictEqual([valid, errors], [true, undefined]);
  // Every reference leads somewhere, for our own importer at least.
  const tools = toolsFromOpenApi(document, { baseUrl: "http://localhost" });
  strictEqual(tools.length, 8);
  const bare = createServer({ tools: [walk], wires: [openapiPage({ path: "/api" })] });
  const empty = await (await bare.fetch(new Request("http://localhost/api"))).json();
  deepStrictEqual(empty.paths, {});
});

test("openapi() has an ETag, and answers HEAD and nothing else", async () => {
  const etag = (await get()).headers.get("etag") ?? "";
  strictEqual((await get({ headers: { "if-none-match": etag } })).status, 304);
  strictEqual((await get({ headers: { "if-none-match": '"other"' } })).status, 200);
  const head = await get({ method: "HEAD" });
  deepStrictEqual([head.status, head.headers.get("etag"), await head.text()], [200, etag, ""]);
  const post = await get({ method: "POST", body: "{}" });
  deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
});
