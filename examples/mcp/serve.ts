/**
 * Serves the library over HTTP, for hosts that are given a URL: `bun examples/mcp/serve.ts`, with `--port 8000` for another port
 * than any that is free.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server } from "./server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const running = await serve(server, { port: Number(values.port), signals: ["SIGINT", "SIGTERM"] });
console.log(`${running.url}/mcp`);
