/**
 * What people can pick in their host: questions about the tables, ready for a model.
 *
 * @module
 */
import { content, definePrompt, type Prompt, user } from "jsr:@toolwire/toolwire/mcp";
import { ToolError } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import { summarizeColumn } from "../library/statistics.ts";
import { cellsOf, listTableIds, loadTable, type Table } from "../library/tables.ts";

const dataset = v.pipe(v.string(), v.description("A table's name, such as movies"));

/** What a person has typed of a table's name. */
const completeDataset = (typed: string) => listTableIds().filter((id) => id.startsWith(typed));

async function openTable(id: string): Promise<Table> {
  const table = await loadTable(id);
  if (table !== undefined) return table;
  throw new ToolError("invalid_input", `There is no dataset "${id}": choose one of ${listTableIds().join(", ")}`);
}

const exploreDataset = definePrompt("explore_dataset")
  .title("Explore a table")
  .describe("Have a table looked over, and what is remarkable about it told")
  .input(v.object({
    dataset_id: dataset,
    question: v.optional(v.pipe(v.string(), v.description("What you want to know")), "What is remarkable about it?"),
  }))
  .complete({ dataset_id: completeDataset })
  .handle(async ({ dataset_id, question }) => {
    const { title, about, file } = await openTable(dataset_id);
    return [
      user(`${title}: ${about} ${question} Use the library's tools to find out; say which numbers you rest on.`),
      user(content.resourceLink({ uri: `library://files/${file}`, name: file, title })),
    ];
  });

const explainColumn = definePrompt("explain_column")
  .title("Explain a column")
  .describe("Have a column of a table explained, with what its values are")
  .input(v.object({ dataset_id: dataset, column: v.pipe(v.string(), v.description("A column of it")) }))
  .complete({
    dataset_id: completeDataset,
    column: async (typed, _ctx, given) => {
      const columns = (await loadTable(given["dataset_id"] ?? ""))?.columns ??
        [];
      return columns.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
    },
  })
  .handle(async ({ dataset_id, column }) => {
    const { title, rows, columns } = await openTable(dataset_id);
    if (!columns.includes(column)) {
      throw new ToolError("invalid_input", `${title} has no column "${column}": choose one of ${columns.join(", ")}`);
    }
    const summary = summarizeColumn(column, cellsOf(rows, column));
    return [
      user(`What does the column "${column}" of the table "${title}" mean, and what stands out in it?`),
      user(content.embeddedResource({
        uri: `library://columns/${dataset_id}/${encodeURIComponent(column)}`,
        mimeType: "application/json",
        text: JSON.stringify(summary),
      })),
    ];
  });

/** All of them. */
export const prompts: readonly Prompt[] = [exploreDataset, explainColumn];
