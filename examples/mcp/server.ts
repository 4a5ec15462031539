/**
 * The library for MCP hosts: its tools, its data as resources, and prompts. `toolwire stdio examples/mcp/server.ts` serves it to
 * a host that starts programs, `serve.ts` to those that are given a URL.
 *
 * @module
 */
import { createServer, mcpLite } from "jsr:@toolwire/toolwire";
import { mcp, mcpSessions } from "jsr:@toolwire/toolwire/mcp";
import { analyzeDataset } from "../library/analyze_dataset.ts";
import { exportDataset } from "../library/export_dataset.ts";
import { describeDataset, generateReport, searchDocuments } from "../library/tools.ts";
import { notes } from "./notes.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";
import { addNote, summarizeDataset } from "./tools.ts";

/** The server; `createClient<typeof server>` reads its tools from this type. */
export const server = createServer({
  name: "library",
  version: "1.0.0",
  title: "The library",
  instructions: "Ten tables of real data. Search first; describe_dataset tells a table's columns.",
  tools: [searchDocuments, generateReport, describeDataset, analyzeDataset, exportDataset, addNote, summarizeDataset],
  resources,
  prompts,
  // Sessions are for clients of revisions before 2026-07-28, which get no notifications without them.
  wires: [mcp({ sessions: mcpSessions() }), mcpLite()],
  keys: `k1:${crypto.randomUUID()}`,
  hosts: ["localhost", "127.0.0.1", "[::1]"],
  logger: console,
});

notes.onAdded(() => server.notify.resourceUpdated(notes.uri));
