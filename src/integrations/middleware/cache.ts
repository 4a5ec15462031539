import type { AnswerOutcome, CallResult } from "../../core/call/outcome.ts";
import { mapMaybe } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, POSITIVE, required, wholeNumber } from "../../internal/options.ts";
import { digestOf } from "../../core/token/digest.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** Options of {@link cache}. */
export interface CacheOptions {
  /** How long an answer is good, in milliseconds. */
  readonly ttlMs: number;
  /** How many answers are kept; beyond that the one that was not used for longest is forgotten. Default: 1,000. */
  readonly maxAnswers?: number;
  /** What else answers depend on, such as a header. Default: nothing. */
  readonly key?: (ctx: MiddlewareCtx) => string;
}

const RULES: OptionRules<CacheOptions> = { ttlMs: required(POSITIVE), maxAnswers: wholeNumber(1), key: FUNCTION };

interface Entry {
  readonly answer: AnswerOutcome;
  readonly untilMs: number;
}

/**
 * Gives the answer of an earlier call with the same arguments and the same principal, for tools annotated `readOnlyHint`.
 *
 * Only answers are kept: no failure, no question, no promise, nothing that was streamed, nothing that changed the caller's
 * context. Calls that say more than their arguments (an idempotency key, a context, answers, the wish for a promise) pass by it.
 *
 * @example The second call is not run
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { cache } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * let runs = 0;
 * const count = defineTool("count").describe("Count").annotate({ readOnlyHint: true }).handle(() => ++runs);
 * const client = testClient(createServer({ tools: [count], middleware: [cache({ ttlMs: 60_000 })] }));
 * deepStrictEqual([await client.count(), await client.count()], [1, 1]);
 * ```
 * @throws {RangeError} If `ttlMs` is not above 0, or `maxAnswers` no whole number of at least 1.
 */
export function cache(options: CacheOptions): Middleware {
  checkOptions("make a cache", options, RULES);
  const { ttlMs, maxAnswers = 1_000, key } = options;
  // In the order of use: the first was not used for longest.
  const entries = new Map<string, Entry>();

  const keep = (name: string, entry: Entry): void => {
    entries.delete(name);
    entries.set(name, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxAnswers && oldest !== undefined) entries.delete(oldest);
  };

  return (ctx, next) => {
    if (!isCacheable(ctx)) return next();
    const { call: { args }, tool, principal, clock } = ctx;
    const name = JSON.stringify([principal?.id ?? "", digestOf(tool.name, args), key?.(ctx)]);
    const known = entries.get(name);
    if (known !== undefined && clock.elapsed() < known.untilMs) {
      keep(name, known);
      return known.answer;
    }
    let isStreamed = false;
    ctx.onEvent(({ kind }) => isStreamed ||= kind === "partial");
    return mapMaybe(next(), (settled) => {
      if (isKept(settled) && !isStreamed) keep(name, { answer: settled, untilMs: clock.elapsed() + ttlMs });
      return settled;
    });
  };
}

/** What a system tool gives changes; and what depends on more than its arguments is not to be found by them. */
function isCacheable({ tool, call: { meta = {}, config } }: MiddlewareCtx): boolean {
  if (tool.isSystem || tool.annotations?.readOnlyHint !== true || config !== undefined) return false;
  const { continuation, responses, context, idempotencyKey, isPromiseWanted } = meta;
  return (continuation ?? responses ?? context ?? idempotencyKey) === undefined && isPromiseWanted !== true;
}

function isKept(settled: CallResult): settled is AnswerOutcome {
  return settled.kind === "answer" && settled.context === undefined;
}
