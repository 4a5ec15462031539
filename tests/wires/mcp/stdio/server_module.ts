/** A server for `toolwire stdio`: noisy where it must not be, and never quiet for long. */
import { createServer, defineTool } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";

console.log("noise at the start");

const echo = defineTool("echo")
  .describe("Say it again")
  .input(v.object({ text: v.string() }))
  .handle(({ text }) => {
    console.log("noise", text);
    return text;
  });

const later = defineTool("later")
  .describe("Say it later")
  .input(v.object({ ms: v.number() }))
  .handle(async ({ ms }, ctx) => {
    ctx.progress(1, 2);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return "late";
  });

const greet = defineTool("greet")
  .describe("Ask for a name, and greet")
  .handle(async (_, ctx) => {
    const answer = await ctx.elicit("name", { message: "Who?", schema: v.object({ name: v.string() }) });
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello!";
  });

const server = createServer({
  name: "noisy",
  version: "1.0.0",
  tools: [echo, later, greet],
  keys: "k1:a secret that is long enough for all the tests",
});

export default server;
