/**
 * A readable transcript: headings, the code that is run, and what came of it. Plain text; bold and dim on a terminal.
 *
 * @module
 */
import process from "node:process";

/** Widest line, in characters. */
const lineWidth = 100;

const isTerminal = process.stdout.isTTY === true;

/** Writes lines of the transcript. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

/** Starts a part of the transcript with what it is about and the code that does it. */
export function printStep(title: string, ...code: readonly string[]): void {
  print("", bold(`── ${title} ${"─".repeat(Math.max(0, lineWidth - title.length - 4))}`));
  print(...code.map((line) => dim(`   ${line}`)), "");
}

/** Writes labels and what belongs to them in two columns; long texts are wrapped in the second. */
export function printTable(rows: readonly (readonly [label: string, text: string])[]): void {
  const labelWidth = Math.max(...rows.map(([label]) => label.length));
  for (const [label, text] of rows) {
    const [first = "", ...rest] = wrapText(text, lineWidth - labelWidth - 4);
    print(`${label.padEnd(labelWidth)}    ${first}`.trimEnd());
    print(...rest.map((line) => `${" ".repeat(labelWidth + 4)}${line}`));
  }
}

/** Marks something that was checked. */
export function printCheck(text: string): void {
  print(`${isTerminal ? "\u001b[32m✓\u001b[0m" : "✓"} ${text}`);
}

/** Breaks text at spaces; a word that is longer than a line keeps its length. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function bold(text: string): string {
  return isTerminal ? `\u001b[1m${text}\u001b[0m` : text;
}

function dim(text: string): string {
  return isTerminal ? `\u001b[2m${text}\u001b[0m` : text;
}
