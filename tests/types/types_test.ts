/**
 * What the types say. Checked by `npm run check`; each positive case has the negative one beside it, as `@ts-expect-error`.
 * At run time the same calls are made, so that types and values cannot part.
 */
import { ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "../../src/entries/schema.ts";
import { z } from "zod";
import {
  type AnswerOutcome,
  type AnyTool,
  type CallResult,
  type Client,
  createClient,
  createServer,
  defineTool,
  Failure,
  type FailureOutcome,
  type InferErrors,
  type InferInput,
  type InferOutput,
  type InferPartial,
  type ListedTool,
  memoryEngine,
  memoryTransport,
  type Middleware,
  type Progress,
  type PromiseOutcome,
  type QuestionsResult,
  type ServerOptions,
  type ToolStream,
  type UnknownOutcome,
} from "../../mod.ts";
import { budget, type ItemsPage, type TextPage } from "../../src/entries/answers.ts";
import type { Engine } from "../../src/entries/engines.ts";
import { type Clock, FakeClock, testClient } from "../../src/entries/testing.ts";
import { type Equal, expectType } from "./equal.ts";

const Search = v.object({ query: v.string(), limit: v.optional(v.pipe(v.number(), v.integer()), 10) });

const search = defineTool("search").describe("Search").input(Search).handle((input, ctx) => {
  expectType<Equal<typeof input, { query: string; limit: number }>>(true);
  expectType<Equal<typeof ctx.signal, AbortSignal>>(true);
  // @ts-expect-error: nothing is declared, so nothing can be failed with
  const fail = () => ctx.fail("locked", "Locked");
  return [{ title: input.query, fail: typeof fail, rank: input.limit }];
});
const declared = defineTool("declared").describe("Declared").input(v.object({ n: v.optional(v.number()) })).output(
  v.object({ at: v.string(), n: v.optional(v.number()) }),
)
  .handle(({ n }) => ({ at: "now", ...(n !== undefined && { n }) }));
const limit = budget({ maxTokens: 1_000 });
const pagedList = defineTool("paged_list").describe("P").input(Search).output(v.array(v.object({ id: v.number() })))
  .annotate({ readOnlyHint: true }).answer(limit).handle(({ query }) => [{ id: query.length }]);
expectType<Equal<InferOutput<typeof pagedList>, ItemsPage<{ id: number }>>>(true);
const pagedText = defineTool("paged_text").describe("P").annotate({ readOnlyHint: true }).answer(limit)
  .handle(async () => await Promise.resolve("text"));
expectType<Equal<InferOutput<typeof pagedText>, TextPage>>(true);
const pagedParts = defineTool("paged_parts").describe("P").annotate({ readOnlyHint: true }).answer(limit)
  .handle(() => ({ items: [1], next: 2 }));
expectType<Equal<InferOutput<typeof pagedParts>, ItemsPage<number>>>(true);
test("items() has the type of an item", async () => {
  const client = testClient(createServer({ tools: [pagedList, pagedText] }));
  for await (const item of client.paged_list.items({ query: "ab" })) {
    expectType<Equal<typeof item, { id: number }>>(true);
  }
  for await (const text of client.paged_text.items()) expectType<Equal<typeof text, string>>(true);
  // @ts-expect-error: the argument is missing
  await rejects(async () => await client.paged_list.items({}).next());
});
defineTool("paged").describe("P").output(v.array(v.number())).annotate({ readOnlyHint: true }).answer(limit)
  // @ts-expect-error: the items are numbers
  .handle(() => ["a"]);
defineTool("examples").describe("Examples").input(Search).output(v.string())
  .examples([{ input: { query: "a" } }, { input: { query: "a", limit: 1 }, output: "b" }]).handle(({ query }) => query);
throws(() =>
  // @ts-expect-error: the example lacks an argument
  defineTool("examples").describe("E").input(Search).examples([{ input: { limit: 1 } }]).handle(() => 1)
);
throws(() =>
  // @ts-expect-error: the example's output is not the declared one
  defineTool("examples").describe("E").output(v.string()).examples([{ input: {}, output: 5 }]).handle(() => "x")
);
const bare = defineTool("bare").describe("Bare").handle((input) => {
  expectType<Equal<typeof input, Record<string, unknown>>>(true);
  return 5 as const;
});
const empty = defineTool("empty").describe("Empty").input(v.object({})).handle(async () => await Promise.resolve("x"));
const transformed = defineTool("transformed").describe("Transformed").input(
  v.object({ n: v.pipe(v.string(), v.transform(Number)) }),
).handle(({ n }) => {
  expectType<Equal<typeof n, number>>(true);
  return n;
});
const joinedText = defineTool("joined_text").describe("Joined text").handle(async function* () {
  yield "a";
  yield "b";
});
const joinedArray = defineTool("joined_array").describe("Joined array").handle(async function* () {
  yield 1;
  yield 2;
});
const whole = defineTool("whole").describe("Whole").handle(async function* () {
  yield { line: 1 };
  return true;
});
const pieces = defineTool("pieces").describe("Pieces").partial(v.string()).output(v.string()).handle(
  async function* () {
    yield "a";
    return "whole";
  },
);
const quiet = defineTool("quiet").describe("Quiet").partial(v.string()).output(v.string()).handle(async function* () {
  yield "a";
  yield "b";
});
const locking = defineTool("locking").describe("Locking")
  .input(v.object({ id: v.string() }))
  .errors({ locked: v.object({ by: v.string() }), gone: null, maybe: v.optional(v.number()) })
  .handle(({ id }, ctx) => {
    if (id === "locked") throw ctx.fail("locked", "Locked", { by: "batch" });
    if (id === "gone") throw ctx.fail("gone", "Gone");
    if (id === "maybe") throw ctx.fail("maybe", "Maybe");
    const failure = ctx.fail("maybe", "Maybe", 5);
    expectType<Equal<typeof failure, Failure<"maybe", number | undefined>>>(true);
    // Never called: these are for the compiler.
    const wrong = () => {
      // @ts-expect-error: this code was not declared
      ctx.fail("other", "Other");
      // @ts-expect-error: its data is missing
      ctx.fail("locked", "Locked");
      // @ts-expect-error: its data does not fit
      ctx.fail("locked", "Locked", { by: 5 });
      // @ts-expect-error: it was declared without data
      ctx.fail("gone", "Gone", { by: "x" });
      // @ts-expect-error: a failure has a message
      ctx.fail("gone");
    };
    return typeof wrong;
  });
const zodTool = defineTool("zod_tool").describe("zod").input(
  z.object({ n: z.number().default(5), s: z.string().optional() }),
).handle(({ n, s }) => {
  expectType<Equal<typeof n, number>>(true);
  expectType<Equal<typeof s, string | undefined>>(true);
  return n;
});
const arkTool = defineTool("ark_tool").describe("ArkType").input(type({ q: "string", "n?": "number" })).handle(
  ({ q }) => {
    expectType<Equal<typeof q, string>>(true);
    return q;
  },
);

const server = createServer({
  tools: [
    search,
    declared,
    bare,
    empty,
    transformed,
    joinedText,
    joinedArray,
    whole,
    pieces,
    quiet,
    locking,
    zodTool,
    arkTool,
  ],
});
const client = createClient<typeof server>(memoryTransport(server));

test("types of a tool: input is what callers send, output what they get", () => {
  expectType<Equal<InferInput<typeof search>, { query: string; limit?: number | undefined }>>(true);
  expectType<
    Equal<
      InferOutput<typeof search>,
      {
        title: string;
        fail: "string" | "number" | "bigint" | "boolean" | "symbol" | "undefined" | "object" | "function";
        rank: number;
      }[]
    >
  >(true);
  expectType<Equal<InferOutput<typeof declared>, { at: string; n?: number | undefined }>>(true);
  expectType<Equal<InferInput<typeof bare>, Record<string, unknown>>>(true);
  expectType<Equal<InferOutput<typeof bare>, 5>>(true);
  expectType<Equal<InferInput<typeof empty>, Record<never, never>>>(true);
  expectType<Equal<InferOutput<typeof empty>, string>>(true);
  expectType<Equal<InferInput<typeof transformed>, { n: string }>>(true);
  expectType<Equal<InferOutput<typeof transformed>, number>>(true);
  expectType<Equal<typeof search.name, "search">>(true);
  // @ts-expect-error: a tool's output is not anything
  expectType<Equal<InferOutput<typeof search>, unknown>>(true);
});

test("a list of tools types a client, for programs that import their types alone", () => {
  type Tools = readonly [typeof search, typeof bare];
  const listed = createClient<Tools>(memoryTransport(server));
  expectType<Equal<Parameters<typeof listed.search>[0], Parameters<typeof client.search>[0]>>(true);
  // @ts-expect-error: a tool that the list does not have
  strictEqual(typeof listed.declared, "function");
});

test("types of a generator: pieces, and what they are joined", () => {
  expectType<Equal<InferPartial<typeof joinedText>, "a" | "b">>(true);
  expectType<Equal<InferOutput<typeof joinedText>, string>>(true);
  expectType<Equal<InferOutput<typeof joinedArray>, (1 | 2)[]>>(true);
  expectType<Equal<InferPartial<typeof whole>, { line: number }>>(true);
  expectType<Equal<InferOutput<typeof whole>, boolean>>(true);
  expectType<Equal<InferPartial<typeof pieces>, string>>(true);
  expectType<Equal<InferOutput<typeof pieces>, string>>(true);
  expectType<Equal<InferOutput<typeof quiet>, string>>(true);
});

test("types of declared failures", () => {
  expectType<Equal<InferErrors<typeof locking>["locked"], { by: string }>>(true);
  expectType<Equal<InferErrors<typeof locking>["gone"], undefined>>(true);
  expectType<Equal<InferErrors<typeof locking>["maybe"], number | undefined>>(true);
});

test("a client's calls take what the schema takes, defaults left out, and give what the handler returns", async () => {
  const hits = await client.search({ query: "x" });
  expectType<Equal<typeof hits, InferOutput<typeof search>>>(true);
  strictEqual((await client.search({ query: "x", limit: 5 }))[0]?.rank, 5);
  const { at, n } = await client.declared({ n: 1 });
  expectType<Equal<typeof at, string>>(true);
  expectType<Equal<typeof n, number | undefined>>(true);
  strictEqual(await client.transformed({ n: "5" }), 5);
  strictEqual(await client.zod_tool({}), 5);
  strictEqual(await client.ark_tool({ q: "x" }), "x");
  // @ts-expect-error: the query is missing
  await rejects(client.search({}), { code: "invalid_input" });
  // @ts-expect-error: the query is a string
  await rejects(client.search({ query: 5 }), { code: "invalid_input" });
  // @ts-expect-error: there is no such argument
  await rejects(client.search({ query: "x", lmit: 5 }), { code: "invalid_input", message: /did you mean "limit"\?/ });
  // @ts-expect-error: arguments are needed
  await rejects(client.search(), { code: "invalid_input" });
  // @ts-expect-error: the caller sends a string, the handler gets the number
  await rejects(client.transformed({ n: 5 }), { code: "invalid_input" });
  // @ts-expect-error: an answer does not promise anything
  const title: number = hits[0]?.title;
  ok(title !== undefined);
});

test("tools that need no arguments can be called without", async () => {
  const five = await client.bare();
  expectType<Equal<typeof five, 5>>(true);
  strictEqual(await client.empty(), "x");
  strictEqual(await client.empty({}), "x");
  strictEqual(await client.empty(undefined, { timeoutMs: 5_000 }), "x");
  strictEqual((await client.declared()).at, "now");
  strictEqual(await client.zod_tool(), 5);
  strictEqual(await client.bare({ any: 1 }), 5);
});

test("a client has its tools and $ alone", async () => {
  // @ts-expect-error: there is no such tool
  await rejects(client.serach({ query: "x" }), { code: "tool_not_found" });
  expectType<
    Equal<
      keyof typeof client,
      | "search"
      | "declared"
      | "bare"
      | "empty"
      | "transformed"
      | "joined_text"
      | "joined_array"
      | "whole"
      | "pieces"
      | "quiet"
      | "locking"
      | "zod_tool"
      | "ark_tool"
      | "$"
    >
  >(true);
  const tools = await client.$.list();
  expectType<Equal<typeof tools, readonly ListedTool[]>>(true);
  const answer = await client.$.call("search", { query: "x" });
  expectType<Equal<typeof answer, unknown>>(true);
  // @ts-expect-error: a client is not a promise
  strictEqual(client.then, undefined);
  // @ts-expect-error: tools cannot be replaced
  throws(() => (client.search = client.$.call as never), TypeError);
});

test("stream() is typed by piece, its result by the whole", async () => {
  const stream = client.pieces.stream();
  expectType<Equal<typeof stream, ToolStream<string, string>>>(true);
  for await (const piece of stream) expectType<Equal<typeof piece, string>>(true);
  strictEqual(await stream.result, "whole");
  const joined = await client.joined_array.stream().result;
  expectType<Equal<typeof joined, (1 | 2)[]>>(true);
  for await (const { line } of client.whole.stream()) expectType<Equal<typeof line, number>>(true);
  // @ts-expect-error: its arguments are needed
  await rejects(client.search.stream().result, { code: "invalid_input" });
});

test("outcome() narrows by kind, and a failure by its code", async () => {
  const outcome = await client.locking.outcome({ id: "locked" });
  ok(outcome.kind === "failure");
  expectType<Equal<typeof outcome.code, "locked" | "gone" | "maybe">>(true);
  ok(outcome.code === "locked");
  expectType<Equal<typeof outcome.data, { by: string }>>(true);
  strictEqual(outcome.data.by, "batch");
  // @ts-expect-error: there is no such code
  strictEqual(outcome.code === "other", false);

  const other = await client.search.outcome({ query: "x" });
  expectType<
    Equal<
      typeof other,
      AnswerOutcome<InferOutput<typeof search>> | PromiseOutcome | QuestionsResult | FailureOutcome | UnknownOutcome
    >
  >(true);
  if (other.kind === "answer") expectType<Equal<typeof other.value, InferOutput<typeof search>>>(true);
  if (other.kind === "failure") expectType<Equal<typeof other.code, string>>(true);
  // @ts-expect-error: an outcome that was not looked at has no value
  ok(other.value);
});

test("isFailure() narrows an exception to the tool's own failures", async () => {
  const thrown: unknown = await client.locking({ id: "gone" }).catch((reason: unknown) => reason);
  ok(client.locking.isFailure(thrown));
  expectType<Equal<typeof thrown.code, "locked" | "gone" | "maybe">>(true);
  if (thrown.code === "locked") expectType<Equal<typeof thrown.data, { by: string }>>(true);
  if (thrown.code === "gone") expectType<Equal<typeof thrown.data, undefined>>(true);
  strictEqual(thrown.code, "gone");
  const any: unknown = thrown;
  if (client.search.isFailure(any)) expectType<Equal<typeof any.code, string>>(true);
});

test("handle() does not type-check before describe()", () => {
  // @ts-expect-error: callers choose tools by their description
  throws(() => defineTool("t").handle(() => 1), /describe/);
  // @ts-expect-error: also with everything else in place
  throws(() => defineTool("t").input(v.object({})).output(v.string()).handle(() => "x"), /describe/);
  // @ts-expect-error: a builder is not a tool
  throws(() => createServer({ tools: [defineTool("t").describe("T")] }), /not finished/);
});

test("a declared output holds the handler to it", () => {
  const builder = defineTool("t").describe("T").partial(v.string()).output(v.object({ n: v.number() }));
  builder.handle(() => ({ n: 1 }));
  builder.handle(async () => await Promise.resolve({ n: 1 }));
  builder.handle(async function* () {
    yield "a";
    return { n: 1 };
  });
  // @ts-expect-error: a number is wanted
  builder.handle(() => ({ n: "x" }));
  // @ts-expect-error: something is wanted
  builder.handle(() => {});
  // @ts-expect-error: a number is wanted, later
  builder.handle(async () => await Promise.resolve({ n: "x" }));
  // @ts-expect-error: the pieces are strings
  builder.handle(async function* () {
    yield 5;
    return { n: 1 };
  });
  // @ts-expect-error: a generator's return has to match it as well
  builder.handle(async function* () {
    yield "a";
    return { n: "x" };
  });
});

test("builders take schemas, annotations and middleware of the right shape", () => {
  const builder = defineTool("t").describe("T");
  // @ts-expect-error: properties are not a schema
  throws(() => builder.input({ title: v.string() }), /write v\.object\(\{ title: … \}\)/);
  // @ts-expect-error: text is not a schema
  throws(() => builder.input("title"), TypeError);
  // @ts-expect-error: there is no such hint
  throws(() => builder.annotate({ readonlyHint: true }), /did you mean "readOnlyHint"/);
  // @ts-expect-error: milliseconds are a number
  throws(() => builder.timeout("5s"), RangeError);
  builder.use((ctx, next) => {
    expectType<Equal<typeof ctx.call.args, unknown>>(true);
    const settled = next();
    expectType<Equal<typeof settled, CallResult | Promise<CallResult>>>(true);
    return settled;
  });
  // @ts-expect-error: middleware returns how the call ended
  builder.use((_, next) => void next());
  builder.output(v.array(v.string())).render((output) => {
    expectType<Equal<typeof output, string[]>>(true);
    return output.join();
  });
});

test("what middleware says that it adds to ctx.state is typed in handlers of tools that use it, in any order", async () => {
  const signedIn: Middleware<{ user: { name: string } }> = (ctx, next) => {
    expectType<Equal<typeof ctx.state.user, { name: string } | undefined>>(true);
    ctx.state.user = { name: "Ada" };
    // @ts-expect-error: that is not a user
    ctx.state.user = { name: 5 };
    ctx.state.user = { name: "Ada" };
    return next();
  };
  const inTenant: Middleware<{ tenant: number }> = (ctx, next) => {
    ctx.state.tenant = 5;
    return next();
  };
  const plain: Middleware = (_, next) => next();
  const tool = defineTool("t").use(signedIn, plain, (ctx, next) => {
    expectType<Equal<typeof ctx.call.args, unknown>>(true);
    ctx.state["other"] = 1;
    return next();
  }).describe("T").use(inTenant).input(v.object({ a: v.number() })).errors({ no: null }).handle(({ a }, ctx) => {
    expectType<Equal<typeof a, number>>(true);
    expectType<Equal<typeof ctx.state.user, { name: string }>>(true);
    expectType<Equal<typeof ctx.state.tenant, number>>(true);
    expectType<Equal<typeof ctx.state.other, unknown>>(true);
    return `${ctx.state.user.name} ${ctx.state.tenant + a}`;
  });
  defineTool("u").describe("U").use(signedIn).external({
    start: (_, ctx) => ctx.state.user.name,
    check: (name, ctx) => {
      expectType<Equal<typeof name, string>>(true);
      return ctx.state.user.name;
    },
  });
  defineTool("w").describe("W").handle((_, ctx) => {
    // @ts-expect-error: nothing says that there is a user
    const name = () => ctx.state.user.name;
    return typeof name;
  });
  const typed = createServer({
    tools: [tool],
    middleware: [signedIn, plain, (ctx, next) => (ctx.state["a"] = 1, next())],
  });
  strictEqual(await testClient(typed).t({ a: 1 }), "Ada 6");
});

test("a server keeps its tools as a tuple; a client can be typed by it anywhere", async () => {
  expectType<Equal<typeof client, Client<typeof server>>>(true);
  const tools: readonly AnyTool[] = [search, bare];
  const some = createServer({ tools });
  strictEqual(await createClient(memoryTransport(some))["bare"]?.(), 5);
  strictEqual(await testClient(server).bare(), 5);
  const untyped = createClient(memoryTransport(server));
  const answer = await untyped["search"]?.({ query: "x" });
  expectType<Equal<typeof answer, unknown>>(true);
  const onProgress = (progress: Progress) => strictEqual(typeof progress.done, "number");
  strictEqual(await client.bare({}, { onProgress }), 5);
  // @ts-expect-error: there is no such option
  await rejects(async () => await client.bare({}, { timeout: 5 }), /there is no option "timeout" here/);
});

test("functions that make servers name their options without the tuple of tools", () => {
  const make = (options: Pick<ServerOptions, "keys" | "logger"> & { readonly engine: Engine; readonly clock: Clock }) =>
    createServer({ ...options, tools: [bare] });
  const clock = new FakeClock();
  const made = make({ keys: "k1:a secret of at least thirty-two bytes", engine: memoryEngine({ clock }), clock });
  strictEqual(made.tools.length, 1);
});

test("a Failure is typed by its code and data", () => {
  const failure = new Failure("sold_out", "Sold out", { left: 4 });
  expectType<Equal<typeof failure, Failure<"sold_out", { left: number }>>>(true);
  const without: Failure<"gone", undefined> = new Failure("gone", "Gone");
  // @ts-expect-error: its data is missing
  const missing: Failure<"gone", { a: 1 }> = new Failure("gone", "Gone");
  ok(without instanceof Error && missing instanceof Error);
});
