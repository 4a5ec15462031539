/**
 * The typed client: knows the server by its type, and gRPC only as the way there.
 *
 * @module
 */
import { ok } from "node:assert/strict";
import { createClient, type InferOutput, ToolError } from "jsr:@toolwire/toolwire";
import { grpcTransport } from "jsr:@toolwire/toolwire/grpc";
import type { analyzeDataset } from "../library/analyze_dataset.ts";
import type { server } from "../library/server.ts";
import { REPORT, SEARCH, type Task, TOO_MUCH, type Visit } from "./visit.ts";

/** Visits the library. */
export async function visitTyped({ address, token }: Task): Promise<Visit> {
  const library = createClient<typeof server>(grpcTransport(address));
  const tools = await library.$.list();
  const hits = await library.search_documents(SEARCH);
  const report = await Array.fromAsync(library.generate_report.stream(REPORT));
  const analysis = await library.$.redeem<InferOutput<typeof analyzeDataset>>(token).result();
  const error = await library.search_documents(TOO_MUCH).catch((thrown) => thrown);
  ok(error instanceof ToolError);
  library.$.close();
  return {
    tools: tools.map(({ name }) => name),
    found: hits.map(({ title }) => title),
    report,
    rows: analysis.row_count,
    refusal: error.message,
  };
}
