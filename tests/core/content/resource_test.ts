import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, type Middleware, ToolError } from "../../../mod.ts";
import { defineResource } from "../../../src/entries/mcp.ts";
import { assertMasked, assertRefused, KeptSink } from "../dispatch/harness.ts";
import { CatalogBench, from, valueOf } from "./harness.ts";

const readme = defineResource("docs://readme").mimeType("text/markdown").read(() => "# Hello");
const books = new Map([["1", "Moby Dick"], ["22", "Emma"]]);
const book = defineResource("books://{id}").read(({ id }) => books.get(id));

test("a resource is listed with the members of its definition, and no others", async () => {
  const full = defineResource("test://all")
    .name("all")
    .title("All")
    .describe("Everything")
    .icons([{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"] }])
    .mimeType("text/plain")
    .annotate({ audience: ["user"], priority: 0.5 })
    .annotate({ priority: 1, lastModified: "2026-11-20T12:00:00Z" })
    .size(3)
    .meta({ "example.com/a": 1 })
    .meta({ "example.com/b": 2 })
    .read(() => "all");
  const { catalog } = new CatalogBench({ resources: [full, readme, book] });
  deepStrictEqual(await valueOf(catalog.listResources(from())), [
    {
      uri: "test://all",
      name: "all",
      title: "All",
      description: "Everything",
      icons: [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"] }],
      mimeType: "text/plain",
      annotations: { audience: ["user"], priority: 1, lastModified: "2026-11-20T12:00:00Z" },
      _meta: { "example.com/a": 1, "example.com/b": 2 },
      size: 3,
    },
    { uri: "docs://readme", name: "docs://readme", mimeType: "text/markdown" },
  ]);
  deepStrictEqual(catalog.templatesFor(undefined), [{ uriTemplate: "books://{id}", name: "books://{id}" }]);
  strictEqual(catalog.hasResources, true);
  strictEqual(catalog.canComplete, false);
});

for (
  const [name, given, want] of [
    ["text", () => "hi", [{ uri: "t://x", mimeType: "text/plain", text: "hi" }]],
    ["empty text", () => "", [{ uri: "t://x", mimeType: "text/plain", text: "" }]],
    ["bytes", () => new Uint8Array([1, 2, 255]), [{
      uri: "t://x",
      mimeType: "application/octet-stream",
      blob: "AQL/",
    }]],
    ["a part", () => ({ text: "{}", mimeType: "application/json", meta: { a: 1 } }), [
      { uri: "t://x", mimeType: "application/json", text: "{}", _meta: { a: 1 } },
    ]],
    ["base64", () => ({ blob: "AQL/" }), [{ uri: "t://x", mimeType: "application/octet-stream", blob: "AQL/" }]],
    ["parts with URIs of their own", () => Promise.resolve([{ text: "a", uri: "t://x/a" }, { text: "b" }]), [
      { uri: "t://x/a", mimeType: "text/plain", text: "a" },
      { uri: "t://x", mimeType: "text/plain", text: "b" },
    ]],
  ] as const
) {
  test(`readResource() gives ${name}`, async () => {
    const { catalog } = new CatalogBench({ resources: [defineResource("t://x").read(given)] });
    deepStrictEqual(await valueOf(catalog.readResource("t://x", from())), want);
  });
}

test("bytes of any length become their base64", async () => {
  for (const length of [0, 1, 2, 3, 32_768, 32_769, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 251);
    const { catalog } = new CatalogBench({ resources: [defineResource("t://x").read(() => bytes)] });
    const [contents] = await valueOf(catalog.readResource("t://x", from()));
    ok(contents !== undefined && "blob" in contents);
    deepStrictEqual(Uint8Array.from(atob(contents.blob), (char) => char.charCodeAt(0)), bytes);
  }
});

test("what is read has its resource's type, unless it says otherwise", async () => {
  const { catalog } = new CatalogBench({ resources: [readme] });
  deepStrictEqual(await valueOf(catalog.readResource("docs://readme", from())), [
    { uri: "docs://readme", mimeType: "text/markdown", text: "# Hello" },
  ]);
});

test("a reader gets the variables, what a tool's handler gets, and the URI", async () => {
  const seen: unknown[] = [];
  const { catalog } = new CatalogBench({
    resources: [
      defineResource("s://{kind}{?q,limit}").read((variables, ctx, uri) => {
        seen.push(variables, ctx.principal?.id, ctx.metadata.get("x"), ctx.requestId, uri);
        ctx.meta({ "example.com/a": 1 });
        return "ok";
      }),
    ],
  });
  const peer = { principal: { id: "ada" }, metadata: { get: () => "y" } };
  const settled = await catalog.readResource("s://a%2Fb?limit=5", from(undefined, peer));
  deepStrictEqual(seen, [{ kind: "a/b", limit: "5" }, "ada", "y", 1, "s://a%2Fb?limit=5"]);
  ok(settled.kind === "answer");
  deepStrictEqual(settled.meta, { "example.com/a": 1 });
});

for (
  const [name, uri] of [
    ["that is nowhere", "docs://other"],
    ["whose reader has nothing", "books://3"],
    ["whose reader has null", "none://null"],
    ["whose reader has an empty list", "none://list"],
    ["whose reader refuses it without details", "none://refused"],
    ["that is a template", "books://{id}"],
    ["that is no URI", "constructor"],
  ] as const
) {
  test(`a resource ${name} is not found, and its URI is told`, async () => {
    const none = defineResource("none://{what}").read(({ what }) => {
      if (what === "refused") throw new ToolError("resource_not_found", "Resource not found");
      return what === "null" ? null : [];
    });
    const { catalog } = new CatalogBench({ resources: [readme, book, none] });
    const refusal = assertRefused(await catalog.readResource(uri, from()), "resource_not_found");
    deepStrictEqual(refusal.data, { uri });
  });
}

test("a resource with a fixed URI is found before templates, and templates are matched in order", async () => {
  const { catalog } = new CatalogBench({
    resources: [
      defineResource("t://{a}/{b}").read(() => "first template"),
      defineResource("t://{+path}").read(() => "second template"),
      defineResource("t://1/2").read(() => "itself"),
    ],
  });
  const read = async (uri: string) => (await valueOf(catalog.readResource(uri, from())))[0];
  deepStrictEqual(await read("t://1/2"), { uri: "t://1/2", mimeType: "text/plain", text: "itself" });
  deepStrictEqual(await read("t://1/3"), { uri: "t://1/3", mimeType: "text/plain", text: "first template" });
  deepStrictEqual(await read("t://1"), { uri: "t://1", mimeType: "text/plain", text: "second template" });
});

test("a template lists its resources among the others, in order of definition", async () => {
  const { catalog } = new CatalogBench({
    resources: [
      defineResource("books://{id}{?lang}")
        .describe("One book")
        .mimeType("text/plain")
        .annotate({ audience: ["assistant"] })
        .meta({ "example.com/of": "the template" })
        .list(async (ctx) => {
          await Promise.resolve();
          return [...books].map(([id, title]) => ({ variables: { id }, title: `${title} for ${ctx.principal?.id}` }));
        })
        .read(({ id }) => books.get(id)),
      readme,
      defineResource("s://{x}").list(
        () => [{ variables: { x: "a b" }, name: "own", mimeType: "x/y", size: 3, meta: { "example.com/of": "one" } }],
      ).read(
        () => "",
      ),
    ],
  });
  const peer = { principal: { id: "ada" } };
  const common = { description: "One book", mimeType: "text/plain", annotations: { audience: ["assistant"] } };
  deepStrictEqual(await valueOf(catalog.listResources(from(undefined, peer))), [
    { uri: "books://1", name: "books://1", ...common, title: "Moby Dick for ada" },
    { uri: "books://22", name: "books://22", ...common, title: "Emma for ada" },
    { uri: "docs://readme", name: "docs://readme", mimeType: "text/markdown" },
    { uri: "s://a%20b", name: "own", mimeType: "x/y", size: 3, _meta: { "example.com/of": "one" } },
  ]);
});

test("a template that lists what it does not read is masked, and the log says so", async () => {
  const bench = new CatalogBench({
    resources: [defineResource("s://{x}").list(() => [{ variables: { x: "" } }]).read(() => "")],
  });
  match(String(assertMasked(await bench.catalog.listResources(from()), bench.log)), /Cannot list "s:\/\/"/);
});

test("a list cannot ask, whatever untyped code tries", async () => {
  const resource = defineResource("s://{x}")
    .list((ctx) => {
      const { elicit } = ctx as unknown as { elicit(...args: unknown[]): Promise<never> };
      return elicit.call(ctx, "k", { message: "?", schema: v.string() });
    })
    .read(() => "");
  const { catalog } = new CatalogBench({ resources: [resource] });
  assertRefused(await catalog.listResources(from()), "internal");
});

test("a reader asks its caller, and continues with the answer; the continuation is valid for that URI only", async () => {
  const secret = defineResource("secret://{id}").read(async ({ id }, ctx) => {
    const answer = await ctx.elicit("sure", { message: `Read ${id}?`, schema: v.object({ yes: v.boolean() }) });
    return answer.action === "accept" && answer.content.yes ? `secret ${id}` : undefined;
  });
  const { catalog } = new CatalogBench({ resources: [secret], keys: "k1:a secret of at least thirty-two bytes" });
  const asked = await catalog.readResource("secret://1", from());
  ok(asked.kind === "elicitation");
  strictEqual(asked.requests["sure"]?.message, "Read 1?");
  const responses = { sure: { action: "accept", content: { yes: true } } };
  const again = from({ continuation: asked.continuation, responses });
  deepStrictEqual(await valueOf(catalog.readResource("secret://1", again)), [
    { uri: "secret://1", mimeType: "text/plain", text: "secret 1" },
  ]);
  assertRefused(await catalog.readResource("secret://2", again), "invalid_continuation");
});

test("what a reader throws is masked, refused or a failure, as of a tool", async () => {
  const bench = new CatalogBench({
    resources: [
      defineResource("t://{how}").read(({ how }) => {
        if (how === "refusal") throw new ToolError("permission_denied", "Not yours");
        if (how === "odd") return 5 as never;
        throw new Error("a secret path");
      }),
    ],
  });
  assertRefused(await bench.catalog.readResource("t://refusal", from()), "permission_denied");
  strictEqual(
    String(assertMasked(await bench.catalog.readResource("t://break", from()), bench.log)),
    "Error: a secret path",
  );
  match(String(assertMasked(await bench.catalog.readResource("t://odd", from()), bench.log)), /has to return text/);
});

test("a reader has a deadline, and its caller's; its signal aborts", async () => {
  const signals: AbortSignal[] = [];
  const slow = defineResource("t://slow").read((_, ctx) => {
    signals.push(ctx.signal);
    return new Promise<string>(() => {});
  });
  const bench = new CatalogBench({ resources: [slow], timeoutMs: 1_000 });
  const [own, callers] = [{}, { deadlineMs: 50 }].map((meta) => bench.catalog.readResource("t://slow", from(meta)));
  bench.clock.tick(60);
  assertRefused(await callers!, "deadline_exceeded");
  bench.clock.tick(1_000);
  assertRefused(await own!, "deadline_exceeded");
  deepStrictEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test("a reader tells its progress to who listens", async () => {
  const sink = new KeptSink();
  const slow = defineResource("t://slow").read(async (_, ctx) => {
    ctx.progress(1, 2);
    await Promise.resolve();
    return "done";
  });
  const { catalog } = new CatalogBench({ resources: [slow] });
  await valueOf(catalog.readResource("t://slow", from(), sink));
  deepStrictEqual(sink.progress, [1]);
});

test("the server's middleware is around readers and lists, under names that no tool has", async () => {
  const seen: unknown[] = [];
  const middleware: Middleware = (ctx, next) => {
    seen.push(ctx.call.tool, ctx.call.args);
    return ctx.call.tool === "resource:docs://readme"
      ? { kind: "error", code: "permission_denied", message: "No" }
      : next();
  };
  const listing = defineResource("s://{x}").list(() => []).read(() => "x");
  const { catalog } = new CatalogBench({ resources: [readme, listing], middleware: [middleware] });
  assertRefused(await catalog.readResource("docs://readme", from()), "permission_denied");
  await valueOf(catalog.readResource("s://1", from()));
  await valueOf(catalog.listResources(from()));
  deepStrictEqual(seen, [
    "resource:docs://readme",
    { uri: "docs://readme", variables: {} },
    "resource:s://{x}",
    { uri: "s://1", variables: { x: "1" } },
    "list:resources",
    {},
  ]);
});

test("a closed server reads nothing", async () => {
  const { server, catalog } = new CatalogBench({ resources: [readme] });
  await server.close();
  assertRefused(await catalog.readResource("docs://readme", from()), "unavailable");
});

for (
  const [name, define, reason] of [
    ["no URI", () => defineResource("readme"), /a URI has a scheme and no spaces/],
    ["a URI with a space", () => defineResource("docs://a b"), /a URI has a scheme/],
    ["something that is no text", () => defineResource(5 as never), /a URI has a scheme/],
    ["a scheme from a template", () => defineResource("{scheme}://x"), /a URI has a scheme/],
    ["a bad template", () => defineResource("docs://{id*}"), /level 4/],
    ["an empty name", () => defineResource("t://x").name(""), /Cannot name resource "t:\/\/x"/],
    ["an audience of nobody", () => defineResource("t://x").annotate({ audience: ["model" as never] }), /audience/],
    ["a priority of 2", () => defineResource("t://x").annotate({ priority: 2 }), /priority is a number from 0 to 1/],
    ["a date that is none", () => defineResource("t://x").annotate({ lastModified: "soon" }), /ISO 8601/],
    ["half a byte", () => defineResource("t://x").size(0.5), /whole number of bytes, not 0.5/],
    ["a template's size", () => defineResource("t://{x}").size(1), /it is a template/],
    ["a list of one", () => defineResource("t://x").list(() => []), /leave \.list\(\) out/],
    ["a list that is none", () => defineResource("t://{x}").list([] as never), /pass a function/],
    ["completion of a stranger", () => defineResource("t://{x}").complete({ y: () => [] } as never), /there is x/],
    ["completion of nothing", () => defineResource("t://x").complete({ y: () => [] } as never), /nothing to complete/],
    ["completion by a list", () => defineResource("t://{x}").complete({ x: ["a"] as never }), /pass a function/],
    ["a reader that is none", () => defineResource("t://x").read("text" as never), /\.read\(\) takes a function/],
  ] as const
) {
  test(`defineResource() refuses ${name} where it is defined`, () => throws(define, reason));
}

test("createServer() refuses a resource that is not finished, and two of one URI", () => {
  throws(() => createServer({ tools: [], resources: [defineResource("t://x") as never] }), /end its definition with/);
  throws(() => createServer({ tools: [], resources: [readme, undefined as never] }), /what defineResource\(…\) gives/);
  throws(() => createServer({ tools: [], resources: [readme, readme] }), /two resources are "docs:\/\/readme"/);
});

test("each step returns a new builder and leaves the old one as it was", async () => {
  const start = defineResource("t://{x}");
  start.title("Other").name("other").list(() => [{ variables: { x: "1" } }]).complete({ x: () => [] });
  const { catalog } = new CatalogBench({ resources: [start.read(() => "")] });
  deepStrictEqual(catalog.templatesFor(undefined), [{ uriTemplate: "t://{x}", name: "t://{x}" }]);
  deepStrictEqual(await valueOf(catalog.listResources(from())), []);
  strictEqual(catalog.canComplete, false);
});
