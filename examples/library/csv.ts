/**
 * CSV: text in, one record a line out, every cell still a string; and back.
 *
 * Knows quoting and line ends; knows nothing about types or about which columns a table should have.
 * Grammar: {@link https://www.rfc-editor.org/rfc/rfc4180 | RFC 4180}, with LF accepted beside CRLF.
 *
 * @module
 */

/** A quoted field, or a bare one, and what ends it (a comma, a line end, or the end of the text). */
const fieldPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/**
 * Parses CSV whose first line names the columns.
 *
 * @example Quoted commas and quotes
 * ```ts
 * deepStrictEqual(parseCsv('name,city\n"Savage, ""Doc""",Macon\n'), [{ name: 'Savage, "Doc"', city: "Macon" }]);
 * ```
 * @param text The whole file.
 * @returns One record a line, keyed by column; a short line has empty cells at its end.
 * @throws {SyntaxError} If a quote is left open or followed by text.
 */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...lines] = splitCells(text);
  return lines.map((cells) => Object.fromEntries(header.map((column, index) => [column, cells[index] ?? ""])));
}

/**
 * Formats rows as CSV: a line of column names, then a line a row. What is missing is an empty cell.
 *
 * @param columns Which columns, in which order.
 */
export function formatCsv(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "")))];
  return lines.map((cells) => `${cells.map(formatCell).join(",")}\n`).join("");
}

function formatCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function splitCells(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  fieldPattern.lastIndex = 0;
  while (fieldPattern.lastIndex < text.length) {
    const start = fieldPattern.lastIndex;
    const match = fieldPattern.exec(text);
    if (match === null) {
      throw new SyntaxError(`Cannot parse CSV: stray quote near ${JSON.stringify(text.slice(start, start + 20))}`);
    }
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    // A file that ends in a comma owes one last, empty cell, which the loop would not visit.
    if (match[3] === "," && fieldPattern.lastIndex === text.length) line.push("");
    if (match[3] !== "," || fieldPattern.lastIndex === text.length) {
      const isBlank = line.length === 1 && line[0] === "";
      if (!isBlank) lines.push(line);
      line = [];
    }
  }
  return lines;
}
