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
  // Ctrl+C lets calls under way end first; a second one does not wait. gRPC is on the same port, which is for development.
  const running = await serve(server, { port, grpc: true, signals: ["SIGINT", "SIGTERM"] });
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
    "# Work that takes seconds: the answer is a promise, with its token in _meta.promise_token",
    `TOKEN=$(${curl}/calltools ${json} -d '${
      formatCall("analyze_dataset", { dataset_id: "large_dataset_001", analysis_type: "comprehensive" }, "analysis-001")
    }' | tee /dev/stderr | grep -o 'prom_[A-Za-z0-9_-]*')`,
    "",
    '# How far is it? Again and again, until it is the answer; with "wait_ms":20000 the server waits for it',
    `${curl}/calltools ${json} -d '${formatCall("redeem", { promise: "'$TOKEN'" }, "redeem-001")}'`,
    "",
    "# Work that is not wanted any more",
    `${curl}/calltools ${json} -d '${formatCall("cancel", { promise: "'$TOKEN'" })}'`,
    "",
    "# A tool that asks: the question comes with a continuation, and so does the answer that repeats the call",
    `${curl}/calltools ${json} -d '${formatCall("export_dataset", { dataset_id: "penguins" })}'`,
    "",
    "# A tool that is not there",
    `${curl}/calltools ${json} -d '${formatCall("serch_documents", { query: "godfather" })}'`,
    "",
    "# A call by gRPC",
    `npx buf curl --protocol grpc --http2-prior-knowledge ${new URL("/mcplite.MCPLite/CallTool", url)} -d '${
      JSON.stringify({ name: "search_documents", arguments: { query: "godfather", limit: 3 } })
    }'`,
    "",
  ].join("\n"));
}

/** A JSON-RPC call; the only quotes in the arguments above that a shell minds let it put in the token. */
function formatCall(name: string, args: Readonly<Record<string, unknown>>, id: string | number = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
}

/** Bun and Node name the error by its code; Deno by its class. */
function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && (("code" in error && error.code === "EADDRINUSE") || error.name === "AddrInUse");
}
