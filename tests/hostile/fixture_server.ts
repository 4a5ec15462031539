/** The server that is fuzzed: a tool for each way in which a call can go, on every wire. */
import { createServer, defineTool, type Logger, type Server } from "../../mod.ts";
import { toolsFromOpenApi } from "../../src/entries/openapi.ts";
import * as v from "../../src/entries/schema.ts";
import { definePrompt, defineResource, user } from "../../src/entries/mcp.ts";
import { DESCRIPTIONS } from "../wires/descriptions/all.ts";
import type { RandomChoices } from "./fuzz/random.ts";
import { SECRET } from "./fuzz/expected_codes.ts";
import type { RequestWire } from "../../src/entries/wire.ts";

/** What it signs with. */
export const KEYS = "k1:a secret that is long enough for everybody here";

const FUZZED_WIRES = DESCRIPTIONS.flatMap(({ wire, fuzzedWires }) => fuzzedWires ?? wire ?? []);

const silent = () => {};

/** What a caller sends is nothing to log; that the broken tool breaks is. */
function loggerInto(logged: string[]): Logger {
  const error: Logger["error"] = (message, fields) => {
    const reported = `${message}: ${String(fields?.["error"])}`;
    if (!reported.includes(SECRET)) logged.push(reported);
  };
  return { debug: silent, info: silent, warn: silent, error };
}

const echo = defineTool("echo").describe("Give back what came").annotate({ readOnlyHint: true }).handle((args) => args);

const add = defineTool("add").describe("Add numbers")
  .input(v.object({ a: v.number(), b: v.optional(v.array(v.number()), []) }))
  .handle(({ a, b }) => b.reduce((sum, n) => sum + n, a));

const later = defineTool("later").describe("Give back what came, later").handle(async (args) =>
  await Promise.resolve(args)
);

const pieces = defineTool("pieces").describe("Give back the names, piece by piece").handle(async function* (args) {
  yield "a\r\n";
  yield* Object.keys(args).slice(0, 100);
});

const order = v.variant("kind", [
  v.object({
    kind: v.literal("book"),
    title: v.pipe(v.string(), v.maxLength(20)),
    pages: v.pipe(v.number(), v.integer()),
  }),
  v.object({
    kind: v.literal("box"),
    sizes: v.tuple([v.number(), v.number()]),
    tags: v.record(v.string(), v.boolean()),
  }),
]);

const typed = defineTool("typed").describe("Take an order")
  .input(v.object({
    orders: v.array(order),
    mail: v.optional(v.pipe(v.string(), v.email())),
    either: v.optional(v.union([v.string(), v.number(), v.array(v.union([v.string(), v.boolean()]))])),
    at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
    unit: v.optional(v.picklist(["m", "km"]), "m"),
  }))
  .output(v.number()).annotate({ readOnlyHint: true }).handle(({ orders }) => orders.length);

const ask = defineTool("ask").describe("Ask, then answer").input(v.object({ id: v.string() })).handle(
  async ({ id }, ctx) => {
    const first = await ctx.step("first", () => id.length);
    const reply = await ctx.elicit("name", { message: "Who are you?", schema: v.object({ name: v.string() }) });
    await ctx.requestMore("credits", { amount: 1 });
    return [first, reply.action];
  },
);

const slow = defineTool("slow").describe("Promise, when asked to").promise({ ttlMs: 1_000 }).handle(async (args) =>
  await Promise.resolve(args)
);

const boom = defineTool("boom").describe("Break").handle(() => {
  throw new Error(`${SECRET} at /etc/shadow`);
});

/** Checked by way of JSON Schema, as one that others have written. */
const [checked] = toolsFromOpenApi({
  openapi: "3.1.0",
  info: { title: "Checked", version: "1" },
  paths: {
    "/checked": {
      post: {
        operationId: "checked",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  ids: { type: "array", uniqueItems: true, items: { type: ["integer", "string", "object"] } },
                  tree: { $ref: "#/components/schemas/Node" },
                  day: { type: "string", format: "date-time" },
                  mail: { type: "string", format: "email", maxLength: 100 },
                  link: { type: "string", format: "uri" },
                  code: { type: "string", pattern: "^[a-z]+$" },
                  any: {
                    anyOf: [{ type: "string" }, { type: "array", contains: { const: 7 } }, { enum: [1, null, {}] }],
                  },
                },
                additionalProperties: { type: "string" },
              },
            },
          },
        },
        responses: { 200: { description: "ok", content: { "application/json": { schema: {} } } } },
      },
    },
  },
  components: {
    schemas: {
      Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" }, n: { type: "number" } } },
    },
  },
}, { baseUrl: "http://api.example", fetch: () => Promise.resolve(Response.json({ ok: true })) });

const review = definePrompt("review").describe("Review code").input(v.object({ code: v.string() })).handle((
  { code },
) => [
  user(`Review ${code.slice(0, 100)}`),
]);
const readme = defineResource("docs://readme").mimeType("text/markdown").read(() => "# Hello");
const book = defineResource("books://{id}").complete({
  id: (value) => ["1", "12"].filter((id) => id.startsWith(value)),
})
  .read(({ id }) => (id === "1" ? "Moby Dick" : undefined));

/** Makes it. @param logged Takes what it logs as an error. */
export function createFixtureServer(logged: string[], wires: readonly RequestWire[] = FUZZED_WIRES): Server {
  return createServer({
    name: "fixture",
    version: "1.2.3",
    tools: [echo, add, later, pieces, typed, ask, slow, boom, ...(checked === undefined ? [] : [checked])],
    prompts: [review],
    resources: [readme, book],
    keys: KEYS,
    logger: loggerInto(logged),
    wires,
  });
}

/** Calls that are right, for any wire: the name and the arguments. */
export const CALLS: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[] = [
  { name: "echo", arguments: { text: "hey", list: [1, 2], deep: { a: { b: [null, true] } } } },
  { name: "add", arguments: { a: 1, b: [2, 3] } },
  { name: "later", arguments: {} },
  { name: "pieces", arguments: { x: 1, y: 2 } },
  {
    name: "typed",
    arguments: {
      orders: [{ kind: "book", title: "Moby Dick", pages: 600 }, { kind: "box", sizes: [1, 2], tags: { red: true } }],
      mail: "ada@example.com",
      either: ["a", true],
    },
  },
  { name: "ask", arguments: { id: "7" } },
  { name: "slow", arguments: { x: 1 } },
  {
    name: "checked",
    arguments: { body: { ids: [1, "2", { a: 1 }], tree: { next: { next: {}, n: 1 } }, mail: "a@b.example" } },
  },
  { name: "boom", arguments: {} },
];

/** What calls say beside that. */
export const METAS: readonly Readonly<Record<string, unknown>>[] = [
  { deadline_ms: 5_000 },
  { promise: true },
  { idempotency_key: "k" },
  { context: "ctx_x", continuation: "cont_x", responses: { name: { action: "accept", content: { name: "Ada" } } } },
];

/** A call that is as much work as what is put into it. */
export function heavyCall(
  random: RandomChoices,
  part: unknown,
): { readonly name: string; readonly arguments: unknown } {
  const member = random.pick(["ids", "tree", "day", "mail", "link", "code", "any"]);
  return random.pick([
    { name: "echo", arguments: { value: part } },
    { name: random.pick(["echo", "pieces", "add", "typed", "ask"]), arguments: part },
    { name: "typed", arguments: { orders: part, either: part } },
    { name: "typed", arguments: { orders: [], [random.pick(["mail", "at", "unit", "either"])]: part } },
    {
      name: "typed",
      arguments: { orders: [{ kind: random.pick(["box", part]), title: part, sizes: part, tags: part }] },
    },
    { name: "add", arguments: { a: 1, b: part } },
    { name: "ask", arguments: { id: part } },
    { name: "slow", arguments: { value: part } },
    { name: "checked", arguments: { body: part } },
    { name: "checked", arguments: { body: { [member]: part } } },
    { name: "checked", arguments: { body: { [member]: part } } },
    { name: "redeem", arguments: { promise: part } },
    { name: "cancel", arguments: part },
  ]);
}

/** The same for what a call says beside that. */
export function heavyMeta(random: RandomChoices, part: unknown): Readonly<Record<string, unknown>> {
  return {
    [
      random.pick([
        "continuation",
        "responses",
        "context",
        "idempotency_key",
        "deadline_ms",
        "promise",
        "progressToken",
      ])
    ]: part,
  };
}
