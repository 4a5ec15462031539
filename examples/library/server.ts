/**
 * The library as a server: the three tools behind one `fetch` function.
 *
 * @module
 */
import { createServer } from "jsr:@toolwire/toolwire";
import { describeDataset, generateReport, searchDocuments } from "./tools.ts";

/** The library's server; `createClient<typeof server>` reads its tools from this type. */
export const server = createServer({
  name: "library",
  version: "1.0.0",
  tools: [searchDocuments, generateReport, describeDataset],
  // serve() would hold it to these names anyway; so does a bare `fetch`, wherever the server is mounted.
  hosts: ["localhost", "127.0.0.1", "[::1]"],
  logger: console,
});
