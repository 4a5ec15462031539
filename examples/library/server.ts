/**
 * The library as a server: its tools behind one `fetch` function, as REST too, and by gRPC.
 *
 * @module
 */
import { createServer, mcpLite } from "jsr:@toolwire/toolwire";
import { grpc } from "jsr:@toolwire/toolwire/grpc";
import { rest } from "jsr:@toolwire/toolwire/rest";
import { analyzeDataset } from "./analyze_dataset.ts";
import { exportDataset } from "./export_dataset.ts";
import { describeDataset, generateReport, searchDocuments } from "./tools.ts";

/** The library's server; `createClient<typeof server>` reads its tools from this type. */
export const server = createServer({
  name: "library",
  version: "1.0.0",
  tools: [searchDocuments, generateReport, describeDataset, analyzeDataset, exportDataset],
  wires: [mcpLite(), grpc(), rest()],
  // What promise tokens are signed with. Here they end with the process anyway, as do the jobs of the default engine; with
  // replicas, or an engine that outlives a restart, it is keysFromEnv() of "jsr:@toolwire/toolwire/serve".
  keys: `k1:${crypto.randomUUID()}`,
  // serve() would hold it to these names anyway; so does a bare `fetch`, wherever the server is mounted.
  hosts: ["localhost", "127.0.0.1", "[::1]"],
  logger: console,
});
