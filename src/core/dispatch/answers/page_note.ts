/** The line of each page that says which part of the whole it is, and how a caller gets less or the rest. */
import type { BudgetedRun } from "./handle.ts";

/** Which part of the whole list or text a page has: where it begins, how many items it has, and whether others follow. */
export interface PageRange {
  /** Whether the page counts items of a list or characters of a text. */
  readonly unit: "Item" | "Character";
  /** Number of items or characters before the page. */
  readonly before: number;
  /** Number of items or characters in the page. */
  readonly count: number;
  /** Number of all. `undefined` if it is not known. */
  readonly total: number | undefined;
  /** Whether another page follows. */
  readonly hasNext: boolean;
  /** Whether what is before the page has changed since the page before. */
  readonly isChanged: boolean;
}

const MAX_PARAMETERS = 5;

/** Parameters that select another part of the same list, or its order. */
const NOT_NARROWING =
  /^(limit|offset|skip|top|count|first|last|before|after|page|per_?page|cursor|sort|order|direction)/i;

const CHANGED = "What comes before this page has changed since the page before, so parts may be missing or repeated; " +
  "call the tool again to be sure.";

/** The line of a page. `undefined` for a page that is the whole answer. @param narrow What the tool's author says about getting less. */
export function noteOf(place: PageRange, run: BudgetedRun, narrow: string | undefined): string | undefined {
  const { unit, before, count, total, hasNext, isChanged } = place;
  if (before === 0 && !hasNext && !isChanged) return undefined;
  const of = total === undefined ? "" : ` of ${total}`;
  const range = count === 1 ? ` ${before + 1}` : `s ${before + 1} to ${before + count}`;
  const here = count === 0 ? `No ${unit.toLowerCase()}s after ${before}${of}` : `${unit}${range}${of}`;
  const advice = hasNext ? `; the tool "more" has the next. ${narrow ?? adviceFor(run)}` : "; this is the last page";
  return `${isChanged ? `${CHANGED} ` : ""}${here}${advice}`.trimEnd();
}

/** Names the parameters that the caller did not pass, with which it may get less. */
function adviceFor({ definition: { inputSchema }, request: { args } }: BudgetedRun): string {
  const names = Object.keys(inputSchema["properties"] ?? {})
    .filter((name) => !NOT_NARROWING.test(name) && !Object.hasOwn(args as object, name)).slice(0, MAX_PARAMETERS);
  return names.length === 0 ? "" : `To narrow: ${names.join(", ")}`;
}
