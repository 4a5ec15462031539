/** A Worker with WebSockets. */
import { createServer, defineTool } from "../../mod.ts";
import { webSocket } from "../../src/wires/mcp_lite/websocket/mod.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");
const server = createServer({ tools: [ping], wires: [webSocket()] });

export default { fetch: server.fetch };
