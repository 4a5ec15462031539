/**
 * A readable transcript: headings, the code that is run, and what came of it.
 *
 * @module
 */

/** How wide headings are, in characters. */
const LINE_WIDTH = 100;

/** Writes lines. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

/** Starts a part, with the code that does it. */
export function printStep(title: string, ...code: readonly string[]): void {
  print("", `── ${title} ${"─".repeat(Math.max(0, LINE_WIDTH - title.length - 4))}`);
  print(...code.map((line) => `   ${line}`), "");
}

/** Writes rows in columns; the first row is their heading. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) print(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd());
}
