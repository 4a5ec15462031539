/**
 * What the library lets callers read: the files of its tables as they are, each row by itself, and the notes.
 *
 * @module
 */
import { defineResource, type Resource } from "jsr:@toolwire/toolwire/mcp";
import { catalog } from "../library/catalog.ts";
import { listTableIds, loadTable, readSource } from "../library/tables.ts";
import { notes } from "./notes.ts";

/** One resource a file: `library://files/movies.json`. */
const files: readonly Resource[] = catalog.map((spec) =>
  defineResource(`library://files/${spec.file}`)
    .name(spec.file)
    .title(spec.title)
    .describe(spec.about)
    .mimeType(spec.file.endsWith(".csv") ? "text/csv" : "application/json")
    .annotate({ audience: ["assistant"] })
    .read(() => readSource(spec))
);

/** A row, under the `document_id` that search_documents gives it. */
const row = defineResource("library://rows/{table}/{number}")
  .name("row")
  .title("A row of a table")
  .describe("A row by its table and its number, from 1, as JSON. The document_id of search_documents is both")
  .mimeType("application/json")
  .complete({
    table: (typed) => listTableIds().filter((id) => id.startsWith(typed)),
    // `given` is what the caller already has filled in.
    number: async (typed, _ctx, given) => {
      const count = (await loadTable(given["table"] ?? ""))?.rows.length ?? 0;
      return Array.from({ length: count }, (_, index) => String(index + 1))
        .filter((number) => number.startsWith(typed));
    },
  })
  // Both variables come from the caller, unchecked: they are looked up, and nothing else. No row is `undefined`, which
  // answers that the resource does not exist.
  .read(async ({ table, number }) => {
    const found = (await loadTable(table))?.rows[Number(number) - 1];
    return found && JSON.stringify(found);
  });

const notebook = defineResource(notes.uri)
  .name("notes")
  .title("Notes")
  .describe("What visitors have written down with add_note")
  .mimeType("text/markdown")
  .read(() => notes.toMarkdown());

/** All of them. */
export const resources: readonly Resource[] = [...files, row, notebook];
