// Callers beside each other, each against its own library's server: prints calls a second of each round, as JSON.
// `callers.mjs <urls as JSON> <workload> <in flight> <rounds> <calls>`.
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import { createTRPCClient, httpLink } from "@trpc/client";
import { hc } from "hono/client";
import process from "node:process";
import { timeCallers } from "../caller_rounds.mjs";
import { createClient } from "../grpc/package.mjs";
import { workloads } from "./tools.mjs";

const [, , urlsJson, workload, ...counts] = process.argv;
const urls = JSON.parse(urlsJson);
const { tool: { name, stream }, inputs } = workloads[workload];
const rpc = `${urls.toolwire}/mcp-lite/v1/rpc`;
const client = createClient(`${urls.toolwire}/mcp-lite/v1`);

async function readBare(args) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const headers = { "content-type": "application/json", accept: stream ? "text/event-stream" : "application/json" };
  const text = await (await fetch(rpc, { method: "POST", headers, body })).text();
  // The least that a caller of a stream does: every event's data, parsed.
  return stream ? text.match(/(?<=^data: ).*/gm).map((data) => JSON.parse(data)) : JSON.parse(text);
}

async function readPieces(pieces) {
  let last;
  for await (const piece of pieces) last = piece;
  return last;
}

const bare = { "fetch and JSON.parse": readBare };
const callers = stream
  ? {
    ...bare,
    toolwire: (args) => readPieces(client[name].stream(args)),
    oRPC: async (args) => readPieces(await orpc[name](args)),
  }
  : {
    ...bare,
    toolwire: (args) => client[name](args),
    tRPC: (args) => trpc[name].mutate(args),
    oRPC: (args) => orpc[name](args),
    "hono RPC": async (args) => (await hono.rpc[name].$post({ json: args })).json(),
  };
const trpc = createTRPCClient({ links: [httpLink({ url: `${urls.tRPC}/rpc` })] });
const orpc = createORPCClient(new RPCLink({ url: `${urls.oRPC}/rpc` }));
const hono = hc(urls["hono RPC"]);

const [inFlight, rounds, calls] = counts.map(Number);
console.log(JSON.stringify(await timeCallers(callers, inputs, { inFlight, rounds, calls })));
process.exit(0);
