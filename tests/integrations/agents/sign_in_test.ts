/** Tools of a server with sign-in are given to a model with a caller, or refused: never as those of no user, in silence. */
import { rejects } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { anthropicTools, langchainTools, openaiTools } from "../../../src/entries/agents.ts";
import { bearer } from "../../../src/entries/auth.ts";

const whoami = defineTool("whoami").describe("Who calls").handle((_, ctx) => ctx.principal?.id ?? "");
const refusal = {
  name: "TypeError",
  message:
    'Cannot give tools to a model: the server has auth, and no caller is given; pass memoryTransport(server, { principal: { id: "…" } })',
};

for (const [name, toolsOf] of Object.entries({ anthropicTools, langchainTools, openaiTools })) {
  test(`${name}: a server with sign-in needs a caller`, async () => {
    const server = createServer({ tools: [whoami], auth: bearer((id) => ({ id })) });
    await rejects(async () => await toolsOf(server), refusal);
    await toolsOf(memoryTransport(server, { principal: { id: "ada" } }));
    await toolsOf(createServer({ tools: [whoami], auth: bearer((id) => ({ id }), { allowAnonymous: true }) }));
    await toolsOf(createServer({ tools: [whoami] }));
  });
}

test("text in place of a source names a transport that there is", async () => {
  await rejects(async () => await openaiTools("http://localhost" as never), {
    message: /such as mcpTransport\(url\)$/,
  });
});
