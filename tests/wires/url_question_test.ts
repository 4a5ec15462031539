/** A question with a page to visit, put to a client without a handler, ends the call at once with the option to pass, over every wire. */
import { rejects } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../mod.ts";
import { COMPOSED, isChosen, skipOf, WIRES, wires } from "./matrix.ts";

for (const wire of [...WIRES, ...COMPOSED]) {
  if (!isChosen(wire, 0)) continue;
  test(`${wire.name}: a page to visit needs onElicitation, which the error names`, {
    skip: skipOf(wire, ["questions"]),
  }, async () => {
    const visit = defineTool("visit").describe("Send the caller to a page").handle(async (_, ctx) => {
      const { action } = await ctx.elicitUrl("page", { message: "Sign in", url: "https://example.com/sign-in" });
      return action;
    });
    const server = createServer({
      tools: [visit],
      wires,
      keys: "k1:a secret of at least thirty-two bytes",
      logger: false,
    });
    const { transport, close } = await wire.open(server);
    try {
      await rejects(createClient(transport).$.call("visit"), { code: "invalid_request", message: /onElicitation/ });
    } finally {
      await close();
      await server.close(0);
    }
  });
}
