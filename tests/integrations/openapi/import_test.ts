import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { type OpenApiImportOptions, toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";

const BASE = "https://api.example/v1";

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

type Operation = Readonly<Record<string, unknown>>;

const documentOf = (paths: unknown, more: Operation = {}) => ({
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  paths,
  ...more,
});

const parameter = (name: string, place: string, schema: unknown, more: Operation = {}) => ({
  name,
  in: place,
  schema,
  ...(place === "path" && { required: true }),
  ...more,
});

const jsonBody = (schema: unknown, required = true) => ({ required, content: { "application/json": { schema } } });

/** The tools of a document, called through a server; what is sent is kept, and answered with `answer`. */
function serve(document: unknown, answer: () => Response = () => Response.json(null), options?: OpenApiImportOptions) {
  const sent: Sent[] = [];
  const fetch: OpenApiImportOptions["fetch"] = (url, { method = "GET", headers, body, redirect }) => {
    strictEqual(redirect, "manual");
    const given = new Headers(headers);
    const isJson = typeof body === "string" && given.get("content-type") === "application/json";
    sent.push({ url, method, headers: given, body: isJson ? JSON.parse(body) : body });
    return Promise.resolve(answer());
  };
  const server = createServer({
    logger: false,
    tools: toolsFromOpenApi(document, { baseUrl: BASE, fetch, ...options }),
  });
  const client = testClient(server);
  const call = async (name: string, args: Operation = {}) => (await client.$.call(name, args)) as unknown;
  return { server, sent, call };
}

/** One operation at one path, called once. */
async function send(operation: Operation, args: Operation, path = "/things", method = "get"): Promise<Sent> {
  const { call, sent } = serve(documentOf({ [path]: { [method]: { operationId: "it", ...operation } } }));
  await call("it", args);
  strictEqual(sent.length, 1);
  return sent[0] as Sent;
}

test("toolsFromOpenApi() names, describes and annotates tools", () => {
  const { server } = serve(documentOf({
    "/pets/{id}": {
      parameters: [parameter("id", "path", { type: "integer" })],
      get: { operationId: "get pet!", summary: "One pet", description: "By its number" },
      put: { operationId: "redeem" },
      delete: {},
      patch: { operationId: "get pet!" },
    },
  }));
  deepStrictEqual(
    server.tools.map(({ name, description, annotations }) => [name, description, annotations]),
    [
      ["get_pet", "One pet\n\nBy its number", { readOnlyHint: true, idempotentHint: true }],
      ["put_pets_id", "PUT /pets/{id}", { readOnlyHint: false, idempotentHint: true }],
      ["get_pet_2", "PATCH /pets/{id}", { readOnlyHint: false }],
      ["delete_pets_id", "DELETE /pets/{id}", { readOnlyHint: false, idempotentHint: true, destructiveHint: true }],
    ],
  );
});

const TEXT = { type: "string" };
const LIST = { type: "array", items: { type: "string" } };
const OBJECT = { type: "object" };

for (
  const [name, path, parameters, args, want] of [
    ["text in a path", "/a/{x}", [parameter("x", "path", TEXT)], { x: "a/b ?#%é" }, "/a/a%2Fb%20%3F%23%25%C3%A9"],
    ["dots in a name", "/a/{x}", [parameter("x", "path", TEXT)], { x: "..." }, "/a/..."],
    ["a list in a path", "/a/{x}", [parameter("x", "path", LIST)], { x: ["a", "b,c"] }, "/a/a,b%2Cc"],
    ["an object in a path", "/a/{x}", [parameter("x", "path", OBJECT)], { x: { r: 1, g: 2 } }, "/a/r,1,g,2"],
    [
      "an exploded object in a path",
      "/a/{x}",
      [parameter("x", "path", OBJECT, { explode: true })],
      { x: { r: 1, g: 2 } },
      "/a/r=1,g=2",
    ],
    ["a query", "/a", [parameter("q", "query", TEXT)], { q: "a&b=c+d" }, "/a?q=a%26b%3Dc%2Bd"],
    ["a list in a query", "/a", [parameter("q", "query", LIST)], { q: ["a", "b"] }, "/a?q=a&q=b"],
    ["an empty list in a query", "/a", [parameter("q", "query", LIST)], { q: [] }, "/a"],
    [
      "a joined list in a query",
      "/a",
      [parameter("q", "query", LIST, { explode: false })],
      { q: ["a", "b"] },
      "/a?q=a,b",
    ],
    ["an object in a query", "/a", [parameter("q", "query", OBJECT)], { q: { r: 1, g: true } }, "/a?r=1&g=true"],
    [
      "a deep object in a query",
      "/a",
      [parameter("q", "query", OBJECT, { style: "deepObject" })],
      { q: { r: 1 } },
      "/a?q%5Br%5D=1",
    ],
    [
      "JSON in a query",
      "/a",
      [{ name: "q", in: "query", content: { "application/json": { schema: OBJECT } } }],
      { q: { r: [1] } },
      "/a?q=%7B%22r%22%3A%5B1%5D%7D",
    ],
  ] as const
) {
  test(`toolsFromOpenApi() writes ${name}`, async () => {
    const { url } = await send({ parameters }, args, path);
    strictEqual(url, `${BASE}${want}`);
    strictEqual(new URL(url).href, url);
  });
}

test("toolsFromOpenApi() sends header parameters and a JSON body, laid out flat", async () => {
  const { headers, body, method } = await send(
    {
      parameters: [
        parameter("X-Trace", "header", TEXT),
        parameter("Accept", "header", TEXT),
        parameter("dry", "query", {
          type: "boolean",
        }),
      ],
      requestBody: jsonBody({
        type: "object",
        properties: { name: TEXT, age: { type: "integer" } },
        required: ["name"],
      }),
    },
    { "X-Trace": "t1", name: "Ada", dry: true },
    "/things",
    "post",
  );
  deepStrictEqual([method, headers.get("x-trace"), headers.get("content-type")], ["POST", "t1", "application/json"]);
  deepStrictEqual(body, { name: "Ada" });
});

test("toolsFromOpenApi() keeps the body whole where names clash, or where it is no plain object", async () => {
  const clash = { parameters: [parameter("name", "query", TEXT)] };
  const plain = { type: "object", properties: { name: TEXT } };
  const sent = await send({ ...clash, requestBody: jsonBody(plain) }, { body: { name: "b" }, name: "q" }, "/a", "post");
  deepStrictEqual([sent.url, sent.body], [`${BASE}/a?name=q`, { name: "b" }]);
  for (const body of [[1, 2], null, "text"]) {
    deepStrictEqual((await send({ requestBody: jsonBody({}) }, { body }, "/a", "post")).body, body);
  }
  const optional = { requestBody: jsonBody({ ...plain, required: ["name"] }, false) };
  strictEqual((await send(optional, {}, "/a", "post")).body, null);
});

test("toolsFromOpenApi() sends a text as it is", async () => {
  for (const required of [true, false]) {
    const requestBody = { required, content: { "text/markdown": { schema: TEXT }, "application/xml": {} } };
    const { call, sent, server } = serve(documentOf({ "/notes": { post: { operationId: "it", requestBody } } }));
    deepStrictEqual(server.tools[0]?.inputSchema["properties"], { body: TEXT });
    await call("it", { body: '# "Hello"' });
    deepStrictEqual([sent[0]?.body, sent[0]?.headers.get("content-type")], ['# "Hello"', "text/markdown"]);
    await rejects(call("it", { body: 1 }), { code: "invalid_input" });
    if (required) await rejects(call("it"), { code: "invalid_input" });
    else await call("it");
    strictEqual(sent[1]?.body, required ? undefined : null);
  }
});

test("toolsFromOpenApi() sends a long text type whole, and cuts only what it tells", async () => {
  const type = `text/x-${"long".repeat(20)}; charset=utf-8`;
  const post = (content: Readonly<Record<string, unknown>>) =>
    documentOf({ "/notes": { post: { operationId: "it", requestBody: { required: true, content } } } });
  const { call, sent } = serve(post({ [type]: { schema: TEXT } }));
  await call("it", { body: "hello" });
  strictEqual(sent[0]?.headers.get("content-type"), type);
  // A type that becomes a text type only by being cut is not one.
  const cut = `text/${"x".repeat(59)}/y`;
  throws(() => serve(post({ [cut]: {} })), new RegExp(`neither JSON nor text, but text/x{59}; leave it out`));
});

test("toolsFromOpenApi() tells what it leaves out, by name", async () => {
  const document = documentOf({
    "/photos": {
      post: {
        operationId: "addPhoto",
        parameters: [parameter("theme", "cookie", TEXT)],
        requestBody: { content: { "multipart/form-data": {}, "image/png": {} } },
      },
    },
  });
  const problems: string[] = [];
  const { call, sent } = serve(document, undefined, { onLeftOut: (problem) => void problems.push(problem) });
  deepStrictEqual(problems, [
    'POST /photos is imported in part as the tool addPhoto: its parameter "theme" cannot be sent from "cookie"',
    "POST /photos is imported in part as the tool addPhoto: its body is neither JSON nor text, but multipart/form-data, image/png",
  ]);
  await call("addPhoto");
  strictEqual(sent[0]?.body, null);
});

test("toolsFromOpenApi() checks arguments before anything is sent", async () => {
  const { call, sent } = serve(documentOf({
    "/a/{id}": {
      post: {
        operationId: "it",
        parameters: [parameter("id", "path", { type: "string" }), parameter("X-A", "header", TEXT)],
        requestBody: jsonBody({ $ref: "#/components/schemas/Pet" }),
      },
    },
  }, {
    components: {
      schemas: {
        Pet: {
          type: "object",
          properties: { name: { type: "string", minLength: 2 }, friend: { $ref: "#/components/schemas/Pet" } },
          required: ["name"],
        },
      },
    },
  }));
  const good = { id: "1", name: "Rex", friend: { name: "Ada", friend: { name: "Bo" } } };
  for (
    const bad of [
      {},
      { ...good, id: 1 },
      { ...good, name: "x" },
      { ...good, more: 1 },
      { ...good, friend: { name: "Ada", friend: { name: 3 } } },
      { ...good, id: "" },
      { ...good, id: "." },
      { ...good, id: ".." },
      { ...good, "X-A": "a\r\nhost: evil" },
    ]
  ) await rejects(call("it", bad), { code: "invalid_input" }, JSON.stringify(bad));
  strictEqual(sent.length, 0);
  await call("it", good);
  strictEqual(sent.length, 1);
});

test("toolsFromOpenApi() reads what OpenAPI 3.0 says otherwise", async () => {
  const document = {
    ...documentOf({
      "/a": {
        get: {
          operationId: "it",
          parameters: [parameter("q", "query", {
            type: "number",
            nullable: true,
            minimum: 1,
            exclusiveMinimum: true,
            maximum: 9,
          })],
        },
      },
    }),
    openapi: "3.0.3",
  };
  const { call, server } = serve(document);
  deepStrictEqual(server.tools[0]?.inputSchema["properties"], {
    q: { type: ["number", "null"], exclusiveMinimum: 1, maximum: 9 },
  });
  await call("it", { q: null });
  await call("it", { q: 9 });
  await rejects(call("it", { q: 1 }), { code: "invalid_input" });
});

const answering = (answer: () => Response, operation: Operation = {}, method = "get", more?: OpenApiImportOptions) =>
  serve(documentOf({ "/a": { [method]: { operationId: "it", ...operation } } }), answer, more).call("it");

const promising = (schema: unknown) => ({
  responses: { "200": { description: "Fine", content: { "application/json": { schema } } } },
});

test("toolsFromOpenApi() gives JSON as it is, and anything else as text", async () => {
  const typed = promising({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] });
  deepStrictEqual(await answering(() => Response.json({ a: 1 }), typed), { a: 1 });
  strictEqual(await answering(() => new Response("plain")), "plain");
  strictEqual(await answering(() => new Response(null, { status: 204 })), null);
  strictEqual(await answering(() => new Response(null), typed, "head"), null);
  const problem = new Response('{"b":2}', { headers: { "content-type": "application/hal+json; charset=utf-8" } });
  deepStrictEqual(await answering(() => problem), { b: 2 });
  await rejects(answering(() => Response.json({ a: "x" }), typed), { code: "internal" });
  await rejects(answering(() => new Response("<html>"), typed), { code: "unexpected_answer" });
});

for (
  const [status, code, data] of [
    [400, "rejected", { status: 400, body: "why" }],
    [401, "upstream_unauthenticated", { status: 401 }],
    [403, "upstream_forbidden", { status: 403 }],
    [404, "not_found", { status: 404, body: "why" }],
    [409, "conflict", { status: 409, body: "why" }],
    [422, "rejected", { status: 422, body: "why" }],
    [302, "redirected", { status: 302 }],
  ] as const
) {
  test(`toolsFromOpenApi() makes failure ${code} of status ${status}`, async () => {
    const headers = { location: "https://evil.example/" };
    const failing = answering(() => new Response("why", { status, headers }));
    await rejects(failing, { name: "Failure", code, data });
  });
}

for (const [status, code] of [[429, "rate_limited"], [500, "unavailable"], [503, "unavailable"]] as const) {
  test(`toolsFromOpenApi() makes refusal ${code} of status ${status}`, async () => {
    const { server } = serve(
      documentOf({ "/a": { post: { operationId: "it" } } }),
      () => new Response("stack trace", { status, headers: { "retry-after": "3" } }),
    );
    const response = await server.fetch(
      new Request("http://localhost/mcp-lite/v1/calltools", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it"}}',
      }),
    );
    const text = await response.text();
    deepStrictEqual(JSON.parse(text).error.data, { code, status, retry_after_ms: 3000 });
    ok(!text.includes("stack trace"));
  });
}

test("toolsFromOpenApi() reads no more than its limit, and reports an API that does not answer", async () => {
  const large = () => new Response("x".repeat(2_000));
  await rejects(answering(large, {}, "post", { maxResponseBytes: 1_999 }), { code: "result_too_large" });
  strictEqual(String(await answering(large, {}, "post", { maxResponseBytes: 2_000 })).length, 2_000);
  const dead = { fetch: () => Promise.reject(new Error("ECONNREFUSED 10.0.0.7")) };
  await rejects(answering(large, {}, "post", dead), (error: Error) => {
    ok(!error.message.includes("10.0.0.7"));
    return (error as Error & { code: string }).code === "unavailable";
  });
  await rejects(
    answering(() => {
      return new Response(`${"[".repeat(2_000)}${"]".repeat(2_000)}`, {
        headers: { "content-type": "application/json" },
      });
    }),
    { code: "unexpected_answer" },
  );
});

test("toolsFromOpenApi() sends credentials to the origin of the base URL alone, and no argument takes their place", async () => {
  const paths = {
    "/a": { get: { operationId: "own", parameters: [parameter("X-Key", "header", TEXT, { required: true })] } },
    "/b": { get: { operationId: "other" }, servers: [{ url: "https://other.example" }] },
  };
  const document = documentOf(paths, {
    servers: [{ url: "https://{host}/v2/", variables: { host: { default: "a.example" } } }],
  });
  const sent: Sent[] = [];
  const options = (headers: NonNullable<OpenApiImportOptions["headers"]>): OpenApiImportOptions => ({
    headers,
    fetch: (url, { headers }) => {
      sent.push({ url, method: "", headers: new Headers(headers), body: null });
      return Promise.resolve(Response.json(null));
    },
  });
  const client = testClient(
    createServer({ logger: false, tools: toolsFromOpenApi(document, options({ "x-key": "secret" })) }),
  );
  await client.$.call("own", {});
  await client.$.call("other", {});
  const later = testClient(
    createServer({ logger: false, tools: toolsFromOpenApi(document, options(() => ({ "x-key": "fresh" }))) }),
  );
  await later.$.call("own", { "X-Key": "forged" });
  deepStrictEqual(sent.map(({ url, headers }) => [url, headers.get("x-key")]), [
    ["https://a.example/v2/a", "secret"],
    ["https://other.example/b", null],
    ["https://a.example/v2/a", "fresh"],
  ]);
});

test("toolsFromOpenApi() aborts the request with the call", async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const { server } = serve(documentOf({ "/a": { get: { operationId: "it" } } }), undefined, {
    fetch: (_, { signal }) => {
      begun.resolve(signal as AbortSignal);
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const controller = new AbortController();
  const calling = testClient(server).$.call("it", {}, { signal: controller.signal });
  const failed = rejects(calling, { name: "AbortError" });
  const signal = await begun.promise;
  controller.abort();
  await failed;
  strictEqual(signal.aborted, true);
});

const circular: Record<string, unknown> = { type: "object" };
circular["properties"] = { self: circular };
let wide: unknown = { type: "string" };
for (let level = 0; level < 20; level++) wide = { type: "object", properties: { a: wide, b: wide } };

const asking = (schema: unknown, more?: Operation) =>
  documentOf({ "/a": { get: { parameters: [parameter("q", "query", schema)] } } }, more);

for (
  const [name, document, sentence] of [
    ["text", "openapi: 3.1.0", /parse its text first/],
    ["nothing", null, /not an OpenAPI/],
    ["Swagger 2", { swagger: "2.0", paths: {} }, /not an OpenAPI/],
    ["an external reference", asking({ $ref: "https://evil.example/x.json" }), /leads out of the document/],
    ["a file", asking({ $ref: "file:///etc/passwd" }), /leads out of the document/],
    ["a reference to nowhere", asking({ $ref: "#/components/schemas/No" }), /leads nowhere/],
    ["a reference into Object.prototype", asking({ $ref: "#/components/constructor" }, { components: {} }), /nowhere/],
    ["a reference that is none", asking({ $ref: { a: 1 } }), /leads out of the document/],
    [
      "references in circles",
      asking({ $ref: "#/components/schemas/A" }, {
        components: { schemas: { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } } },
      }),
      /in circles/,
    ],
    [
      "a parameter that is itself",
      documentOf({ "/a": { get: { parameters: [{ $ref: "#/paths/~1a/get/parameters/0" }] } } }),
      /in circles/,
    ],
    ["an object that holds itself", asking(circular), /nests too deep/],
    ["objects that multiply", asking(wide), /too large/],
    ["an undeclared path parameter", documentOf({ "/a/{id}": { get: {} } }), /id is not declared/],
    ["a query in a path", documentOf({ "/a?x=1": { get: {} } }), /neither query nor fragment/],
    [
      "a header that frames",
      documentOf({ "/a": { get: { parameters: [parameter("Host", "header", TEXT, { required: true })] } } }),
      /cannot be sent/,
    ],
    [
      "a form",
      documentOf({ "/a": { post: { requestBody: { required: true, content: { "multipart/form-data": {} } } } } }),
      /its body is neither JSON nor text, but multipart\/form-data; leave it out by select/,
    ],
    [
      "a style",
      documentOf({ "/{a}": { get: { parameters: [parameter("a", "path", TEXT, { style: "matrix" })] } } }),
      /style "matrix"/,
    ],
  ] as const
) {
  test(`toolsFromOpenApi() refuses ${name}`, () => {
    throws(() => toolsFromOpenApi(document, { baseUrl: BASE }), (error) => {
      ok(error instanceof TypeError);
      match(error.message, sentence);
      return true;
    });
  });
}

test("toolsFromOpenApi() tells of all operations that cannot be imported at once", () => {
  const form = { post: { requestBody: { required: true, content: { "multipart/form-data": {} } } } };
  const importOf = (count: number) => () => {
    const forms = Object.fromEntries(Array.from({ length: count }, (_, index) => [`/form${index}`, form]));
    toolsFromOpenApi(documentOf({ "/good": { get: {} }, ...forms, "/a/{id}": { get: {} } }), { baseUrl: BASE });
  };
  throws(importOf(2), (error) => {
    ok(error instanceof TypeError);
    match(
      error.message,
      /^3 operations cannot be imported:\n- .*POST \/form0: .*\n- .*POST \/form1: .*\n- .*GET \/a\/\{id\}: .*declared$/,
    );
    return true;
  });
  throws(importOf(25), /^TypeError: 26 operations[^]*POST \/form19: [^]*\n- and 6 more$/);
});

test("toolsFromOpenApi() leaves out what select does not take, unread", () => {
  const document = documentOf({
    "/a": { get: { tags: ["good"] }, post: { tags: ["bad"], requestBody: { $ref: "elsewhere.json" } } },
  });
  const tools = toolsFromOpenApi(document, { baseUrl: BASE, select: ({ tags }) => tags.includes("good") });
  deepStrictEqual(tools.map(({ name }) => name), ["get_a"]);
});

test("toolsFromOpenApi() wants a base URL that is one", () => {
  for (const baseUrl of ["/v1", "ftp://a.example", "https://user:pass@a.example", "https://a.example?x=1"]) {
    throws(() => toolsFromOpenApi(documentOf({}), { baseUrl }), TypeError);
  }
  for (const baseUrl of ["/v1", "a.example", "a.example:80", "", new URL("ftp://a.example/")]) {
    throws(() => toolsFromOpenApi(documentOf({}), { baseUrl }), {
      name: "TypeError",
      message:
        `Cannot import the document: baseUrl must be a URL that begins with http:// or https://, not "${baseUrl}"`,
    });
  }
  throws(() => toolsFromOpenApi(documentOf({}, { servers: [{ url: "/v1" }] })), /pass \{ baseUrl/);
});

test("toolsFromOpenApi() takes names from Object.prototype as any other", async () => {
  const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}');
  const { body } = await send(
    { requestBody: jsonBody({ type: "object", properties }) },
    JSON.parse('{"__proto__":"a","constructor":"b"}'),
    "/a",
    "post",
  );
  strictEqual(JSON.stringify(body), '{"__proto__":"a","constructor":"b"}');
});

test("a schema that leads in circles while it is checked lets nothing through", async () => {
  const { call, sent } = serve(asking({ $ref: "#/components/schemas/A" }, {
    components: { schemas: { A: { allOf: [{ $ref: "#/components/schemas/A" }] } } },
  }));
  await rejects(call("get_a", { q: 1 }), { code: "internal" });
  strictEqual(sent.length, 0);
});
