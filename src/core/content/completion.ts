import type { MaybePromise } from "../../internal/async.ts";
import type { ListingCtx } from "../handler/context.ts";

/** Maximum number of values of one completion. */
const MAX_VALUES = 100;

/**
 * Function that proposes values for a prompt's argument or a template's variable while it is typed, best first. It returns all
 * values as an array, or some with their total number. The client receives the first 100.
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

/** Return value of a {@link Completer} that returns some of the values, and how many there are in total. */
export interface CompletedValues {
  /** Values, best first. */
  readonly values: readonly string[];
  /** Total number of values, if known. */
  readonly total?: number;
  /** Whether there are more. Always true if `total` exceeds the number of values, or over 100 were returned. */
  readonly hasMore?: boolean;
}

/** Functions that propose values, by the name of a prompt's argument or of a template's variable. */
export type Completers<Names extends string = string> = { readonly [Name in Names]?: Completer };

/** Converts the return value of a completer to a completion of at most 100 values. Throws a TypeError if its values are not strings. */
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
 * Validates that each completer is a function, and its name one of `names`: of the arguments or variables of `where`.
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

/** Answer to a request for completions: the values proposed for a partly typed argument. */
export interface Completion {
  /** At most 100 values, best first. */
  readonly values: readonly string[];
  /** Total number of values, if known. */
  readonly total?: number;
  /** Whether there are more. */
  readonly hasMore: boolean;
}
