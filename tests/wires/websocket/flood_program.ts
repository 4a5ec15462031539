/** A server whose tool yields without waiting, by `serve()` of each runtime. */
import { createServer, defineTool } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { mcpLite } from "../../../src/wires/mcp_lite/server/mcp_lite.ts";
import { webSocket } from "../../../src/entries/websocket.ts";

/** More pieces than are sent before another caller is answered. */
const MANY = 3_000_000;

let sent = 0;
const server = createServer({
  logger: false,
  tools: [
    defineTool("flood").describe("Yield without waiting").handle(async function* () {
      try {
        while (sent < MANY) yield sent++;
      } finally {
        console.log(sent < MANY ? "flood ended early" : "flood sent all pieces");
      }
    }),
    defineTool("is_flooding").describe("Whether there are pieces left to send").handle(() => sent < MANY),
  ],
  wires: [mcpLite(), webSocket()],
});
const { url } = await serve(server, { port: 0 });
console.log(`Listening on ${url}`);
