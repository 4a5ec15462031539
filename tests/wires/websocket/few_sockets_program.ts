/** A server with room for two WebSockets, until SIGTERM. */
import { createServer, defineTool } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { webSocket } from "../../../src/entries/websocket.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");
const server = createServer({ tools: [ping], wires: [webSocket({ maxConnections: 2 })], logger: false });
const { url } = await serve(server, { port: 0, graceMs: 0, signals: ["SIGTERM"] });
console.log(`Listening on ${url}`);
