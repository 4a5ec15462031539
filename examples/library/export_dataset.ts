/**
 * `export_dataset`: a tool that asks its caller something before it answers, and for more than it may give away.
 *
 * @module
 */
import { defineTool } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import { formatCsv } from "./csv.ts";
import { countNoun } from "./format.ts";
import { listTableIds, loadTable } from "./tables.ts";
import { unknownDataset } from "./unknown_dataset.ts";

/** Rows that anyone may have; for the others the caller has to grant its own. */
const freeRows = 20;

/** Most rows of one export. */
const mostRows = 1000;

/** `export_dataset`: rows of a table as CSV, as many as the caller says when asked. */
export const exportDataset = defineTool("export_dataset")
  .type("action")
  .describe(`Export a table as CSV. Asks how many rows are wanted; more than ${freeRows} take a grant of rows`)
  .input(v.object({ dataset_id: v.pipe(v.string(), v.description("A table's name, such as movies")) }))
  .output(v.object({
    dataset_id: v.string(),
    row_count: v.pipe(v.number(), v.integer(), v.description("Rows in the CSV, beside its header")),
    csv: v.string(),
  }))
  .errors({ unknown_dataset: unknownDataset, not_wanted: null })
  .handle(async ({ dataset_id }, ctx) => {
    const table = await loadTable(dataset_id);
    if (table === undefined) {
      const available = listTableIds();
      throw ctx.fail("unknown_dataset", `There is no dataset "${dataset_id}"`, { dataset_id, available });
    }
    // The first run of this function ends here. Once the caller has answered, it runs again, and continues.
    const answer = await ctx.elicit("size", {
      message: `The table has ${countNoun(table.rows.length, ...table.noun)}. How many rows do you want?`,
      schema: v.object({ rows: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(mostRows)) }),
    });
    if (answer.action !== "accept") throw ctx.fail("not_wanted", "No rows were wanted after all");

    const rows = table.rows.slice(0, answer.content.rows);
    if (rows.length > freeRows) {
      const amount = rows.length - freeRows;
      // Ends the call with the failure resource_denied if there is no grant.
      await ctx.requestMore("rows", { amount, reason: `${freeRows} rows are free, ${amount} more were asked for` });
    }
    return { dataset_id, row_count: rows.length, csv: formatCsv(table.columns, rows) };
  });
