/**
 * The two tools that the library has beside its own here: one that changes a resource, and one that asks its caller's model.
 *
 * @module
 */
import { defineTool } from "jsr:@toolwire/toolwire";
import * as v from "jsr:@toolwire/toolwire/schema";
import { listTableIds, loadTable } from "../library/tables.ts";
import { unknownDataset } from "../library/unknown_dataset.ts";
import { notes } from "./notes.ts";

/** `add_note`: writes a line into the notes, which callers can read and watch. */
export const addNote = defineTool("add_note")
  .type("action")
  .describe(`Write a note for whoever uses the library. All notes are in the resource ${notes.uri}`)
  .input(v.object({ text: v.pipe(v.string(), v.minLength(1), v.maxLength(500)) }))
  .output(v.object({ notes: v.pipe(v.number(), v.integer(), v.description("How many there are now")) }))
  .handle(({ text }) => ({ notes: notes.add(text) }));

/** `summarize_dataset`: a sentence about a table, by the caller's model. */
export const summarizeDataset = defineTool("summarize_dataset")
  .type("query")
  .describe("Sum up a table in one sentence. The sentence is written by the caller's own model")
  .input(v.object({ dataset_id: v.pipe(v.string(), v.description("A table's name, such as movies")) }))
  .output(v.object({ summary: v.string(), model: v.pipe(v.string(), v.description("Who wrote it")) }))
  .errors({ unknown_dataset: unknownDataset, not_written: null })
  .handle(async ({ dataset_id }, ctx) => {
    const table = await loadTable(dataset_id);
    if (table === undefined) {
      const available = listTableIds();
      throw ctx.fail("unknown_dataset", `There is no dataset "${dataset_id}"`, { dataset_id, available });
    }
    const { title, about, rows, columns } = table;
    if (!ctx.client.supports("sampling")) {
      return { summary: about, model: "the library's own words" };
    }

    const text = `Sum up in one sentence: ${title}. ${about} ${rows.length} rows of ${columns.join(", ")}.`;
    const answer = await ctx.sample("summary", {
      messages: [{ role: "user", content: { type: "text", text } }],
      maxTokens: 100,
    });
    if (answer.action !== "accept") {
      throw ctx.fail("not_written", "The caller's model was not asked");
    }
    const [block] = [answer.content.content].flat();
    return {
      summary: String(block?.["text"] ?? ""),
      model: answer.content.model,
    };
  });
