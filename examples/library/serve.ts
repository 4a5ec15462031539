/**
 * Serves the library on port 8000 and prints commands to try it with.
 *
 * Run with `npm run serve`, or `bun examples/library/serve.ts`, or `deno run -A examples/library/serve.ts`.
 *
 * @module
 */
import process from "node:process";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server } from "./server.ts";

const port = 8000;

try {
  // Ctrl+C lets calls under way end first; a second one does not wait.
  const running = await serve(server, { port, signals: ["SIGINT", "SIGTERM"] });
  printHelp(new URL("/mcp-lite/v1", running.url).href);
} catch (error) {
  if (!isAddressInUse(error)) throw error;
  console.error(`Cannot serve the library: port ${port} is taken. End what listens there, and try again.`);
  process.exitCode = 1;
}

function printHelp(url: string): void {
  const curl = `curl -s ${url}`;
  const json = "-H 'content-type: application/json'";
  console.log([
    `The library is served on ${url} (Ctrl+C ends it). In another terminal:`,
    "",
    "# What is there?",
    `${curl}/tools ${json} -d '{}'`,
    "",
    "# A call",
    `${curl}/calltools ${json} -d '${formatCall("search_documents", { query: "godfather", limit: 3 })}'`,
    "",
    "# A report, streamed as Server-Sent Events",
    `${curl}/calltools -N ${json} -H 'accept: text/event-stream' -d '${
      formatCall("generate_report", { topic: "movies" })
    }'`,
    "",
    "# A tool that is not there",
    `${curl}/calltools ${json} -d '${formatCall("serch_documents", { query: "godfather" })}'`,
    "",
  ].join("\n"));
}

/** A JSON-RPC call; none of the arguments above has a quote that a shell would trip over. */
function formatCall(name: string, args: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
}

/** Bun and Node name the error by its code; Deno by its class. */
function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && (("code" in error && error.code === "EADDRINUSE") || error.name === "AddrInUse");
}
