/** Budgets of answers: where lists and texts are cut, what handles are bound to, and which definitions are refused. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as v from "../../../../src/entries/schema.ts";
import { createServer, defineTool, type Middleware } from "../../../../mod.ts";
import { budget, type BudgetOptions, cursorOf } from "../../../../src/entries/answers.ts";
import { cache } from "../../../../src/entries/middleware.ts";
import { estimateTextTokens } from "../../../../src/internal/token_estimate.ts";
import { FakeClock, testClient } from "../../../../src/entries/testing.ts";

const KEYS = "k1:a secret that all of these replicas know";
const READ_ONLY = { readOnlyHint: true } as const;

interface Page {
  readonly items?: readonly unknown[];
  readonly text?: string;
  readonly total?: number;
  readonly more?: string;
}

/** The tool `list`, whose handler returns a value, on a separate server. */
function createReplica(options: BudgetOptions, value: unknown, extra: object = {}) {
  const list = defineTool("list").describe("List").annotate(READ_ONLY).answer(budget(options))
    .handle(() => structuredClone(value) as unknown[] | string);
  return createServer({ tools: [list], keys: KEYS, logger: false, ...extra });
}

const LEFT_OUT = "an item that is over the budget";

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly more?: string };
}

async function refusal(call: Promise<unknown>): Promise<Refusal> {
  return await call.then(() => Promise.reject(new Error("It was not refused")), (error) => error as Refusal);
}

/** A page, or what follows an item that is over the budget. */
async function pageOf(call: Promise<unknown>): Promise<Page> {
  return await call.catch(({ code, details }: Refusal) => {
    if (code !== "result_too_large") throw new Error(code);
    return { ...details };
  }) as Page;
}

/** All pages, each from a new replica with the same keys, as after a restart. */
async function allPages(options: BudgetOptions, value: unknown): Promise<readonly Page[]> {
  const pages: Page[] = [await pageOf(testClient(createReplica(options, value)).list())];
  for (let { more } = pages[0] as Page; more !== undefined; more = pages.at(-1)?.more) {
    const client = testClient(createReplica(options, value));
    pages.push(await pageOf(client.$.call("more", { handle: more })));
    ok(pages.length < 2_000);
  }
  return pages;
}

function sizeOf({ maxTokens }: BudgetOptions, page: Page): number {
  const text = JSON.stringify(page);
  return maxTokens === undefined ? text.length : estimateTextTokens(text);
}

const anyBudget = fc.oneof(
  fc.record({ maxTokens: fc.integer({ min: 1_000, max: 3_000 }) }),
  fc.record({ maxChars: fc.integer({ min: 4_000, max: 9_000 }) }),
);
const maxOf = ({ maxTokens, maxChars = 0 }: BudgetOptions) => maxTokens ?? maxChars;

test("pages hold each item that fits exactly once, in order, within the budget, at ever new replicas", async () => {
  const anyItem = fc.oneof(
    fc.nat(),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constant(null),
    fc.record({ id: fc.uuid(), note: fc.nat(300).map((length) => "note, ".repeat(length)) }),
    // Larger than any budget.
    fc.nat(3).map((more) => "ab ".repeat(12_000 + more)),
  );
  const isLarge = (item: unknown) => typeof item === "string" && item.length > 30_000;
  await fc.assert(
    fc.asyncProperty(anyBudget, fc.array(anyItem, { maxLength: 20 }), async (options, items) => {
      const pages = await allPages(options, items);
      const given = pages.flatMap((page) => page.items ?? [LEFT_OUT]);
      deepStrictEqual(given, JSON.parse(JSON.stringify(items.map((item) => isLarge(item) ? LEFT_OUT : item))));
      for (const page of pages.filter((page) => page.items !== undefined)) {
        strictEqual(page.total, items.length);
        ok(sizeOf(options, page) <= maxOf(options));
      }
    }),
    { seed: 18, numRuns: 15 },
  );
});

test("an item that is over the budget is refused by its place, with a handle of what follows", async () => {
  const client = testClient(
    createReplica({ maxChars: 4_000 }, ["small", "x".repeat(5_000), "last", "y".repeat(4_500)]),
  );
  const { items, more } = await client.list() as Page;
  deepStrictEqual(items, ["small"]);
  const refused = await refusal(client.$.call("more", { handle: more }));
  strictEqual(refused.code, "result_too_large");
  strictEqual(
    refused.message,
    "Item 2 alone is over the budget of this answer: request a part of it, or skip it with the handle `more` of this error",
  );
  const { items: last, more: then } = await client.$.call("more", { handle: refused.details?.more }) as Page;
  deepStrictEqual(last, ["last"]);
  strictEqual((await refusal(client.$.call("more", { handle: then }))).details?.more, undefined);
});

test("parts of a text give the text, within the budget, cut at lines that fit", async () => {
  const anyLine = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom("", "\n\n\n", "\r"),
    fc.nat(5_000).map((length) => "😀".repeat(length)),
  );
  await fc.assert(
    fc.asyncProperty(anyBudget, fc.array(anyLine, { maxLength: 30 }), async (options, lines) => {
      const text = lines.join("\n");
      const pages = await allPages(options, text);
      strictEqual(pages.map((page) => page.text).join(""), text);
      for (const page of pages) {
        strictEqual(page.total, text.length);
        ok(sizeOf(options, page) <= maxOf(options));
        ok(page.more === undefined || page.text !== "");
        // No part begins with the second half of a surrogate pair that the cut would have divided.
        ok(!/^[\udc00-\udfff]/.test(page.text ?? "") || /(^|[^\ud800-\udbff])[\udc00-\udfff]/.test(text));
      }
    }),
    { seed: 18, numRuns: 15 },
  );
});

test("a page is as full as its budget allows", async () => {
  const rows = Array.from({ length: 500 }, (_, id) => ({ id, title: `Row ${id}` }));
  for (const options of [{ maxTokens: 2_000 }, { maxChars: 8_000 }]) {
    const pages = await allPages(options, rows);
    for (const page of pages.slice(0, -1)) ok(sizeOf(options, page) > maxOf(options) * 0.95);
  }
});

test("a handle expires after an hour", async () => {
  const clock = new FakeClock();
  const client = testClient(createReplica({ maxChars: 4_000 }, Array(5_000).fill("row"), { clock }));
  const { more: handle } = await client.list() as Page;
  clock.tick(3_500_000);
  ok((await client.$.call("more", { handle }) as Page).items);
  clock.tick(200_000);
  await rejects(() => client.$.call("more", { handle }), {
    code: "invalid_continuation",
    message: "Not a handle of an answer to this caller, or no longer: call the tool again, without the handle",
  });
});

test("a handle is of its tool, revision and keys", async () => {
  const options = { maxChars: 4_000 };
  const rows = Array(5_000).fill("row");
  const { more: handle } = await testClient(createReplica(options, rows)).list() as Page;
  const list = defineTool("list").describe("List").annotate(READ_ONLY);
  const refused = { code: "invalid_continuation" };
  for (
    const [tools, keys] of [
      [[list.revision("2").answer(budget(options)).handle(() => rows)], KEYS],
      // The tool has no budget any more.
      [[
        list.handle(() => rows),
        defineTool("other").describe("O").annotate(READ_ONLY).answer(budget(options)).handle(() => rows),
      ], KEYS],
      [[list.answer(budget(options)).handle(() => rows)], "k1:another secret of the same id and at least as long"],
      [[defineTool("other").describe("O").annotate(READ_ONLY).answer(budget(options)).handle(() => rows)], KEYS],
    ] as const
  ) {
    const client = testClient(createServer({ tools, keys, logger: false }));
    await rejects(() => client.$.call("more", { handle }), refused);
  }
});

test("other tokens of the server are not handles, and handles are not continuations", async () => {
  const asking = defineTool("ask").describe("Ask").handle(async (_, ctx) => {
    const answer = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
    return answer.action;
  });
  const list = defineTool("list").describe("List").annotate(READ_ONLY).answer(budget({ maxChars: 4_000 }))
    .handle(() => Array(5_000).fill("row"));
  const client = testClient(createServer({ tools: [asking, list], keys: KEYS, logger: false }));
  const outcome = await client.ask.outcome();
  ok(outcome.kind === "elicitation");
  await rejects(() => client.$.call("more", { handle: outcome.continuation }), { code: "invalid_continuation" });
  const { more } = await client.list();
  await rejects(() => client.list({}, { meta: { continuation: more } }), { code: "invalid_continuation" });
});

test("the tool runs again with its middleware, its arguments and its questions; its cursor is the handler's", async () => {
  const seen: unknown[] = [];
  const record: Middleware = (ctx, next) => {
    seen.push([ctx.tool.name, ctx.call.args]);
    return next();
  };
  const list = defineTool("list").describe("List").input(v.object({ n: v.optional(v.number(), 3) })).annotate(READ_ONLY)
    .use(record).answer(budget({ maxChars: 4_000 })).handle(({ n }, ctx) => {
      const from = cursorOf(ctx) as { from: number } | undefined;
      seen.push([n, from]);
      return { items: [from?.from ?? 0], ...(from === undefined && { next: { from: n } }) };
    });
  const client = testClient(createServer({ tools: [list], keys: KEYS, logger: false }));
  const items: number[] = [];
  for await (const item of client.list.items({})) items.push(item);
  deepStrictEqual(items, [0, 3]);
  deepStrictEqual(seen, [["list", {}], [3, undefined], ["list", {}], [3, { from: 3 }]]);
});

test("a cache does not give the first page for the following ones", async () => {
  const rows = Array.from({ length: 3_000 }, (_, id) => id);
  const list = defineTool("list").describe("List").annotate(READ_ONLY).use(cache({ ttlMs: 60_000 }))
    .answer(budget({ maxChars: 4_000 })).handle(() => rows);
  const client = testClient(createServer({ tools: [list], keys: KEYS, logger: false }));
  const items: number[] = [];
  for await (const id of client.list.items()) {
    items.push(id);
    // The same page again and again would never end.
    if (items.length > rows.length) break;
  }
  deepStrictEqual(items, rows);
});

test("arguments that are too long for a handle are an error only if the answer is cut", async () => {
  const list = defineTool("list").describe("List").input(v.object({ filter: v.string(), count: v.number() }))
    .annotate(READ_ONLY).answer(budget({ maxChars: 4_000 })).handle(({ count }) => Array<string>(count).fill("row"));
  const client = testClient(createServer({ tools: [list], keys: KEYS, logger: false }));
  for (const length of [3_000, 40_000]) {
    const filter = "x".repeat(length);
    strictEqual((await client.list({ filter, count: 9 })).items.length, 9);
    await rejects(() => client.list({ filter, count: 5_000 }), {
      code: "result_too_large",
      message: "The answer is over its budget, and the arguments are too long for a handle",
    });
  }
});

test("a server lists `more` once, if a tool has a budget, and the page as the output", () => {
  const base = defineTool("a").describe("A").annotate(READ_ONLY);
  const tools = [
    base.output(v.array(v.number())).answer(budget({ maxTokens: 9_000 })).handle(() => [1]),
    defineTool("b").describe("B").annotate(READ_ONLY).output(v.string()).answer(budget({ maxChars: 900_000 }))
      .handle(() => "b"),
  ] as const;
  const server = createServer({ tools, keys: KEYS });
  deepStrictEqual(server.tools.map(({ name }) => name), ["a", "b", "more"]);
  const [a, b] = server.tools;
  deepStrictEqual(a?.outputSchema?.["properties"], {
    items: { type: "array", items: { type: "number" } },
    total: { type: "integer", description: "Number of all items" },
    more: { type: "string", description: "Handle of what follows, for the tool `more`; absent at the end" },
    note: { type: "string", description: "Which part this is, and how to get less" },
    changed: { const: true, description: "What comes before this page has changed since the page before" },
  });
  deepStrictEqual([a._meta, b?._meta], [
    { "anthropic/maxResultSizeChars": 54_000 },
    { "anthropic/maxResultSizeChars": 500_000 },
  ]);
  deepStrictEqual(createServer({ tools: [base.handle(() => 1)] }).tools.map(({ name }) => name), ["a"]);
  throws(
    () => createServer({ tools: [tools[0], defineTool("more").describe("M").handle(() => 1)] }),
    { name: "TypeError", message: 'Cannot create server: "more" is reserved; rename your tool' },
  );
});

test("budgets and tools that cannot have one are refused, with the reason", () => {
  throws(() => budget({}), /^TypeError: Cannot limit answers: pass either maxTokens or maxChars$/);
  throws(() => budget({ maxTokens: 1_000, maxChars: 4_000 }), /^TypeError: .*pass either/);
  throws(
    () => budget({ maxTokens: 999 }),
    /^RangeError: Cannot limit answers: maxTokens must be at least 1000, not 999$/,
  );
  throws(() => budget({ maxChars: 3_999 }), /^RangeError: .*at least 4000/);
  throws(() => budget({ maxToken: 1 } as object), /^TypeError: .*did you mean "maxTokens"/);
  const limit = budget({ maxTokens: 1_000 });
  const base = defineTool("t").describe("T");
  const readOnly = base.annotate(READ_ONLY);
  const refused = (define: () => unknown, reason: RegExp) =>
    throws(
      define,
      (error: Error) => error.name === "TypeError" && reason.test(error.message) && /tool "t"/.test(error.message),
    );
  refused(() => base.answer(limit).handle(() => []), /it runs again for each page, so it needs .*readOnlyHint/);
  refused(() => readOnly.promise().answer(limit).handle(() => []), /promises/);
  refused(() => readOnly.answer(limit).handle((async function* () {}) as never), /streams/);
  refused(() => readOnly.output(v.object({})).answer(limit).handle((() => ({})) as never), /a list or a text/);
  refused(
    () => readOnly.output(v.pipe(v.array(v.number()), v.minLength(2))).answer(limit).handle(() => [1, 2]),
    /minimum length/,
  );
});

test("an answer that is not a list or text, and an item that does not fit the schema, are masked", async () => {
  const base = defineTool("t").describe("T").annotate(READ_ONLY);
  for (
    const tool of [
      base.answer(budget({ maxTokens: 1_000 })).handle((() => 5) as never),
      base.output(v.array(v.number())).answer(budget({ maxTokens: 1_000 })).handle((() => [1, "2"]) as never),
      base.output(v.string()).answer(budget({ maxTokens: 1_000 })).handle((() => [1]) as never),
    ]
  ) {
    await rejects(() => testClient(createServer({ tools: [tool], logger: false })).$.call("t"), { code: "internal" });
  }
});
