/**
 * Serves everything: `npm run everything -- --port 3000`, with `--stateless` for no sessions.
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { createEverything } from "./server.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "3000" }, stateless: { type: "boolean", default: false } },
});
const server = createEverything({ hasSessions: !values.stateless });
const running = await serve(server, { port: Number(values.port), signals: ["SIGINT", "SIGTERM"] });
process.stdout.write(`${running.url}/mcp\n`);
