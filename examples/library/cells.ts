/**
 * Cells: the values of a table without the oddities of its file.
 *
 * Data files spell "nothing" in many ways and mix numbers into text (the film `300` has a number for a title). A cell
 * here is text, a number, a boolean or null, and a column holds one kind only.
 *
 * @module
 */

/** One value of a table; null where the file says nothing. */
export type Cell = string | number | boolean | null;

/** One row, keyed by column; every row of a table has every column. */
export type Row = Readonly<Record<string, Cell>>;

/** What a column holds; `date` is text of the form `YYYY-MM-DD`, with or without a time. */
export type ColumnType = "text" | "number" | "boolean" | "date";

const datePattern = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/;
const numberPattern = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Reads a text cell; undefined if it is empty. */
export function textOf(row: Row, column: string): string | undefined {
  const cell = row[column];
  return cell === null || cell === undefined ? undefined : String(cell);
}

/** Reads a numeric cell; undefined if it is empty. */
export function numberOf(row: Row, column: string): number | undefined {
  const cell = row[column];
  return typeof cell === "number" ? cell : undefined;
}

/**
 * Turns raw records into rows of one shape: the union of their columns, one type a column.
 *
 * @param records What the file's parser gave.
 * @param missing Spellings of "nothing" beside null and the empty text, such as `NA`.
 * @returns As many rows as records, in the same order.
 */
export function toRows(records: readonly Readonly<Record<string, unknown>>[], missing: readonly string[] = []): Row[] {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const nothing = new Set(missing);
  const byColumn = new Map(columns.map((column) => {
    return [column, coerceColumn(records.map((record) => coerceCell(record[column], nothing)))] as const;
  }));
  return records.map((_, index) => {
    return Object.fromEntries(columns.map((column) => [column, byColumn.get(column)?.[index] ?? null]));
  });
}

/** Names what a column holds; a column of nothing but nulls counts as text. */
export function typeOfColumn(cells: readonly Cell[]): ColumnType {
  const present = cells.filter((cell) => cell !== null);
  if (present.length === 0) return "text";
  if (present.every((cell) => typeof cell === "number")) return "number";
  if (present.every((cell) => typeof cell === "boolean")) return "boolean";
  return present.every((cell) => typeof cell === "string" && datePattern.test(cell)) ? "date" : "text";
}

function coerceCell(value: unknown, nothing: ReadonlySet<string>): Cell {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || value === undefined) return null;
  const text = (typeof value === "string" ? value : JSON.stringify(value)).trim();
  return text === "" || nothing.has(text) ? null : text;
}

/** A column of numerals becomes numbers; a column that mixes kinds becomes text. */
function coerceColumn(cells: readonly Cell[]): Cell[] {
  const present = cells.filter((cell) => cell !== null);
  if (present.every(isNumeral)) return cells.map((cell) => (cell === null ? null : Number(cell)));
  if (present.every((cell) => typeof cell === "boolean")) return [...cells];
  return cells.map((cell) => (cell === null ? null : String(cell)));
}

/** Codes such as `007` are names and not numbers: a numeral must survive the way to a number and back. */
function isNumeral(cell: Cell): boolean {
  if (typeof cell === "number") return true;
  return typeof cell === "string" && numberPattern.test(cell) && !/^-?0\d/.test(cell);
}
