/** The tools of the examples in docs/spec.md A, with their answers: `specification_server.ts [path] [tool,…]`. */
import process from "node:process";
import { createServer, defineTool, mcpLite } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import * as v from "../../src/entries/schema.ts";

const [, , path = "/mcp-lite/v1", names = "search_documents,analyze_dataset,generate_report"] = process.argv;

const searchDocuments = defineTool("search_documents")
  .type("query")
  .describe("Search through available documents")
  .input(v.object({
    query: v.pipe(v.string(), v.description("Search query")),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 10),
  }))
  .handle(({ query, limit }) => {
    const found = [{
      document_id: "doc_123",
      title: "MCP Protocol Overview",
      excerpt: "The Model Context Protocol enables...",
    }];
    return query === "MCP specification" && limit === 5 ? found : [];
  });

const generateReport = defineTool("generate_report")
  .type("report")
  .describe("Write a report")
  .input(v.object({ topic: v.string() }))
  .handle(async function* () {
    yield "Quarterly Report\n\nExecutive Summary";
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield "\n\nRevenue for Q4 increased by 15%...";
  });

const analyzeDataset = defineTool("analyze_dataset")
  .type("analysis")
  .describe("Analyze a dataset")
  .input(v.object({ dataset_id: v.string(), analysis_type: v.string() }))
  .promise({ budgetMs: 200 })
  .handle(async ({ dataset_id }, ctx) => {
    ctx.progress(1, 2, "half");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return { dataset_id, rows: 42 };
  });

const server = createServer({
  name: "specification",
  version: "1.0.0",
  tools: [searchDocuments, analyzeDataset, generateReport].filter(({ name }) => names.split(",").includes(name)),
  wires: [mcpLite({ path })],
});
const { url } = await serve(server, { port: 0 });
console.log(`Listening on ${url}`);
