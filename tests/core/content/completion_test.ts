import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { definePrompt, defineResource } from "../../../src/entries/mcp.ts";
import { assertMasked, assertRefused } from "../dispatch/harness.ts";
import { CatalogBench, from, valueOf } from "./harness.ts";

const many = Array.from({ length: 250 }, (_, at) => `value ${at}`);
const Input = v.object({ language: v.string(), framework: v.optional(v.string()), other: v.optional(v.string()) });
const prompt = definePrompt("pick")
  .describe("Pick")
  .input(Input)
  .complete({
    language: (value, ctx) => ["go", "rust", ctx.principal?.id ?? "nobody"].filter((one) => one.startsWith(value)),
    framework: async (_, __, given) => {
      await Promise.resolve();
      return given["language"] === "rust" ? ["axum"] : [];
    },
  })
  .handle(() => "");
const resource = defineResource("t://{all}/{some}/{page}/{odd}/{broken}").complete({
  all: () => many,
  some: () => ({ values: many.slice(0, 3), total: 250 }),
  page: () => ({ values: ["a"], hasMore: true }),
  odd: () => [5 as never],
  broken: () => {
    throw new Error("a secret");
  },
}).read(() => "");
const uri = "t://{all}/{some}/{page}/{odd}/{broken}";

function bench() {
  return new CatalogBench({ prompts: [prompt], resources: [resource] });
}

test("a completer gets what was typed, who asks, and the other arguments", async () => {
  const { catalog } = bench();
  strictEqual(catalog.canComplete, true);
  const of = { prompt: "pick" };
  deepStrictEqual(await valueOf(catalog.complete({ ...from(), of, argument: "language", value: "r" })), {
    values: ["rust"],
    total: 1,
    hasMore: false,
  });
  const ada = from(undefined, { principal: { id: "ada" } });
  deepStrictEqual((await valueOf(catalog.complete({ ...ada, of, argument: "language", value: "a" }))).values, ["ada"]);
  const given = { language: "rust" };
  deepStrictEqual(
    (await valueOf(catalog.complete({ ...from(), of, argument: "framework", value: "", otherArguments: given })))
      .values,
    [
      "axum",
    ],
  );
});

for (
  const [argument, want] of [
    ["all", { values: many.slice(0, 100), total: 250, hasMore: true }],
    ["some", { values: many.slice(0, 3), total: 250, hasMore: true }],
    ["page", { values: ["a"], hasMore: true }],
    ["nowhere", { values: [], hasMore: false }],
    ["constructor", { values: [], hasMore: false }],
  ] as const
) {
  test(`complete() of "${argument}" is bounded, and says what is left`, async () => {
    const { catalog } = bench();
    deepStrictEqual(
      await valueOf(catalog.complete({ ...from(), of: { resource: uri }, argument, value: "" })),
      want,
    );
  });
}

test("what has no completer has no values", async () => {
  const { catalog } = bench();
  const completion = await valueOf(
    catalog.complete({ ...from(), of: { prompt: "pick" }, argument: "other", value: "" }),
  );
  deepStrictEqual(completion, { values: [], hasMore: false });
});

test("completion of what is not there is refused, and what breaks is masked", async () => {
  const { catalog, log } = bench();
  const ask = { ...from(), argument: "x", value: "" };
  assertRefused(await catalog.complete({ ...ask, of: { prompt: "pock" } }), "prompt_not_found");
  const refusal = assertRefused(await catalog.complete({ ...ask, of: { resource: "t://1" } }), "resource_not_found");
  deepStrictEqual(refusal.data, { uri: "t://1" });
  const of = { resource: uri };
  const broken = await catalog.complete({ ...ask, of, argument: "broken" });
  strictEqual(String(assertMasked(broken, log)), "Error: a secret");
  match(String(assertMasked(await catalog.complete({ ...ask, of, argument: "odd" }), log)), /an array of strings/);
});

test("a second input() removes the completers of the earlier arguments", () => {
  const { catalog } = new CatalogBench({
    prompts: [
      definePrompt("x").describe("x").input(v.object({ a: v.string() })).complete({ a: () => [] })
        .input(v.object({ b: v.string() })).handle(() => ""),
    ],
  });
  strictEqual(catalog.canComplete, false);
});
