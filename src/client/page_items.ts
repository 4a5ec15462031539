/** The items of a page of an answer with a budget, whichever member has them. */
import { isJsonObject, type Members } from "../internal/json.ts";

/**
 * Returns the items of a page, rows of a table as objects; of a page of text, the text.
 *
 * @throws {TypeError} If the answer has no list, or several of which none is called `items`.
 */
export function itemsOf(page: unknown, tool: string): readonly unknown[] {
  const { columns, ...members }: Members = isJsonObject(page) ? page : {};
  const isTable = Array.isArray(columns);
  const lists = Object.entries(isTable ? members : { ...members, columns }).filter(([, value]) => Array.isArray(value));
  const [, items] = lists.find(([name]) => name === "items") ?? (lists.length === 1 ? lists[0]! : []);
  if (Array.isArray(items)) return isTable ? items.map((row) => toObject(columns, row)) : items;
  if (lists.length === 0 && typeof members["text"] === "string") return [members["text"]];
  const found = lists.length === 0 ? "no list" : `several lists: ${lists.map(([name]) => name).join(", ")}`;
  throw new TypeError(
    `Cannot iterate over the answer of "${tool}": it has ${found}. Read the pages with the tool "more" and their member more`,
  );
}

function toObject(columns: readonly unknown[], row: unknown): unknown {
  if (!Array.isArray(row)) return row;
  return Object.fromEntries(columns.map((name, index) => [String(name), row[index]]));
}
