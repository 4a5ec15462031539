/** The OpenAPI document of REST: valid, typed, and the same from the wire and from openapiPage(). */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { authenticate, bearer, jwt } from "../../../src/entries/auth.ts";
import { openapiPage, toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { listing, scripted } from "../../server/compose/scripted.ts";
import { rest } from "../../../src/entries/rest.ts";
import { ask, createLibrary } from "./library.ts";

const { server } = createLibrary({ wires: [rest(), mcpLite(), openapiPage()] });
const { json: document } = await ask(server, "GET", "/rest/openapi.json");
const operation = (path: string, method: string) => document.paths[`/rest/tools${path}`][method];

test("the document is valid, and each of its references leads somewhere", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  deepStrictEqual([valid, errors], [true, undefined]);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer = ""]) => pointer);
  ok(references.length > 100);
  for (const pointer of references) {
    const found = pointer.split("/").reduce((node, key) => node?.[key], document);
    ok(found !== undefined, pointer);
    // Generators follow references to components only.
    strictEqual(pointer.split("/").length, 3, pointer);
  }
});

test("operations have distinct ids", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item as object));
  const ids = operations.flatMap(({ operationId }) => operationId ?? []);
  strictEqual(new Set(ids).size, ids.length);
});

test("a call has typed arguments, answers and failures", () => {
  const { requestBody, responses, parameters } = operation("/reserve", "post");
  deepStrictEqual(requestBody, {
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/reserve.input" } } },
  });
  deepStrictEqual(responses[200].content["application/json"].schema, { $ref: "#/components/schemas/reserve.output" });
  deepStrictEqual(
    responses[422].content["application/problem+json"].schema.anyOf.map(({ $ref }: { $ref: string }) => $ref),
    [
      "#/components/schemas/reserve.failure.on_loan",
      "#/components/schemas/reserve.failure.withdrawn",
      "#/components/schemas/ServerFailure",
      "#/components/schemas/Question",
    ],
  );
  const { enum: codes } = document.components.schemas.ServerFailure.properties.code;
  for (const code of ["unanswered", "resource_denied", "replay_diverged"]) ok(codes.includes(code), code);
  const loan = document.components.schemas["reserve.failure.on_loan"];
  deepStrictEqual([loan.properties.code, loan.properties.data], [
    { type: "string", const: "on_loan" },
    { $ref: "#/components/schemas/reserve.failure.on_loan.data" },
  ]);
  ok(!("data" in document.components.schemas["reserve.failure.withdrawn"].properties));
  deepStrictEqual(parameters.map(({ $ref }: { $ref: string }) => $ref), [
    "#/components/parameters/IdempotencyKey",
    "#/components/parameters/Deadline",
  ]);
  ok(responses[400] && responses[404] && responses[429] && !responses[202] && !responses[401]);
});

test("examples of a tool are those of its arguments and answers", async () => {
  const greet = defineTool("greet").describe("G").input(v.object({ name: v.string() })).output(v.string())
    .examples([{ input: { name: "Ada" }, output: "Hello, Ada" }]).handle(({ name }) => `Hello, ${name}`);
  const { json } = await ask(createServer({ tools: [greet], wires: [rest()] }), "GET", "/rest/openapi.json");
  const { valid, errors } = await new Validator().validate(structuredClone(json));
  deepStrictEqual([valid, errors], [true, undefined]);
  deepStrictEqual(json.components.schemas["greet.input"].examples, [{ name: "Ada" }]);
  deepStrictEqual(json.components.schemas["greet.output"].examples, ["Hello, Ada"]);
});

test("a tool that promises has 202, and the paths of its promise", () => {
  const { responses } = operation("/scan", "post");
  deepStrictEqual(responses[202], { $ref: "#/components/responses/Promised" });
  ok(document.components.responses.Promised.headers.location);
  const result = operation("/scan/promises/{token}", "get").responses;
  deepStrictEqual(result[200].content["application/json"].schema, { $ref: "#/components/schemas/scan.output" });
  ok(result[410] && operation("/scan/promises/{token}", "delete").responses[200]);
});

test("only a read-only tool has GET, with a parameter for each argument", () => {
  strictEqual(operation("/reserve", "get"), undefined);
  const { parameters } = operation("/find", "get");
  const byName = new Map(parameters.map((one: { name?: string }) => [one.name, one]));
  deepStrictEqual(byName.get("text"), { name: "text", in: "query", required: true, schema: { type: "string" } });
  deepStrictEqual(byName.get("tags"), {
    name: "tags",
    in: "query",
    required: false,
    schema: { type: "array", items: { type: "string" } },
  });
  ok((byName.get("filter") as { content: unknown }).content);
});

test("openapiPage() has the same paths and components, beside those of other wires", async () => {
  const { json: whole } = await ask(server, "GET", "/openapi.json");
  const { valid, errors } = await new Validator().validate(structuredClone(whole));
  deepStrictEqual([valid, errors], [true, undefined]);
  for (const [path, item] of Object.entries(document.paths)) deepStrictEqual(whole.paths[path], item);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    deepStrictEqual(whole.components.schemas[name], schema);
  }
  ok(whole.paths["/mcp-lite/v1/calltools"]);
});

test("security schemes are those of the server's authentication", async () => {
  const read = defineTool("read").describe("R").scopes("docs:read").handle(() => 1);
  const open = defineTool("open").describe("O").handle(() => 1);
  const schemes = { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } };
  const person = { id: "ada" };
  for (
    const [auth, known, security] of [
      [bearer(() => person), { bearer: { type: "http", scheme: "bearer" } }, [{ bearer: [] }]],
      [bearer(() => person, { allowAnonymous: true }), { bearer: { type: "http", scheme: "bearer" } }, [{}, {
        bearer: [],
      }]],
      [authenticate(() => person, { securitySchemes: schemes }), schemes, [{ apiKey: [] }]],
      [authenticate(() => person), undefined, undefined],
    ] as const
  ) {
    const guarded = createServer({ tools: [read, open], wires: [rest()], auth });
    const { json } = await ask(guarded, "GET", "/rest/openapi.json", undefined, { authorization: "Bearer x" });
    deepStrictEqual(json.components.securitySchemes, known);
    deepStrictEqual(json.paths["/rest/tools/open"].post.security, security);
    const [scheme] = Object.keys(known ?? {});
    deepStrictEqual(json.paths["/rest/tools/read"].post.security, scheme && [{ [scheme]: ["docs:read"] }]);
    strictEqual((await new Validator().validate(json)).valid, true);
  }
  const auth = jwt({ issuer: "https://login.example", audience: "a", keys: { keys: [] }, allowAnonymous: true });
  const { json } = await ask(createServer({ tools: [open], wires: [rest()], auth }), "GET", "/rest/openapi.json");
  strictEqual(json.components.securitySchemes.bearer.bearerFormat, "JWT");
});

test("the document is as the caller may see it, and has an entity tag", async () => {
  const secret = defineTool("secret").describe("S").visibleTo((principal) => principal?.id === "ada").handle(() => 1);
  const auth = bearer((token) => ({ id: token }), { allowAnonymous: true });
  const guarded = createServer({ tools: [secret], wires: [rest()], auth });
  const forAda = await ask(guarded, "GET", "/rest/openapi.json", undefined, { authorization: "Bearer ada" });
  const forAll = await ask(guarded, "GET", "/rest/openapi.json");
  deepStrictEqual([forAda, forAll].map(({ text }) => text.includes("secret")), [true, false]);
  strictEqual(forAll.headers.get("cache-control"), "private, no-cache");
  const etag = forAll.headers.get("etag") ?? "";
  strictEqual((await ask(guarded, "GET", "/rest/openapi.json", undefined, { "if-none-match": etag })).status, 304);
});

test("a document is made once for each list of tools and each mount, until the list changes", async () => {
  const secret = defineTool("secret").describe("S").visibleTo((principal) => principal?.id === "ada").handle(() => 1);
  const far = scripted([listing("one")]);
  const remote = await gateway("far", far);
  const auth = bearer((token) => ({ id: token }), { allowAnonymous: true });
  const wires = [rest(), openapiPage()];
  const changing = createServer({ tools: [secret], parts: [mount(remote)], wires, auth, logger: false });
  const { stringify } = JSON;
  let made = 0;
  JSON.stringify = (value: unknown, ...rest: never[]) => {
    if (typeof value === "object" && value !== null && "openapi" in value) made++;
    return stringify(value, ...rest);
  };
  const madeBy = async (path: string, token?: string) => {
    made = 0;
    const tags = new Set<string | null>();
    for (let count = 0; count < 3; count++) {
      const { headers } = await ask(
        changing,
        "GET",
        path,
        undefined,
        token === undefined ? {} : { authorization: `Bearer ${token}` },
      );
      tags.add(headers.get("etag"));
    }
    return [made, tags.size];
  };
  try {
    for (const path of ["/rest/openapi.json", "/openapi.json"]) {
      deepStrictEqual(await madeBy(path), [1, 1]);
      deepStrictEqual(await madeBy(path, "ada"), [1, 1]);
      // Callers who see the same tools get the same document.
      deepStrictEqual(await madeBy(path, "bob"), [0, 1]);
    }
    far.listed = [listing("two")];
    await remote.refresh();
    deepStrictEqual(await madeBy("/rest/openapi.json"), [1, 1]);
    const { text } = await ask(changing, "GET", "/rest/openapi.json");
    deepStrictEqual([text.includes("tools/one"), text.includes("tools/two")], [false, true]);
  } finally {
    JSON.stringify = stringify;
  }
});

test("a tool and the result of another may have the same name", async () => {
  const one = defineTool("one").describe("O").promise().input(v.object({ n: v.number() })).handle(({ n }) => n);
  const other = defineTool("one_result").describe("R").handle(() => 1);
  const { json } = await ask(createServer({ tools: [one, other], wires: [rest()] }), "GET", "/rest/openapi.json");
  const { valid, errors } = await new Validator().validate(structuredClone(json));
  deepStrictEqual([valid, errors], [true, undefined]);
  strictEqual(json.paths["/rest/tools/one_result"].post.operationId, "one_result_2");
});

test("our own importer makes tools of the document that work", async () => {
  const tools = toolsFromOpenApi(document, {
    baseUrl: "http://localhost",
    select: ({ path, method }) => path.startsWith("/rest/tools/") && method === "POST",
    onLeftOut: () => {},
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
  const proxy = createServer({ tools, wires: [rest()] });
  deepStrictEqual((await ask(proxy, "POST", "/rest/tools/add", { a: 20, b: 22 })).json, { sum: 42 });
});
