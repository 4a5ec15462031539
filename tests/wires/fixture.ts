/** The server that the wire suite runs on: one small tool for each thing that a call can do. */
import * as v from "../../src/entries/schema.ts";
import { createServer, defineTool, Failure, type Logger, ToolError } from "../../mod.ts";
import { wires } from "./matrix.ts";

/** What the server logged, and what its handlers saw. */
export interface Journal {
  readonly errors: Readonly<Record<string, unknown>>[];
  readonly seen: string[];
}

/** A fresh server with its journal. */
export function createFixture() {
  const journal: Journal = { errors: [], seen: [] };
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => journal.errors.push({ message, ...fields }),
  };
  const server = createServer({ name: "fixture", version: "1.2.3", tools: tools(journal), logger, wires });
  return { server, journal };
}

/** Its type, for typed clients. */
export type FixtureServer = ReturnType<typeof createFixture>["server"];

function tools(journal: Journal) {
  return [
    defineTool("add")
      .type("math")
      .title("Addition")
      .describe("Add two numbers")
      .input(v.object({ a: v.pipe(v.number(), v.description("First")), b: v.optional(v.number(), 10) }))
      .output(v.object({ sum: v.number() }))
      .examples([{ input: { a: 1, b: 2 }, output: { sum: 3 } }, { input: { a: 5 } }])
      .annotate({ readOnlyHint: true })
      .meta({ "example.com/unit": "none" })
      .handle(({ a, b }) => ({ sum: a + b })),
    defineTool("add_later").describe("Add, asynchronously")
      .input(v.object({ a: v.number(), b: v.number() }))
      .handle(async ({ a, b }) => {
        await Promise.resolve();
        return a + b;
      }),
    defineTool("echo").describe("Give back what came").input(v.object({ value: v.unknown() })).handle(({ value }) =>
      value
    ),
    defineTool("anything").describe("Take any arguments").handle((input) => Object.keys(input).sort()),
    defineTool("nothing").describe("Return nothing").handle(() => {}),
    defineTool("date").describe("Return a date").handle(() => new Date(0)),
    defineTool("report").describe("Stream a text, return nothing")
      .input(v.object({ pieces: v.array(v.string()) }))
      .partial(v.string()).output(v.string())
      .handle(async function* ({ pieces }) {
        for (const piece of pieces) yield piece;
      }),
    defineTool("count").describe("Stream numbers, return their sum")
      .input(v.object({ to: v.number() }))
      .handle(async function* ({ to }) {
        let sum = 0;
        for (let at = 1; at <= to; at++) {
          sum += at;
          yield { at };
        }
        return sum;
      }),
    defineTool("stumble").describe("Stream one piece, then fail")
      .input(v.object({ how: v.picklist(["failure", "refusal", "break"]) }))
      .handle(async function* ({ how }) {
        yield "first";
        if (how === "failure") throw new Failure("tired", "I am tired", { pieces: 1 });
        if (how === "refusal") throw new ToolError("rate_limited", "Slow down");
        throw new Error("secret stumble");
      }),
    defineTool("endless").describe("Stream until the caller leaves").handle(async function* (_, ctx) {
      try {
        for (let at = 0;; at++) {
          yield at;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      } finally {
        journal.seen.push(`endless ended, aborted: ${ctx.signal.aborted}`);
      }
    }),
    defineTool("work").describe("Report progress").handle(async (_, ctx) => {
      ctx.progress(1, 2, "half");
      await new Promise((resolve) => setTimeout(resolve, 5));
      ctx.progress(2, 2);
      return "worked";
    }),
    defineTool("locked").describe("Fail as declared")
      .input(v.object({ how: v.picklist(["locked", "gone"]) }))
      .errors({ locked: v.object({ by: v.string() }), gone: null })
      .handle(({ how }, ctx): string => {
        if (how === "gone") throw ctx.fail("gone", "It is gone");
        throw ctx.fail("locked", "It is locked", { by: "batch" });
      }),
    defineTool("refuse").describe("Refuse the call").handle(() => {
      throw new ToolError("conflict", "Not like this", { details: { with: "that" }, cause: "secret cause" });
    }),
    defineTool("boom").describe("Break").handle(() => {
      throw new Error("secret: password at /etc/shadow");
    }),
    defineTool("unwritable").describe("Return what JSON cannot say")
      .input(v.object({ what: v.picklist(["bigint", "cycle", "getter"]) }))
      .handle(({ what }) => UNWRITABLE[what]?.()),
    defineTool("wrong").describe("Return what was not declared").output(v.number()).handle(() =>
      "secret text" as unknown as number
    ),
    defineTool("hang").describe("Wait for the caller to leave").timeout(20_000).handle(async (_, ctx) => {
      const aborted = new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
      journal.seen.push("hang started");
      await aborted;
      journal.seen.push(`hang aborted: ${(ctx.signal.reason as ToolError).code}`);
    }),
    defineTool("brief").describe("Take longer than allowed").timeout(10).handle(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return "too late";
    }),
    defineTool("annotated").describe("Add to _meta").handle((_, ctx) => {
      ctx.meta({ "example.com/cost": 3 });
      return "ok";
    }),
    defineTool("big").describe("Return a long text").input(v.object({ length: v.number() })).handle(({ length }) =>
      "x".repeat(length)
    ),
  ] as const;
}

const UNWRITABLE: Record<string, () => unknown> = {
  bigint: () => 1n,
  cycle() {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    return value;
  },
  getter: () => ({
    get broken(): never {
      throw new Error("secret getter");
    },
  }),
};
