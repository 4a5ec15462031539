/** What the types say of promises, questions and context; each positive case has the negative one beside it. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import {
  createServer,
  defineCallerState,
  defineTool,
  type ElicitAnswer,
  type InferOutput,
  type Pending,
  type PromisedAnswer,
} from "../../mod.ts";
import { testClient } from "../../src/entries/testing.ts";
import { type Equal, expectType } from "./equal.ts";

const keys = "k1:a secret that these tests alone know of";

const inferred = defineTool("inferred").describe("Work elsewhere").input(v.object({ n: v.number() })).external({
  start: ({ n }) => ({ job: `job-${n}` }),
  check(state, ctx) {
    expectType<Equal<typeof state, { job: string }>>(true);
    return ctx.attempt > 9 ? ctx.pending() : { url: state.job };
  },
  cancel(state) {
    expectType<Equal<typeof state, { job: string }>>(true);
  },
});

const declared = defineTool("declared").describe("Work elsewhere").output(v.string()).external({
  start: () => Promise.resolve(7),
  check: (state) => {
    expectType<Equal<typeof state, number>>(true);
    return Promise.resolve(String(state));
  },
});

const asking = defineTool("asking").describe("Ask").promise({ budgetMs: 10_000 }).handle(async (_, ctx) => {
  const one = await ctx.elicit("one", { message: "?", schema: v.object({ n: v.optional(v.number(), 1) }) });
  expectType<Equal<typeof one, ElicitAnswer<{ n: number }>>>(true);
  const { name, credits } = await ctx.ask({
    name: { message: "Name?", schema: v.string() },
    credits: { more: "credits" },
  });
  expectType<Equal<typeof name, ElicitAnswer<string>>>(true);
  expectType<Equal<typeof credits, ElicitAnswer<unknown>>>(true);
  const step = await ctx.step("step", () => 5);
  expectType<Equal<typeof step, number>>(true);
  return one.action === "accept" && name.action === "accept" ? `${name.content} ${one.content.n + step}` : "nobody";
});

const count = defineCallerState("count", v.number());
const counting = defineTool("counting").describe("Count").handle((_, ctx) => {
  const before = ctx.callerState.get(count);
  expectType<Equal<typeof before, number | undefined>>(true);
  // @ts-expect-error: the slot holds numbers
  throws(() => ctx.callerState.set(count, "one"), TypeError);
  ctx.callerState.set(count, (before ?? 0) + 1);
  return before ?? 0;
});

const server = createServer({ tools: [inferred, declared, asking, counting], keys });

test("external() infers its state from start, and its output from check", async () => {
  expectType<Equal<InferOutput<typeof inferred>, { url: string }>>(true);
  expectType<Equal<InferOutput<typeof declared>, string>>(true);
  const client = testClient(server);
  const url: { url: string } = await client.inferred({ n: 1 });
  deepStrictEqual(url, { url: "job-1" });
  strictEqual(await client.declared(), "7");
});

test("external() holds check to the declared output and to the state", () => {
  const tool = defineTool("wrong").describe("Wrong").output(v.string());
  // @ts-expect-error: the output is text
  tool.external({ start: () => 1, check: () => 1 });
  // @ts-expect-error: the state is a number
  tool.external({ start: () => 1, check: (state: string) => state });
  // @ts-expect-error: describe() comes first
  throws(() => defineTool("early").external({ start: () => 1, check: () => 1 }), /before \.external/);
  const isPending: Equal<Extract<InferOutput<typeof inferred>, Pending>, never> = true;
  strictEqual(isPending, true);
});

test("start() is typed by the tool's input and output", async () => {
  const client = testClient(server);
  const job = await client.inferred.start({ n: 2 });
  expectType<Equal<typeof job, PromisedAnswer<{ url: string }>>>(true);
  deepStrictEqual(await job.result(), { url: "job-2" });
  // @ts-expect-error: n is a number
  await rejects(client.inferred.start({ n: "2" }), { code: "invalid_input" });
  // @ts-expect-error: the input is needed
  await rejects(client.inferred.start(), { code: "invalid_input" });
  const again = client.$.redeem<{ url: string }>(job.token);
  expectType<Equal<typeof again, PromisedAnswer<{ url: string }>>>(true);
  deepStrictEqual(await again.result(), { url: "job-2" });
});

test("questions are typed by their schemas", async () => {
  const outcome = await testClient(server).asking.outcome();
  strictEqual(outcome.kind, "elicitation");
});

test("context is typed by its slot", async () => {
  const client = testClient(server);
  deepStrictEqual([await client.counting(), await client.counting()], [0, 1]);
});

test("the result of a step and of an item has the type that JSON gives back, in the first run and in each later one", async () => {
  interface Order {
    readonly id: number;
    readonly at: Date;
    readonly note: string | undefined;
  }
  const at = new Date(0);
  const tool = defineTool("t").describe("T").promise({ budgetMs: 10_000 }).handle(async (_, ctx) => {
    const date = await ctx.step("date", () => at);
    expectType<Equal<typeof date, string>>(true);
    const order = await ctx.step("order", (): Promise<Order> => Promise.resolve({ id: 1, at, note: undefined }));
    expectType<Equal<typeof order, { readonly id: number; readonly at: string; readonly note?: string | undefined }>>(
      true,
    );
    const name = await ctx.step("name", () => "Ada" as string | undefined);
    expectType<Equal<typeof name, string | null>>(true);
    const plain = await ctx.step("plain", () => ({ id: 1, tags: ["a"] }));
    expectType<Equal<typeof plain, { id: number; tags: string[] }>>(true);
    const nothing = await ctx.step("nothing", () => {});
    expectType<Equal<typeof nothing, void>>(true);
    const found = await ctx.step("found", (): unknown => 1);
    expectType<Equal<typeof found, unknown>>(true);
    const dates = await ctx.map("dates", [1, 2], {}, (n) => new Date(n));
    expectType<Equal<typeof dates, string[]>>(true);
    // @ts-expect-error: a text has no getTime()
    const read = () => date.getTime();
    return [date, order, name, plain, found, dates, typeof read];
  });
  const server = createServer({ tools: [tool], keys });
  const epoch = at.toISOString();
  deepStrictEqual(await testClient(server).t(), [
    ...[epoch, { id: 1, at: epoch }, "Ada", { id: 1, tags: ["a"] }, 1],
    ["1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00.002Z"],
    "function",
  ]);
  await server.close();
});

test("bytes do not compile as the result of a step, which refuses them", async () => {
  const tool = defineTool("t").describe("T").promise({ budgetMs: 10_000 }).handle(async (_, ctx) => {
    const bytes = await ctx.step("bytes", () => new Uint8Array(2));
    // @ts-expect-error: bytes cannot be kept
    return bytes.length;
  });
  const server = createServer({ tools: [tool], keys, logger: false });
  await rejects(testClient(server).t());
  await server.close();
});
