/**
 * One tool, defined by the schema of each library as it is: the rows of the table in docs/tools.md.
 *
 * "Another copy" is a copy of the library that Toolwire does not import: each package here with a version in its name is one.
 */
import { Type as OldType } from "@sinclair/typebox";
import { type } from "arktype";
import { type as oldType } from "arktype-2-1";
import { Effect, Schema as E } from "effect";
import Type from "typebox";
import * as v from "valibot";
import * as oldV from "valibot-1-0";
import { z } from "zod";
import { z as zod3 } from "zod-3";
import { z as oldZ } from "zod-4-0";
import * as zm from "zod/mini";
import { z as z3 } from "zod/v3";
import { type AnyTool, defineTool } from "../../../mod.ts";

/** What callers send, and what the handler gets. */
export interface Search {
  readonly query: string;
  readonly limit?: number | undefined;
}

/** A library, and a tool with its schema: `query`, a text of at least one character, and `limit`, an optional whole number. */
export interface Row {
  /** Name in the table. */
  readonly library: string;
  /** What its user writes in `.input(…)`. */
  readonly line: string;
  /** Whether the default of `limit` is filled in. */
  readonly fillsDefaults: boolean;
  readonly tool: AnyTool;
}

const builder = () => defineTool("search").describe("Search");

const echo = (found: Search): Search => found;
const effect = E.Struct({
  query: E.String.check(E.isMinLength(1)),
  limit: E.Int.pipe(E.withDecodingDefaultKey(Effect.succeed(10))),
});

/** The rows. */
export const ROWS: readonly Row[] = [
  {
    library: "valibot",
    line: "v.object({ … })",
    fillsDefaults: true,
    tool: builder().input(
      v.object({ query: v.pipe(v.string(), v.minLength(1)), limit: v.optional(v.pipe(v.number(), v.integer()), 10) }),
    ).handle(echo),
  },
  {
    library: "valibot 1.0, another copy",
    line: "v.object({ … })",
    fillsDefaults: true,
    tool: builder().input(
      oldV.object({
        query: oldV.pipe(oldV.string(), oldV.minLength(1)),
        limit: oldV.optional(oldV.pipe(oldV.number(), oldV.integer()), 10),
      }),
    ).handle(echo),
  },
  {
    library: "zod 4",
    line: "z.object({ … })",
    fillsDefaults: true,
    tool: builder().input(z.object({ query: z.string().min(1), limit: z.int().default(10) })).handle(echo),
  },
  {
    library: "zod 4.0, another copy",
    line: "z.object({ … })",
    fillsDefaults: true,
    tool: builder().input(oldZ.object({ query: oldZ.string().min(1), limit: oldZ.int().default(10) })).handle(echo),
  },
  {
    library: "`zod/mini`",
    line: "z.object({ … })",
    fillsDefaults: true,
    tool: builder().input(zm.object({ query: zm.string().check(zm.minLength(1)), limit: zm._default(zm.int(), 10) }))
      .handle(echo),
  },
  {
    library: "`zod/v3`",
    line: "z.object({ … })",
    fillsDefaults: true,
    tool: builder().input(z3.object({ query: z3.string().min(1), limit: z3.number().int().default(10) })).handle(echo),
  },
  {
    library: "zod 3, another copy",
    line: "z.object({ … })",
    fillsDefaults: true,
    tool: builder().input(zod3.object({ query: zod3.string().min(1), limit: zod3.number().int().default(10) }))
      .handle(echo),
  },
  {
    library: "ArkType",
    line: 'type({ query: "string" })',
    fillsDefaults: true,
    tool: builder().input(type({ query: "string >= 1", limit: "number.integer = 10" })).handle(echo),
  },
  {
    library: "ArkType 2.1.20, another copy",
    line: 'type({ query: "string" })',
    fillsDefaults: true,
    tool: builder().input(oldType({ query: "string >= 1", limit: "number.integer = 10" })).handle(echo),
  },
  {
    library: "Effect 4",
    line: "Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.Struct({ … })))",
    fillsDefaults: true,
    tool: builder().input(E.toStandardJSONSchemaV1(E.toStandardSchemaV1(effect))).handle(echo),
  },
  {
    library: "TypeBox 1",
    line: "Type.Object({ … })",
    fillsDefaults: false,
    tool: builder().input(Type.Object({
      query: Type.String({ minLength: 1 }),
      limit: Type.Optional(Type.Integer({ default: 10 })),
    })).handle(echo),
  },
  {
    library: "TypeBox 0.34, another copy",
    line: "Type.Object({ … })",
    fillsDefaults: false,
    tool: builder().input(OldType.Object({
      query: OldType.String({ minLength: 1 }),
      limit: OldType.Optional(OldType.Integer({ default: 10 })),
    })).handle(echo),
  },
  {
    library: "JSON Schema",
    line: '{ type: "object", properties: { … } }',
    fillsDefaults: false,
    tool: builder().input({
      type: "object",
      properties: { query: { type: "string", minLength: 1 }, limit: { type: "integer", default: 10 } },
      required: ["query"],
    }).handle(echo),
  },
];
