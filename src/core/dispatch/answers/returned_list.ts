/** What a handler with a budget returned, as a list with the members beside it, and as rows of a table. */
import { isJsonObject, type Json, type Members } from "../../../internal/json.ts";

/** The list in what a handler with `budget()` returned, the members beside it, and whether further parts follow. */
export interface ReturnedList {
  /** Name of the member of pages that has the items. */
  readonly name: string;
  /** The items that the handler returned: all, or those of one part. */
  readonly items: readonly unknown[];
  /** Members of each page, among them that of the items. */
  readonly members: Members;
  /** Number of all items. `undefined` if it is not known. */
  readonly total: number | undefined;
  /** Cursor of the part that follows. */
  readonly next: Json | undefined;
}

/** Members that pages have beside those of the handler. */
export const PAGE_MEMBERS: readonly string[] = ["more", "note", "changed"];

/**
 * Reads the list of an answer. `undefined` if it has no list.
 *
 * @param name Name of the member that has the list, if the handler returns an object of which the other members are kept.
 * @throws {TypeError} If the answer has a member that pages have for themselves.
 */
export function readList(value: unknown, name: string | undefined, isTable: boolean): ReturnedList | undefined {
  if (Array.isArray(value)) {
    if (name !== undefined) return undefined;
    const total = value.length;
    return { name: "items", items: value, members: { items: value, total }, total, next: undefined };
  }
  const items = isJsonObject(value) ? value[name ?? "items"] : undefined;
  if (!Array.isArray(items)) return undefined;
  const answer = value as Members;
  const taken = [...PAGE_MEMBERS, ...isTable ? ["columns"] : []].find((member) => Object.hasOwn(answer, member));
  if (taken !== undefined) {
    throw new TypeError(`An answer with a budget cannot have the member "${taken}", which its pages have: rename it`);
  }
  if (name !== undefined) return { name, items, members: answer, total: items.length, next: undefined };
  const { next, ...members } = answer;
  const total = typeof members["total"] === "number" ? members["total"] : undefined;
  return { name: "items", items, members, total, next: next as Json | undefined };
}

/**
 * The values of an item as a row: its own members, after its JSON form.
 *
 * @throws {TypeError} If it is not an object.
 */
export function rowOf(item: unknown): Members {
  const form = item as { toJSON?: () => unknown } | null;
  const row = typeof form?.toJSON === "function" ? form.toJSON() : item;
  if (isJsonObject(row)) return row;
  throw new TypeError('The rows of budget({ format: "table" }) must be objects');
}

/** Items as a table: the names of all their members, and for each item its values in that order, `null` for a missing one. */
export function toTable(
  items: readonly unknown[],
): { readonly columns: readonly string[]; readonly rows: readonly unknown[][] } {
  const objects = items.map(rowOf);
  const columns = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  const rows = objects.map((row) => columns.map((name) => Object.hasOwn(row, name) ? row[name] ?? null : null));
  return { columns, rows };
}
