import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { z } from "zod";
import { createServer, Failure } from "../../../mod.ts";
import { assistant, content, definePrompt, user } from "../../../src/entries/mcp.ts";
import { assertMasked, assertRefused } from "../dispatch/harness.ts";
import { CatalogBench, from, valueOf } from "./harness.ts";

/** The builder, as JavaScript sees it. */
type Untyped = { handle(handler: () => string): unknown };

const hello = definePrompt("hello").describe("Say hello").handle(() => "Hello!");
const review = definePrompt("review")
  .describe("Review code")
  .input(v.object({
    code: v.pipe(v.string(), v.title("Code"), v.description("What to review")),
    lines: v.optional(v.pipe(v.string(), v.toNumber()), "10"),
  }))
  .handle(({ code, lines }) => [user(`${lines + 1} lines of ${code}`), assistant("Gladly")]);

test("a prompt is listed with the members of its definition, and no others", () => {
  const full = definePrompt("full")
    .title("Full")
    .describe("Everything")
    .icons([{ src: "data:image/png;base64,AA==" }])
    .meta({ "example.com/a": 1 })
    .handle(() => "");
  const { catalog } = new CatalogBench({ prompts: [hello, review, full] });
  deepStrictEqual(catalog.promptsFor(undefined), [
    { name: "hello", description: "Say hello" },
    {
      name: "review",
      description: "Review code",
      arguments: [
        { name: "code", title: "Code", description: "What to review", required: true },
        { name: "lines", required: false },
      ],
    },
    {
      name: "full",
      title: "Full",
      description: "Everything",
      icons: [{ src: "data:image/png;base64,AA==" }],
      _meta: { "example.com/a": 1 },
    },
  ]);
  strictEqual(catalog.hasResources, false);
});

test("a handler may describe its messages; without that they have the description of the prompt", async () => {
  const described = definePrompt("described").describe("In general").input(v.object({ of: v.optional(v.string()) }))
    .handle(({ of }) => ({ messages: [user("Hi")], ...(of !== undefined && { description: `Of ${of}` }) }));
  const { catalog, log } = new CatalogBench({ prompts: [described] });
  const messages = [{ role: "user", content: { type: "text", text: "Hi" } }];
  deepStrictEqual(await valueOf(catalog.getPrompt("described", { of: "ada" }, from())), {
    description: "Of ada",
    messages,
  });
  deepStrictEqual(await valueOf(catalog.getPrompt("described", {}, from())), { description: "In general", messages });
  for (const wrong of [{ description: 5, messages: [user("Hi")] }, { description: "D" }, { messages: "Hi" }]) {
    const broken = definePrompt("broken").describe("B").handle(() => wrong as never);
    const bench = new CatalogBench({ prompts: [broken] });
    const masked = assertMasked(await bench.catalog.getPrompt("broken", {}, from()), bench.log);
    match(String(masked), /has to return text, messages .*, or \{ description, messages \}/);
  }
  strictEqual(log.lines.length, 0);
});

test("text is what the user says; messages are given as they are, one or several", async () => {
  const one = definePrompt("one").describe("One").handle(() => assistant(content.image("AA==", "image/png")));
  const { catalog } = new CatalogBench({ prompts: [hello, review, one] });
  const get = (name: string, args: unknown = {}) => valueOf(catalog.getPrompt(name, args, from()));
  deepStrictEqual(await get("hello"), {
    description: "Say hello",
    messages: [{ role: "user", content: { type: "text", text: "Hello!" } }],
  });
  deepStrictEqual(await get("review", { code: "x", lines: "2" }), {
    description: "Review code",
    messages: [
      { role: "user", content: { type: "text", text: "3 lines of x" } },
      { role: "assistant", content: { type: "text", text: "Gladly" } },
    ],
  });
  deepStrictEqual((await get("one")).messages, [
    { role: "assistant", content: { type: "image", data: "AA==", mimeType: "image/png" } },
  ]);
});

test("defaults are filled in, and what a prompt does not take is left out", async () => {
  const seen: unknown[] = [];
  const bare = definePrompt("bare").describe("Bare").handle((args) => {
    seen.push(args);
    return "";
  });
  const { catalog } = new CatalogBench({ prompts: [bare, review] });
  await valueOf(catalog.getPrompt("bare", { stray: "x" }, from()));
  deepStrictEqual(seen, [{}]);
  const { messages: [first] } = await valueOf(catalog.getPrompt("review", { code: "x" }, from()));
  deepStrictEqual(first, user("11 lines of x"));
});

for (
  const [name, args, path] of [
    ["nothing where something is required", {}, ["code"]],
    ["a number for text", { code: 5 }, ["code"]],
    ["a number for an argument nobody knows", { code: "x", other: 5 }, ["other"]],
    ["text that the schema makes nothing of", { code: "x", lines: "many" }, ["lines"]],
    ["null", null, []],
    ["an array", [], []],
  ] as const
) {
  test(`getPrompt() refuses ${name}, and says where`, async () => {
    const { catalog } = new CatalogBench({ prompts: [review] });
    const refusal = assertRefused(await catalog.getPrompt("review", args, from()), "invalid_input");
    const { issues } = refusal.data as { readonly issues: readonly { readonly path: unknown }[] };
    deepStrictEqual(issues[0]?.path, path);
  });
}

test("an unknown prompt is not found, with those there are and the nearest", async () => {
  const { catalog } = new CatalogBench({ prompts: [hello, review] });
  const refusal = assertRefused(await catalog.getPrompt("reviews", {}, from()), "prompt_not_found");
  deepStrictEqual(refusal.data, {
    requested_prompt: "reviews",
    available_prompts: ["hello", "review"],
    suggestion: "Did you mean 'review'?",
  });
  const far = assertRefused(await catalog.getPrompt("constructor", {}, from()), "prompt_not_found");
  strictEqual(
    (far.data as { readonly suggestion: string }).suggestion,
    "No similar prompt: list the prompts",
  );
});

test("a prompt asks its caller, and continues with the answer", async () => {
  const asking = definePrompt("asking").describe("Ask first").handle(async (_, ctx) => {
    const answer = await ctx.elicit("about", { message: "About what?", schema: v.object({ topic: v.string() }) });
    return answer.action === "accept" ? `Write about ${answer.content.topic}` : "Write";
  });
  const keys = "k1:a secret of at least thirty-two bytes";
  const { catalog } = new CatalogBench({ prompts: [asking], keys });
  const asked = await catalog.getPrompt("asking", {}, from());
  ok(asked.kind === "elicitation");
  const responses = { about: { action: "accept", content: { topic: "tea" } } };
  // Another replica continues the call.
  const other = new CatalogBench({ prompts: [asking], keys });
  const { messages } = await valueOf(
    other.catalog.getPrompt("asking", {}, from({ continuation: asked.continuation, responses })),
  );
  deepStrictEqual(messages, [user("Write about tea")]);
  assertRefused(
    await catalog.getPrompt("asking", {}, from({ continuation: `${asked.continuation}x`, responses })),
    "invalid_continuation",
  );
});

test("what a prompt throws is a failure or masked, and what it returns is checked", async () => {
  const odd = [5, {}, [{}], { role: "system", content: content.text("x") }, { role: "user", content: "x" }, undefined];
  const prompts = [
    definePrompt("fails").describe("Fail").handle(() => {
      throw new Failure("tired", "Too tired", { since: 5 });
    }),
    definePrompt("breaks").describe("Break").handle(() => Promise.reject(new Error("a secret"))),
    ...odd.map((answer, at) => definePrompt(`odd_${at}`).describe("Odd").handle(() => answer as never)),
  ];
  const bench = new CatalogBench({ prompts });
  const failed = await bench.catalog.getPrompt("fails", {}, from());
  ok(failed.kind === "failure");
  deepStrictEqual([failed.code, failed.data], ["tired", { since: 5 }]);
  strictEqual(
    String(assertMasked(await bench.catalog.getPrompt("breaks", {}, from()), bench.log)),
    "Error: a secret",
  );
  for (const at of odd.keys()) {
    match(
      String(assertMasked(await bench.catalog.getPrompt(`odd_${at}`, {}, from()), bench.log)),
      /has to return text, messages/,
    );
  }
});

test("promises and idempotency keys mean nothing to prompts", async () => {
  const { catalog } = new CatalogBench({ prompts: [hello] });
  await valueOf(catalog.getPrompt("hello", {}, from({ isPromiseWanted: true, idempotencyKey: "k" })));
});

test("any Standard Schema says what a prompt takes", async () => {
  const prompt = definePrompt("zod").describe("By zod").input(
    z.object({ a: z.string(), b: z.enum(["x", "y"]).optional() }),
  )
    .handle(({ a, b }) => `${a} ${b}`);
  const { catalog } = new CatalogBench({ prompts: [prompt] });
  deepStrictEqual(catalog.promptsFor(undefined)[0]?.arguments?.map(({ name, required }) => [name, required]), [
    ["a", true],
    ["b", false],
  ]);
  assertRefused(await catalog.getPrompt("zod", { a: "1", b: "z" }, from()), "invalid_input");
});

for (
  const [name, schema] of [
    ["text", v.string()],
    ["optional text", v.optional(v.string())],
    ["text that becomes a number", v.pipe(v.string(), v.toNumber())],
    ["one of several texts", v.picklist(["a", "b"])],
    ["a literal", v.literal("a")],
    ["text or null", v.nullable(v.string())],
    ["text or a number", v.union([v.number(), v.string()])],
    ["anything", v.unknown()],
  ] as const
) {
  test(`an argument may be ${name}`, () => {
    ok(definePrompt("x").describe("x").input(v.object({ a: schema })).handle(() => ""));
  });
}

for (
  const [name, define, reason] of [
    ["a name with a slash", () => definePrompt("a/b"), /Cannot define prompt "a\/b"/],
    ["no name", () => definePrompt(undefined as never), /Cannot define prompt/],
    ["an empty description", () => definePrompt("x").describe(" "), /cannot be empty/],
    ["no description", () => (definePrompt("x") as unknown as Untyped).handle(() => ""), /call \.describe/],
    ["a handler that is none", () => definePrompt("x").describe("x").handle("text" as never), /takes a function/],
    [
      "a number",
      () => definePrompt("x").input(v.object({ a: v.number() })),
      /does not accept a string for "a"/,
    ],
    ["a literal number", () => definePrompt("x").input(v.object({ a: v.literal(5) })), /does not accept a string/],
    [
      "numbers to choose from",
      () => definePrompt("x").input(v.object({ a: v.picklist([1, 2]) })),
      /does not accept a string/,
    ],
    ["a list", () => definePrompt("x").input(v.object({ a: v.array(v.string()) })), /does not accept a string/],
    ["a date", () => definePrompt("x").input(v.object({ a: v.date() })), /cannot become JSON Schema/],
    ["arguments without names", () => definePrompt("x").input(v.string()), /must be an object/],
    ["no schema", () => definePrompt("x").input({} as never), /is an empty object/],
    ["completion of a stranger", () => definePrompt("x").complete({ a: () => [] } as never), /nothing to complete/],
  ] as const
) {
  test(`definePrompt() refuses ${name} where it is defined`, () => throws(define, reason));
}

test("createServer() refuses a prompt that is not finished, and two of one name", () => {
  throws(() => createServer({ tools: [], prompts: [definePrompt("x") as never] }), /end its definition with/);
  throws(() => createServer({ tools: [], prompts: [hello, hello] }), /two prompts are "hello"/);
});

test("a server without resources and prompts has no catalog", () => {
  strictEqual(new CatalogBench({}).host.catalog, undefined);
  strictEqual(new CatalogBench({ prompts: [], resources: [] }).host.catalog, undefined);
});
