import { deepStrictEqual, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type AnyTool, createServer, defineTool, type Middleware } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { definePrompt, defineResource } from "../../../src/entries/mcp.ts";
import type { ToolListing } from "../../../src/entries/wire.ts";

/** How a tool is listed. */
function listingOf(tool: AnyTool): ToolListing {
  const [listing] = createServer({ tools: [tool] }).tools;
  ok(listing !== undefined);
  return listing;
}

const label = 'tool "t"';

for (
  const name of [
    "a",
    "A",
    "9",
    "_",
    ".",
    "-",
    "..",
    "search_documents",
    "a.b-c_D9",
    "constructor",
    "__proto__",
    "hasOwnProperty",
    "x".repeat(64),
  ]
) {
  test(`defineTool() takes the name ${name.slice(0, 20)}`, async () => {
    const server = createServer({ tools: [defineTool(name).describe("T").handle(() => "here")] });
    strictEqual(server.tools[0]?.name, name);
    strictEqual(await testClient(server).$.call(name), "here");
  });
}

const BAD_NAMES: readonly unknown[] = [
  "",
  " ",
  "a b",
  "a/b",
  "a\n",
  "\na",
  "é",
  "a:b",
  "$",
  "a$",
  "x".repeat(65),
  "😀",
  "a\0",
  undefined,
  null,
  42,
  ["a"],
];
for (const name of BAD_NAMES) {
  test(`defineTool() refuses the name ${JSON.stringify(name)?.slice(0, 20)}`, () => {
    throws(() => defineTool(name as string), (error: unknown) => {
      ok(error instanceof TypeError);
      strictEqual(
        error.message,
        `Cannot define tool ${JSON.stringify(name)}: a name is 1 to 64 of the characters A-Z a-z 0-9 _ . -`,
      );
      return true;
    });
  });
}

test("defineTool() refuses names that JavaScript calls by itself, and takes their neighbours", () => {
  for (const name of ["then", "toJSON", "toString", "valueOf"]) {
    throws(() => defineTool(name), {
      name: "TypeError",
      message: `Cannot define tool "${name}": JavaScript reads members of that name; choose another name`,
    });
  }
  for (const name of ["Then", "then.", "catch", "finally"]) defineTool(name);
});

for (const description of ["", " ", "\n\t", undefined, null, 5, ["x"]]) {
  test(`describe() refuses ${JSON.stringify(description)}`, () => {
    throws(() => defineTool("t").describe(description as string), {
      name: "TypeError",
      message: `Cannot describe ${label}: callers choose tools by their description, so it cannot be empty`,
    });
  });
}

const tool = (): Record<string, (value: unknown) => unknown> => defineTool("t").describe("T") as never;
for (
  const [method, value, expected] of [
    ["visibleTo", true, "a function, not true"],
    // A rule that is missing would show the tool to every caller.
    ["visibleTo", undefined, "a function, not undefined"],
    ["render", {}, "a function, not an object"],
    ["examples", { input: {} }, "an array of { input, output? }, not an object"],
    ["meta", 5, "an object, not 5"],
    ["meta", "xy", 'an object, not "xy"'],
    ["errors", 5, "an object of schemas, or null, by code, not 5"],
    ["errors", undefined, "an object of schemas, or null, by code, not undefined"],
    ["errors", ["locked"], "an object of schemas, or null, by code, not this array"],
    ["revision", 2, "text that is not empty, not 2"],
    ["revision", undefined, "text that is not empty, not undefined"],
    ["unknownArguments", "strict", '"suggest" or "refuse" or "drop", not "strict"'],
  ] as const
) {
  test(`${method}() refuses ${JSON.stringify(value) ?? "undefined"}`, () => {
    throws(() => tool()[method]?.(value), {
      message: `Cannot define ${label}: ${method} must be ${expected}`,
    });
  });
}

test("external() refuses a cancel that is not a function", () => {
  throws(() => tool()["external"]?.({ start: () => ({}), check: () => null, cancel: true }), {
    message: `Cannot finish ${label}: .external() takes { start, check, cancel? }, functions`,
  });
});

test("meta() of prompts and resources refuses what is not an object", () => {
  const loose = (builder: unknown): { meta(value: unknown): unknown } => builder as never;
  throws(() => loose(definePrompt("p")).meta(5), {
    message: 'Cannot define prompt "p": meta must be an object, not 5',
  });
  throws(() => loose(defineResource("a:b")).meta("xy"), {
    message: 'Cannot define resource "a:b": meta must be an object, not "xy"',
  });
});

for (const timeoutMs of ["30", 0, -1, -0, Number.NaN, Number.NEGATIVE_INFINITY, undefined, "soon"]) {
  test(`timeout() refuses ${String(timeoutMs)}`, () => {
    throws(() => defineTool("t").timeout(timeoutMs as number), {
      name: "RangeError",
      message: `Cannot set the timeout of ${label}: it must be a number above 0, not ${String(timeoutMs)}`,
    });
  });
}

test("handle() before describe() fails in untyped JavaScript too, with a sentence", () => {
  const untyped = defineTool("t") as unknown as { handle(handler: () => unknown): unknown };
  throws(() => untyped.handle(() => 1), {
    name: "TypeError",
    message: `Cannot finish ${label}: call .describe("…") before .handle(…), callers choose tools by it`,
  });
});

for (const handler of [undefined, null, "x", {}, 5]) {
  test(`handle() refuses ${JSON.stringify(handler)}`, () => {
    throws(() => defineTool("t").describe("T").handle(handler as unknown as () => unknown), {
      name: "TypeError",
      message: `Cannot finish ${label}: .handle() takes a function`,
    });
  });
}

test("each step returns a new builder and leaves the old one as it was", async () => {
  const base = defineTool("t").describe("Base");
  const noop: Middleware = (_, next) => next();
  const steps = [
    base.describe("Other"),
    base.type("query"),
    base.title("T"),
    base.input(v.object({})),
    base.output(v.string()),
    base.partial(v.string()),
    base.errors({ gone: null }),
    base.annotate({ readOnlyHint: true }),
    base.meta({ a: 1 }),
    base.timeout(5),
    base.use(noop),
    base.render(() => ""),
  ];
  for (const step of steps) notStrictEqual(step, base);
  const tool = base.handle((args) => args);
  deepStrictEqual(listingOf(tool), { name: "t", description: "Base", inputSchema: { type: "object" } });
  deepStrictEqual(await testClient(createServer({ tools: [tool] })).t({ any: 1 }), { any: 1 });
});

test("a builder can be forked: two tools of one beginning do not see each other", async () => {
  const base = defineTool("t").describe("T").annotate({ readOnlyHint: true }).meta({ team: "a" }).use((ctx, next) => {
    ctx.state["base"] = true;
    return next();
  });
  const one = base.annotate({ idempotentHint: true }).meta({ one: 1 }).errors({ one: null }).handle((_, ctx) => {
    throw ctx.fail("one", "One");
  });
  const two = base.type("action").meta({ team: "b" }).use(() => ({ kind: "answer", value: "short" })).handle((_, ctx) =>
    ctx.state["base"]
  );
  deepStrictEqual(listingOf(one), {
    name: "t",
    description: "T",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true, idempotentHint: true },
    _meta: { team: "a", one: 1, "toolwire/contract": { errors: { one: null } } },
  });
  deepStrictEqual(listingOf(two), {
    name: "t",
    "@type": "action",
    description: "T",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    _meta: { team: "b" },
  });
  strictEqual(await testClient(createServer({ tools: [two] })).t(), "short");
  strictEqual((await testClient(createServer({ tools: [one] })).t.outcome()).kind, "failure");
});

test("annotate() and meta() merge member by member, the later wins", () => {
  const tool = defineTool("t").describe("T")
    .annotate({ title: "a", readOnlyHint: true }).annotate({ title: "b", destructiveHint: false })
    .meta({ a: 1, b: { deep: 1 } }).meta({ b: { other: 2 } })
    .handle(() => null);
  const { annotations, _meta } = listingOf(tool);
  deepStrictEqual(annotations, { title: "b", readOnlyHint: true, destructiveHint: false });
  deepStrictEqual(_meta, { a: 1, b: { other: 2 } });
});

test("annotate() and meta() copy what they are given", () => {
  const annotations = { readOnlyHint: true };
  const members = { a: 1 };
  const tool = defineTool("t").describe("T").annotate(annotations).meta(members).handle(() => null);
  annotations.readOnlyHint = false;
  members.a = 2;
  const listing = listingOf(tool);
  deepStrictEqual([listing.annotations, listing._meta], [{ readOnlyHint: true }, { a: 1 }]);
});

test("errors() twice: the later declaration counts", async () => {
  const tool = defineTool("t").describe("T").errors({ a: null }).errors({ b: null }).handle((_, ctx) => {
    throw ctx.fail("b", "B");
  });
  const outcome = await testClient(createServer({ tools: [tool] })).t.outcome();
  strictEqual(outcome.kind === "failure" && outcome.code, "b");
});

test("a listing has every member, in the specification's order, and only those that were set", () => {
  const tool = defineTool("full")
    .describe("Everything")
    .meta({ a: 1 })
    .annotate({ readOnlyHint: true })
    .output(v.array(v.string()))
    .input(v.object({ q: v.string() }))
    .title("Full")
    .type("query")
    .handle(() => []);
  strictEqual(
    JSON.stringify(listingOf(tool)),
    JSON.stringify({
      name: "full",
      "@type": "query",
      title: "Full",
      description: "Everything",
      inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
      outputSchema: { type: "array", items: { type: "string" } },
      annotations: { readOnlyHint: true },
      _meta: { a: 1 },
    }),
  );
  deepStrictEqual(Object.keys(listingOf(defineTool("bare").describe("B").handle(() => 1))), [
    "name",
    "description",
    "inputSchema",
  ]);
});
