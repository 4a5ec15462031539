/** A program of a user whose client asks in the terminal: two calls at the same time, with a form and a secret. */
import { askInTerminal } from "../../../apps/cli/mod.ts";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";

const order = defineTool("order").describe("Order").handle(async (_, ctx) => {
  const answer = await ctx.elicit("order", {
    message: "What will it be?",
    schema: v.object({ count: v.pipe(v.number(), v.integer()) }),
  });
  return answer.action === "accept" ? `${answer.content.count} ordered` : answer.action;
});
const signIn = defineTool("sign_in").describe("Sign in").handle(async (_, ctx) => {
  const answer = await ctx.elicit("password", {
    message: "Sign in",
    schema: {
      type: "object",
      properties: { password: { type: "string", format: "password" } },
      required: ["password"],
    } as const,
  });
  return answer.action === "accept" ? `${answer.content.password.length} characters` : answer.action;
});

const server = createServer({ tools: [order, signIn], keys: "k1:a secret of at least thirty-two bytes" });
const client = createClient<typeof server>(memoryTransport(server), { onElicitation: askInTerminal() });
const results = await Promise.allSettled([client.order(), client.sign_in()]);
for (const result of results) console.log(result.status === "fulfilled" ? result.value : result.reason.message);
await server.close(0);
