/** The server that agents get in these tests: a tool for each way in which a call can go. */
import { createServer, defineTool, ToolError } from "../../../mod.ts";
import type { RequestWire } from "../../../src/entries/wire.ts";
import * as v from "../../../src/entries/schema.ts";

/** A fresh server, and what its handlers saw. */
export function createAgentFixture(...wires: readonly RequestWire[]) {
  const seen: string[] = [];
  const tools = [
    defineTool("math.add").describe("Add two numbers")
      .input(v.object({ a: v.number(), b: v.optional(v.number(), 10) }))
      .output(v.object({ sum: v.number() }))
      .handle(({ a, b }) => ({ sum: a + b })),
    defineTool("tell_story").describe("Tell a story, piece by piece")
      .input(v.object({ about: v.string() }))
      .partial(v.string()).output(v.string())
      .handle(async function* ({ about }) {
        yield "Once upon a time ";
        await Promise.resolve();
        yield `there was ${about}.`;
      }),
    defineTool("bake_cake").describe("Bake a cake, which takes longer than a caller waits")
      .input(v.object({ layers: v.number() })).output(v.string())
      .promise({ budgetMs: 10, retries: 0 })
      .handle(async ({ layers }, ctx) => {
        for (let layer = 1; layer <= layers; layer++) {
          ctx.progress(layer, layers, "baking");
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
        return `a cake of ${layers} layers`;
      }),
    defineTool("open_door").describe("Open the door, which is locked")
      .errors({ locked: v.object({ by: v.string() }) })
      .handle((_, ctx): string => {
        throw ctx.fail("locked", "The door is locked", { by: "Ada" });
      }),
    defineTool("delete_record").describe("Delete a record, once that is confirmed")
      .input(v.object({ id: v.string() })).output(v.string())
      .handle(async ({ id }, ctx) => {
        const answer = await ctx.elicit("confirm", {
          message: `Delete record ${id}?`,
          schema: v.object({ confirmed: v.boolean() }),
        });
        return answer.action === "accept" && answer.content.confirmed ? "deleted" : "kept";
      }),
    defineTool("break_down").describe("Break").handle((): string => {
      throw new Error("secret: a stack, a path, a password");
    }),
    defineTool("get_rate").describe("Refuse").handle((): string => {
      throw new ToolError("rate_limited", "Slow down", { details: { retry_after_ms: 60_000 } });
    }),
    defineTool("wait_long").describe("Wait until the caller has gone").timeout(20_000).handle(async (_, ctx) => {
      seen.push("waits");
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
      seen.push("aborted");
    }),
    defineTool("do_nothing").describe("Return nothing").handle(() => {}),
    defineTool("draw").describe("Draw a shape")
      .input(v.variant("shape", [
        v.object({ shape: v.literal("circle"), radius: v.number() }),
        v.object({ shape: v.literal("square"), side: v.number() }),
      ]))
      .output(v.string())
      .handle((input) => input.shape === "circle" ? `circle ${input.radius}` : `square ${input.side}`),
  ] as const;
  const keys = "k1:a secret that all of these servers know";
  return { server: createServer({ name: "agents", version: "1.0.0", tools, keys, wires }), seen };
}

/** Its type, for typed clients. */
export type AgentServer = ReturnType<typeof createAgentFixture>["server"];
