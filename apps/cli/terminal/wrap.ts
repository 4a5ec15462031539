/** Lines that fit the terminal. */
import { widthOf } from "./width.ts";

/** Joins words with the separator to lines of at most `columns`. A longer word has its own line, which is not cut. */
export function wrapWords(words: readonly string[], columns: number, separator: string = " "): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : last + separator + word;
    if (last !== undefined && widthOf(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

/** Wraps a text without styles at spaces to fit `columns`. Lines after the first start with `indent` spaces. */
export function wrapText(text: string, columns: number, indent: number): string[] {
  const lines = wrapWords(text.split(" "), Math.max(1, columns - indent));
  return lines.map((line, index) => (index === 0 ? line : " ".repeat(indent) + line));
}
