/** `ctx.elicit`, `ctx.ask`, `ctx.waitFor`, `ctx.validate` and caller state take what `.input()` takes, with the types of their values. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { z as z3 } from "zod/v3";
import * as zm from "zod/mini";
import { createServer, defineCallerState, defineTool, ToolError } from "../../../mod.ts";
import { createServer as createCoreServer, defineTool as defineCoreTool } from "../../../src/entries/core.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { type Equal, expectType } from "../../types/equal.ts";

const KEYS = "k1:a secret of at least thirty-two bytes";
const PLAIN = { type: "object", properties: { yes: { type: "boolean" } }, required: ["yes"] } as const;
const BOX = Type.Object({ yes: Type.Boolean() });
interface Said {
  yes: boolean;
}
type Normal<Value> = { [Name in keyof Value]: Value[Name] };
const accept = () => ({ action: "accept" as const, content: { yes: true } });

test("ctx.elicit() asks with plain JSON Schema, TypeBox, zod 3 and zod/mini", async () => {
  const asks = defineTool("asks").describe("Ask").handle(async (_, ctx) => {
    const plain = await ctx.elicit("plain", { message: "Sure?", schema: PLAIN });
    const inline = await ctx.elicit("inline", {
      message: "Sure?",
      schema: { type: "object", properties: { yes: { type: "boolean" } }, required: ["yes"] },
    });
    const box = await ctx.elicit("box", { message: "Sure?", schema: BOX });
    const old = await ctx.elicit("old", { message: "Sure?", schema: z3.object({ yes: z3.boolean() }) });
    const mini = await ctx.elicit("mini", { message: "Sure?", schema: zm.object({ yes: zm.boolean() }) });
    if (plain.action === "accept") expectType<Equal<Normal<typeof plain.content>, Said>>(true);
    if (inline.action === "accept") expectType<Equal<Normal<typeof inline.content>, Said>>(true);
    if (box.action === "accept") expectType<Equal<Normal<typeof box.content>, Said>>(true);
    return [plain, inline, box, old, mini].map((answer) => answer.action === "accept" && answer.content.yes);
  });
  const server = createServer({ tools: [asks], keys: KEYS });
  const schemas: unknown[] = [];
  const client = testClient(server, {
    onElicitation: ({ schema }) => {
      schemas.push(schema);
      return accept();
    },
  });
  deepStrictEqual(await client.asks(), [true, true, true, true, true]);
  deepStrictEqual(schemas[0], PLAIN);
});

test("an answer that does not fit plain JSON Schema is asked for again", async () => {
  const asks = defineTool("asks").describe("Ask").handle(async (_, ctx) => {
    const { sure } = await ctx.ask({ sure: { message: "Sure?", schema: PLAIN } });
    if (sure.action !== "accept") return sure.action;
    expectType<Equal<Normal<typeof sure.content>, Said>>(true);
    return sure.content.yes;
  });
  const given: unknown[] = [{ yes: "maybe" }, { yes: false }];
  const client = testClient(createServer({ tools: [asks], keys: KEYS }), {
    onElicitation: () => ({ action: "accept", content: given.shift() as { yes: boolean } }),
  });
  strictEqual(await client.asks(), false);
  deepStrictEqual(given, []);
});

test("ctx.waitFor() waits for a value of plain JSON Schema", async () => {
  let token = "";
  const waits = defineTool("waits").describe("Wait").promise({ budgetMs: 5 }).handle(async (_, ctx) => {
    ({ token } = await ctx.resolver("sure"));
    const sure = await ctx.waitFor("sure", PLAIN);
    if (sure.action !== "accept") return sure.action;
    expectType<Equal<Normal<typeof sure.content>, Said>>(true);
    return sure.content.yes;
  });
  const server = createServer({ tools: [waits], keys: KEYS });
  const job = await testClient(server).waits.start();
  while (token === "") await job.status();
  deepStrictEqual(await server.resolve(token, { yes: true }), { resolved: true });
  strictEqual(await job.result(), true);
  await server.close();
});

test("ctx.validate() and caller state take plain JSON Schema", async () => {
  const slot = defineCallerState("cart", { type: "array", items: { type: "string" } });
  const checks = defineTool("checks").describe("Check").handle((_, ctx) => {
    const cart = ctx.callerState.get(slot) ?? [];
    expectType<Equal<typeof cart, string[]>>(true);
    ctx.callerState.set(slot, [...cart, "tea"]);
    const value = ctx.validate(PLAIN, { yes: true });
    expectType<Equal<Normal<typeof value>, Said>>(true);
    throws(
      () => ctx.validate(BOX, { yes: 5 }),
      (error) => error instanceof ToolError && error.code === "invalid_input",
    );
    return [value.yes, cart.length];
  });
  const client = testClient(createServer({ tools: [checks], keys: KEYS }));
  deepStrictEqual([await client.checks(), await client.checks()], [[true, 0], [true, 1]]);
});

test("the core names the line to write for plain JSON Schema", async () => {
  const messages: string[] = [];
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (_: string, fields: unknown) => messages.push(String((fields as { error: Error }).error.message)),
  };
  const checks = defineCoreTool("checks").describe("Check").handle((_, ctx) => ctx.validate(PLAIN, { yes: true }).yes);
  await testClient(createCoreServer({ tools: [checks], logger })).checks().catch(() => {});
  deepStrictEqual(messages.map((message) => /jsonSchema|json-schema/.test(message)), [true]);
});
