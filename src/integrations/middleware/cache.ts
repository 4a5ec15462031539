import { callerKey } from "../../internal/caller_key.ts";
import type { AnswerOutcome, CallResult } from "../../core/call/outcome.ts";
import { mapMaybe } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, POSITIVE, required, wholeNumber } from "../../internal/options.ts";
import { digestOf } from "../../core/token/digest.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";
import { RecentMap } from "../../internal/recent_map.ts";

/** Options of {@link cache}. */
export interface CacheOptions {
  /** Lifetime of an answer in milliseconds. */
  readonly ttlMs: number;
  /** Maximum number of answers. When it is exceeded, the least recently used answer is evicted. Default: 1,000. */
  readonly maxAnswers?: number | undefined;
  /** Returns what answers depend on besides arguments and principal, such as a header. Default: nothing. */
  readonly key?: ((ctx: MiddlewareCtx) => string) | undefined;
}

const RULES: OptionRules<CacheOptions> = { ttlMs: required(POSITIVE), maxAnswers: wholeNumber(1), key: FUNCTION };

/** An answer, and the time until which it is given again. */
interface Entry {
  readonly answer: AnswerOutcome;
  readonly untilMs: number;
}

/**
 * Creates middleware that returns the answer of an earlier call with the same arguments and principal, for tools with the
 * annotation `readOnlyHint`.
 *
 * Only answers are cached: no failures, questions or promises, no streamed answers, and none that changed the caller state. Calls with an
 * idempotency key, a caller state, a configuration, a position, answers to questions or a request for a promise bypass the cache.
 *
 * @example The second call does not run the handler
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { cache } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * let runs = 0;
 * const count = defineTool("count").describe("Count").annotate({ readOnlyHint: true }).handle(() => ++runs);
 * const client = testClient(createServer({ tools: [count], middleware: [cache({ ttlMs: 60_000 })] }));
 * console.log([await client.count(), await client.count()]); // → [1, 1]
 * ```
 * @throws {RangeError} If `ttlMs` is not above 0, or `maxAnswers` is not a whole number of at least 1.
 */
export function cache(options: CacheOptions): Middleware {
  checkOptions("create a cache", options, RULES);
  const { ttlMs, maxAnswers = 1_000, key } = options;
  const entries = new RecentMap<Entry>(maxAnswers);
  return (ctx, next) => {
    if (!isCacheable(ctx)) return next();
    const { call: { args }, tool, principal, clock } = ctx;
    const name = JSON.stringify([callerKey(principal), digestOf(tool.name, args), key?.(ctx)]);
    const cached = entries.get(name);
    if (cached !== undefined && clock.elapsed() < cached.untilMs) return cached.answer;
    let isStreamed = false;
    ctx.onEvent(({ kind }) => isStreamed ||= kind === "partial");
    return mapMaybe(next(), (result) => {
      if (isCacheableResult(result) && !isStreamed) {
        entries.set(name, { answer: result, untilMs: clock.elapsed() + ttlMs });
      }
      return result;
    });
  };
}

/** Results of system tools change, and results that depend on more than the arguments have no key. */
function isCacheable({ tool, call: { meta = {}, config, position } }: MiddlewareCtx): boolean {
  if (tool.isSystem || tool.annotations?.readOnlyHint !== true || (config ?? position) !== undefined) return false;
  const { continuation, responses, context, idempotencyKey, isPromiseWanted } = meta;
  return (continuation ?? responses ?? context ?? idempotencyKey) === undefined && isPromiseWanted !== true;
}

function isCacheableResult(result: CallResult): result is AnswerOutcome {
  return result.kind === "answer" && result.context === undefined;
}
