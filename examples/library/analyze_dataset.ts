/**
 * `analyze_dataset`: work that takes longer than a caller should wait, as in docs/spec.md A.3.
 *
 * The handler knows nothing of promises. It reports progress, heeds `ctx.signal`, and returns its result; `.promise()` is
 * what turns it into a promise when it takes longer than its budget.
 *
 * @module
 */
import { defineTool } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import { analyzeTable } from "./analysis.ts";
import { findTable } from "./catalog.ts";
import { listTableIds, loadTable } from "./tables.ts";
import { unknownDataset } from "./unknown_dataset.ts";

const count = v.pipe(v.number(), v.integer());

const estimate = v.pipe(
  v.object({ value: v.number(), low: v.number(), high: v.number() }),
  v.description("What the rows give, and between which bounds 95 of 100 resamples find it"),
);

/** `analyze_dataset`: estimates of a table's numeric columns and their correlations, by resampling. */
export const analyzeDataset = defineTool("analyze_dataset")
  .type("analysis")
  .describe("Analyze a table by resampling: how sure its means and medians are, and which columns go together")
  .input(v.object({
    dataset_id: v.pipe(v.string(), v.description("A table's name, such as movies")),
    analysis_type: v.optional(
      v.pipe(
        v.picklist(["estimates", "correlations", "comprehensive"]),
        v.description("Each column by itself, each pair of columns, or both"),
      ),
      "comprehensive",
    ),
  }))
  .output(v.object({
    dataset_id: v.string(),
    analysis_type: v.string(),
    row_count: count,
    findings: v.pipe(v.array(v.string()), v.description("The gist, in sentences")),
    estimates: v.array(v.object({ column: v.string(), count, mean: estimate, median: estimate })),
    correlations: v.pipe(
      v.array(v.object({
        columns: v.array(v.string()),
        count: v.pipe(count, v.description("Rows that have both")),
        coefficient: v.pipe(v.number(), v.description("Spearman's rank correlation, -1 to 1")),
        p_value: v.pipe(v.number(), v.description("Share of shuffles that tie the columns together as closely")),
      })),
      v.description("Closest first"),
    ),
  }))
  .errors({ unknown_dataset: unknownDataset })
  .annotate({ readOnlyHint: true, idempotentHint: true })
  .promise({ budgetMs: 500 })
  .handle(async ({ dataset_id, analysis_type }, ctx) => {
    // By its other names, too: the specification calls its dataset large_dataset_001.
    const table = await loadTable(findTable(dataset_id)?.id ?? dataset_id);
    if (table === undefined) {
      const available = listTableIds();
      throw ctx.fail("unknown_dataset", `There is no dataset "${dataset_id}"`, { dataset_id, available });
    }
    const analysis = await analyzeTable(table, {
      type: analysis_type,
      signal: ctx.signal,
      onProgress: (percent, message) => ctx.progress(percent, 100, message),
    });
    return { dataset_id: table.id, analysis_type, row_count: table.rows.length, ...analysis };
  });
