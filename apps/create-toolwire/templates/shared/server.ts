/** The tools. Add yours beside these; server_test.ts shows how to test them. */
import { createServer, defineTool } from "toolwire";
import * as v from "toolwire/schema";

const greet = defineTool("greet")
  .describe("Greet someone by name")
  .input(v.object({ name: v.pipe(v.string(), v.minLength(1)) }))
  .output(v.string())
  .annotate({ readOnlyHint: true })
  .handle(({ name }) => `Hello, ${name}!`);

const countDown = defineTool("count_down")
  .describe("Count down to 1, a number at a time")
  .input(v.object({ from: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)) }))
  .annotate({ readOnlyHint: true })
  .handle(async function* ({ from }, ctx) {
    for (let left = from; left > 0; left--) {
      ctx.signal.throwIfAborted();
      yield left;
    }
    return "done";
  });

export const server = createServer({ name: "{{name}}", version: "0.1.0", tools: [greet, countDown] });
