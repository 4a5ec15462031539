/** A Worker with WebSockets. */
import { createServer, defineTool } from "../../mod.ts";
import { webSocket } from "../../src/entries/websocket.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");
const server = createServer({ tools: [ping], wires: [webSocket()] });

export default { fetch: server.fetch };
