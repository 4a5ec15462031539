/** Width of text on a terminal. */
import { stripVTControlCharacters } from "node:util";

/** Scripts and symbols that take two columns: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /^\p{Mn}|^\p{Me}|^\p{Cf}/u;

/** Returns the number of columns that a line takes: two for wide characters, none for combining ones and styles. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of stripVTControlCharacters(text)) width += widthOfChar(char);
  return width;
}

/** Shortens a line without styles to a number of columns. The cut is marked with `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let width = 0;
  let cut = "";
  for (const char of text) {
    width += widthOfChar(char);
    if (width > columns - 1) break;
    cut += char;
  }
  return columns < 1 ? "" : `${cut}…`;
}

function widthOfChar(char: string): number {
  if (COMBINING.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
