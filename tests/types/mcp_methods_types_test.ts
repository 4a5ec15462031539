/**
 * What the types of a server's methods of MCP say. Checked by `npm run check`; each positive case has the negative one beside it, as
 * `@ts-expect-error`.
 */
import { ok } from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import * as v from "../../src/entries/schema.ts";
import { mcp, type McpOptions } from "../../src/entries/mcp.ts";
import { type Equal, expectType } from "./equal.ts";

test("a handler gets the parameters of its schema, and may return its result alone", () => {
  const wire = mcp({
    methods: {
      "acme/valibot": {
        params: v.object({ since: v.optional(v.number(), 0) }),
        result: v.object({ calls: v.number() }),
        handle: ({ since }, ctx) => {
          expectType<Equal<typeof since, number>>(true);
          expectType<Equal<typeof ctx.signal, AbortSignal>>(true);
          return { calls: since };
        },
      },
      "acme/zod": {
        params: z.object({ name: z.string() }),
        result: z.object({ hello: z.string() }),
        handle: async ({ name }) => await Promise.resolve({ hello: name }),
      },
      "acme/plain": {
        params: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        handle: ({ name }) => {
          expectType<Equal<typeof name, string>>(true);
          return { hello: name };
        },
      },
      "acme/free": {
        handle: (params) => {
          expectType<Equal<typeof params, Readonly<Record<string, unknown>>>>(true);
        },
      },
    },
  });
  ok(wire.name);
});

test("a result that does not fit its schema, and a parameter that is not declared, do not compile", () => {
  const wires = () => [
    mcp({
      methods: {
        "acme/result": {
          result: v.object({ calls: v.number() }),
          // @ts-expect-error: calls is a number
          handle: () => ({ calls: "3" }),
        },
      },
    }),
    mcp({
      methods: {
        "acme/params": {
          params: v.object({ since: v.number() }),
          // @ts-expect-error: no such parameter
          handle: ({ until }) => ({ until }),
        },
      },
    }),
    // @ts-expect-error: no handler
    mcp({ methods: { "acme/none": { params: v.object({}) } } }),
    // @ts-expect-error: no option of mcp()
    mcp({ method: {} }),
  ];
  ok(typeof wires === "function");
});

test("options of any server are options of mcp()", () => {
  const options: McpOptions = { methods: { "acme/a": { handle: () => ({}) } }, pageSize: 5 };
  ok(mcp(options).name);
});
