/**
 * Preferences of a request: how long the caller waits for the answer of a tool that can promise it.
 *
 * Source: {@link https://www.rfc-editor.org/rfc/rfc7240 | RFC 7240}, sections 4.1 and 4.3.
 *
 * @module
 */
import type { CallMeta } from "../../../core/call/call.ts";

/** The preferences `wait` and `respond-async` of a caller. Others are ignored. */
export interface Preferences {
  /** Time that the caller waits, in milliseconds; `undefined` if it states none. */
  readonly waitMs: number | undefined;
  /** The preferences as the header `Preference-Applied` repeats them. */
  readonly applied: string;
}

/** Share of a deadline after which a tool promises its answer. */
const DEADLINE_SHARE = 0.8;

/** Parses the value of a `Prefer` header; `undefined` if it has no preference that is known here. The first one of a name is used. */
export function parsePreferences(header: string | null): Preferences | undefined {
  if (header === null) return undefined;
  const wait = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])/i.exec(header)?.[1];
  const isAsync = /(?:^|,)\s*respond-async\s*(?=$|[,;])/i.test(header);
  if (wait === undefined && !isAsync) return undefined;
  const applied = [...(isAsync ? ["respond-async"] : []), ...(wait === undefined ? [] : [`wait=${Number(wait)}`])];
  return { waitMs: wait === undefined ? undefined : Number(wait) * 1_000, applied: applied.join(", ") };
}

/**
 * Adds preferences to the metadata of a call to a tool that can promise. With a `wait` the promise comes when that time is over,
 * without one at once.
 */
export function withPreferences(meta: CallMeta | undefined, { waitMs = 0 }: Preferences): CallMeta {
  if (waitMs === 0) return { ...meta, isPromiseWanted: true };
  return { ...meta, deadlineMs: Math.min(meta?.deadlineMs ?? Infinity, waitMs / DEADLINE_SHARE) };
}
