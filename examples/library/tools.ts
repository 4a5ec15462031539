/**
 * The library's tools that answer at once: search, report, description. Tools that run long, or ask, have separate files.
 *
 * @module
 */
import { defineTool } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import { writeReport } from "./report.ts";
import { searchRows, toHit } from "./search.ts";
import { summarizeColumn } from "./statistics.ts";
import { cellsOf, listTableIds, loadTable } from "./tables.ts";
import { unknownDataset } from "./unknown_dataset.ts";

/** `search_documents`: the rows of all tables that match a query, best first. */
export const searchDocuments = defineTool("search_documents")
  .type("query")
  .describe("Search through available documents")
  .input(v.object({
    query: v.pipe(v.string(), v.description("Search query")),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 10),
  }))
  .output(v.array(v.object({
    document_id: v.pipe(v.string(), v.description("Where the row is: its table, a slash, and its number in the table")),
    title: v.pipe(v.string(), v.description("What the row is about")),
    excerpt: v.pipe(v.string(), v.description("The row in a sentence or two")),
    table: v.pipe(v.string(), v.description("The row's table; describe_dataset takes it")),
  })))
  .annotate({ readOnlyHint: true, idempotentHint: true })
  .handle(async ({ query, limit }, ctx) => {
    const { total, hits } = await searchRows(query, limit);
    ctx.meta({ total_hits: total });
    return hits.map(toHit);
  });

/** `generate_report`: a report on a table or on what a search finds, streamed section by section. */
export const generateReport = defineTool("generate_report")
  .type("report")
  .describe("Write a report on a topic, computed from the library's tables: streamed text in Markdown")
  .input(v.object({
    topic: v.pipe(v.string(), v.description("A table's name, such as movies, or anything to search for")),
  }))
  .partial(v.string())
  .annotate({ readOnlyHint: true, idempotentHint: true })
  .handle(async function* ({ topic }, ctx) {
    for await (const piece of writeReport(topic)) {
      // A reader who has left needs no further sections.
      ctx.signal.throwIfAborted();
      yield piece;
    }
  });

/** `describe_dataset`: a table's columns, with their types, gaps and ranges. */
export const describeDataset = defineTool("describe_dataset")
  .type("query")
  .describe("Describe a table: its columns with their types, gaps, ranges and commonest values")
  .input(v.object({ dataset_id: v.pipe(v.string(), v.description("A table's name, such as movies")) }))
  .output(v.object({
    dataset_id: v.string(),
    title: v.string(),
    description: v.string(),
    row_count: v.pipe(v.number(), v.integer()),
    columns: v.array(v.object({
      name: v.pipe(v.string(), v.description("The column's name in the file")),
      type: v.picklist(["text", "number", "boolean", "date"]),
      missing: v.pipe(v.number(), v.integer(), v.description("Rows without a value")),
      distinct: v.pipe(v.number(), v.integer(), v.description("Different values")),
      min: v.exactOptional(v.pipe(v.union([v.number(), v.string()]), v.description("Smallest number, earliest date"))),
      max: v.exactOptional(v.pipe(v.union([v.number(), v.string()]), v.description("Largest number, latest date"))),
      mean: v.exactOptional(v.number()),
      median: v.exactOptional(v.number()),
      top: v.exactOptional(v.pipe(
        v.array(v.object({ value: v.string(), count: v.number() })),
        v.description("The commonest values, and how many rows have each"),
      )),
    })),
  }))
  .errors({ unknown_dataset: unknownDataset })
  .annotate({ readOnlyHint: true, idempotentHint: true })
  .handle(async ({ dataset_id }, ctx) => {
    const table = await loadTable(dataset_id);
    if (table === undefined) {
      const available = listTableIds();
      throw ctx.fail("unknown_dataset", `There is no dataset "${dataset_id}"`, { dataset_id, available });
    }
    return {
      dataset_id: table.id,
      title: table.title,
      description: table.about,
      row_count: table.rows.length,
      columns: table.columns.map((column) => summarizeColumn(column, cellsOf(table.rows, column))),
    };
  });
