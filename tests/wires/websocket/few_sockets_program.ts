/** A server with room for two WebSockets, until SIGTERM. Its time passes when the tool `pass` is called. */
import { createServer, defineTool, mcpLite } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { webSocket } from "../../../src/entries/websocket.ts";

const ping = defineTool("ping").describe("Answer").handle(() => "pong");
const clock = new FakeClock(Date.now());
const pass = defineTool("pass").describe("Pass ten seconds").handle(() => clock.tick(10_000));
const server = createServer({
  tools: [ping, pass],
  wires: [mcpLite(), webSocket({ maxConnections: 2 })],
  logger: false,
  clock,
});
const { url } = await serve(server, { port: 0, graceMs: 0, signals: ["SIGTERM"] });
console.log(`Listening on ${url}`);
