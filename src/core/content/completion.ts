import type { MaybePromise } from "../../internal/async.ts";
import type { ListingCtx } from "../handler/context.ts";

/** Most values that one completion gives. */
const MAX_VALUES = 100;

/**
 * Gives what a text may be completed to, best first: all values, of which callers get a hundred, or those it has with how many
 * there are.
 *
 * @param value What has been typed.
 * @param ctx Who asks.
 * @param given The other arguments, as far as they are known; not checked.
 */
export type Completer = (
  value: string,
  ctx: ListingCtx,
  given: Readonly<Record<string, string>>,
) => MaybePromise<readonly string[] | CompletedValues>;

/** Some values, and how many there are. */
export interface CompletedValues {
  /** Best first. */
  readonly values: readonly string[];
  /** How many there are in all, if that is known. */
  readonly total?: number;
  /** Whether there are more. Default: whether `total` is more than these. */
  readonly hasMore?: boolean;
}

/** Completers by the name of what they complete. */
export type Completers<Names extends string = string> = { readonly [Name in Names]?: Completer };

/** What callers get of what a completer gave. */
export function toCompletion(given: readonly string[] | CompletedValues): Completion {
  const { values, total, hasMore }: CompletedValues = isList(given) ? { values: given, total: given.length } : given;
  if (!Array.isArray(values) || values.some((value) => typeof value !== "string")) {
    throw new TypeError("A completion is an array of strings, or { values, total?, hasMore? }");
  }
  const kept = values.slice(0, MAX_VALUES);
  const isCut = kept.length < values.length || (total !== undefined && total > kept.length);
  return { values: kept, ...(total !== undefined && { total }), hasMore: isCut || hasMore === true };
}

/**
 * Holds completers to being functions that complete something there is.
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

function isList(given: readonly string[] | CompletedValues): given is readonly string[] {
  return Array.isArray(given);
}

/** Values that a text may be completed to. */
export interface Completion {
  /** At most 100, best first. */
  readonly values: readonly string[];
  /** How many there are in all, if that is known. */
  readonly total?: number;
  /** Whether there are more. */
  readonly hasMore: boolean;
}
