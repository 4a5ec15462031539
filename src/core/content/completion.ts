import type { MaybePromise } from "../../internal/async.ts";
import type { ListingCtx } from "../handler/context.ts";

/** Maximum number of values of one completion. */
const MAX_VALUES = 100;

/**
 * Returns completions of an argument, best first: an array of all values, or some values with their total number. At
 * most 100 are sent.
 *
 * @param value Text typed so far.
 * @param ctx Context of the request.
 * @param otherArguments Other arguments known so far, not validated.
 */
export type Completer = (
  value: string,
  ctx: ListingCtx,
  otherArguments: Readonly<Record<string, string>>,
) => MaybePromise<readonly string[] | CompletedValues>;

/** Some of the values, and their total number. */
export interface CompletedValues {
  /** Values, best first. */
  readonly values: readonly string[];
  /** Total number of values, if known. */
  readonly total?: number;
  /** Whether there are more. Default: whether `total` exceeds the number of values. */
  readonly hasMore?: boolean;
}

/** Functions that propose values, by the name of a prompt's argument or of a template's variable. */
export type Completers<Names extends string = string> = { readonly [Name in Names]?: Completer };

/** Validates the return value of a completer and limits its size. */
export function toCompletion(returned: readonly string[] | CompletedValues): Completion {
  const { values, total, hasMore }: CompletedValues = isList(returned)
    ? { values: returned, total: returned.length }
    : returned;
  if (!Array.isArray(values) || values.some((value) => typeof value !== "string")) {
    throw new TypeError("A completion is an array of strings, or { values, total?, hasMore? }");
  }
  const kept = values.slice(0, MAX_VALUES);
  const isCut = kept.length < values.length || (total !== undefined && total > kept.length);
  return { values: kept, ...(total !== undefined && { total }), hasMore: isCut || hasMore === true };
}

/**
 * Validates that completers are functions for existing names.
 *
 * @throws {TypeError} If one is not.
 */
export function assertCompleters(completers: Completers, names: readonly string[], where: string): void {
  for (const [name, completer] of Object.entries(completers)) {
    if (!names.includes(name)) {
      const known = names.length === 0 ? "there is nothing to complete" : `there is ${names.join(", ")}`;
      throw new TypeError(`Cannot complete "${name}" of ${where}: ${known}`);
    }
    if (typeof completer !== "function") {
      throw new TypeError(`Cannot complete "${name}" of ${where}: pass a function (value, ctx) => ["…"]`);
    }
  }
}

function isList(returned: readonly string[] | CompletedValues): returned is readonly string[] {
  return Array.isArray(returned);
}

/** Values that are proposed for an argument while it is typed. */
export interface Completion {
  /** At most 100 values, best first. */
  readonly values: readonly string[];
  /** Total number of values, if known. */
  readonly total?: number;
  /** Whether there are more. */
  readonly hasMore: boolean;
}
