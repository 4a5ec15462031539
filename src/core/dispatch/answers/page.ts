/** Cuts lists at items, and texts at lines, so that an answer stays within its budget. */
import { estimateTextTokens } from "../../../internal/token_estimate.ts";
import type { PageFormat } from "../../tool/definition.ts";

/**
 * Options of `budget()`: the maximum size of an answer, handle included, as exactly one of estimated tokens and characters.
 *
 * @typeParam Items Name of the member that has the list.
 * @typeParam Format Form of the items.
 */
export interface BudgetOptions<
  Items extends string | undefined = string | undefined,
  Format extends PageFormat | undefined = PageFormat | undefined,
> {
  /** Tokens of the answer as JSON, estimated. At least 1,000. */
  readonly maxTokens?: number | undefined;
  /** Characters of the answer as JSON. At least 4,000. */
  readonly maxChars?: number | undefined;
  /**
   * Name of the member that has the list, of a handler that returns an object: `"items"` of `{ total_count, items }`. The other
   * members are a part of each page. Without it the handler returns the list itself, a part of it as `{ items, next?, total? }`, or a text.
   */
  readonly items?: Items;
  /**
   * Form of the items. `"table"`: pages have `columns`, and each item as the list of its values in that order, `null` for a missing one,
   * which takes fewer tokens. Default: `"json"`, as the handler returns them.
   */
  readonly format?: Format;
  /** Sentence on each page with another one after it: how a caller gets less. Default: names of parameters that it did not pass. */
  readonly narrow?: string | undefined;
}

/** Maximum size of an answer and the function that measures it, in the same unit. */
export interface Budget {
  /** Largest size. */
  readonly max: number;
  /** Size of a value as JSON. */
  readonly measure: (value: unknown) => number;
}

/** Creates the page that ends before an index of the list or text. It is called to measure pages of different lengths. */
export type CreatePage = (end: number) => unknown;

/** Maximum characters of one token, of which a long line is cut first. */
const CHARS_OF_TOKEN = 6;

/** Converts options to a budget: tokens if `maxTokens` is set, else UTF-16 code units. The options are already validated. */
export function toBudget({ maxTokens, maxChars = 0 }: BudgetOptions): Budget {
  if (maxTokens === undefined) return { max: maxChars, measure: (value) => toText(value).length };
  return { max: maxTokens, measure: (value) => estimateTextTokens(toText(value)) };
}

/**
 * Returns the index after the last item, from `start`, that fits. At least one item, even if it does not fit, so that each can be reached.
 *
 * @param sizeOf Size of an item in the page.
 */
export function endOfItems(
  items: readonly unknown[],
  start: number,
  { max, measure }: Budget,
  pageTo: CreatePage,
  sizeOf: (item: unknown) => number,
): number {
  let end = start;
  for (let size = 0; end < items.length && size <= max;) size += sizeOf(items[end++]);
  // Drops items for the handle, and again if the items cost more together, because tokens end elsewhere.
  for (let over = 1; end > start + 1 && (over = measure(pageTo(end)) - max) > 0;) {
    while (over > 0 && end > start + 1) over -= sizeOf(items[--end]);
  }
  return end;
}

/** Returns the index after the last line, from `start`, that fits. A line that does not fit alone is cut, but never within a surrogate pair. */
export function endOfLines(text: string, start: number, budget: Budget, pageTo: CreatePage): number {
  const { max, measure } = budget;
  const maxChars = max * CHARS_OF_TOKEN;
  let end = start;
  for (let size = 0; end < text.length && size <= max;) {
    const next = text.indexOf("\n", end) + 1 || text.length;
    if (next - end > maxChars) break;
    size += measure(text.slice(end, next));
    end = next;
  }
  for (let over = 1; end > start && (over = measure(pageTo(end)) - max) > 0;) {
    while (over > 0 && end > start) {
      const next = end;
      end = Math.max(start, next < 2 ? 0 : text.lastIndexOf("\n", next - 2) + 1);
      over -= measure(text.slice(end, next));
    }
  }
  return end > start || start === text.length ? end : endWithinLine(text, start, budget, pageTo);
}

function endWithinLine(text: string, start: number, { max, measure }: Budget, pageTo: CreatePage): number {
  let chars = Math.min(text.length - start, max * CHARS_OF_TOKEN);
  for (;;) {
    // Both halves of a surrogate pair stay together.
    const isWithinPair = (text.codePointAt(start + chars - 1) ?? 0) > 0xffff;
    const end = start + chars - (isWithinPair && chars > 1 ? 1 : 0);
    const size = measure(pageTo(end));
    if (size <= max || chars <= 2) return end;
    chars = Math.max(2, Math.floor(chars * Math.min(0.97, max / size)));
  }
}

/** JSON as it is sent. Values that JSON does not have are `null` in a list. */
function toText(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
