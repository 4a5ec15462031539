/**
 * A server to try things on, with the sources of this folder: `bun --watch play.ts`, `deno run -A --watch play.ts` or, on Node 24,
 * `node --watch play.ts`. Change it as you like; `git update-index --skip-worktree play.ts` keeps your changes out of commits.
 *
 * @module
 */
import { createClient, createServer, defineTool, memoryTransport } from "./mod.ts";
import * as v from "./src/entries/schema.ts";

const greet = defineTool("greet")
  .describe("Greet someone")
  .input(v.object({ name: v.string() }))
  .handle(async ({ name }, ctx) => {
    const { action } = await ctx.elicit("sure", { message: `Greet ${name}?`, schema: v.object({}) });
    return action === "accept" ? `Hello, ${name}!` : "Then not.";
  });

const server = createServer({
  name: "play",
  version: "0.0.0",
  tools: [greet],
  keys: "play:a secret of at least thirty-two bytes",
});
const client = createClient<typeof server>(memoryTransport(server), {
  onElicitation: () => ({ action: "accept", content: {} }),
});

console.log(await client.greet({ name: "Ada" }));
await server.close();
