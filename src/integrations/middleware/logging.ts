import type { CallResult, LogLevel } from "../../core/call/outcome.ts";
import { mapMaybe } from "../../internal/async.ts";
import { isJsonObject } from "../../internal/json.ts";
import { checkOptions, LINE_LEVELS, oneOf, type OptionRules, required, rule } from "../../internal/options.ts";
import type { Logger } from "../../core/handler/context.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** Options of {@link logging}. */
export interface LoggingOptions {
  /** Receives the lines. */
  readonly logger: Logger;
  /** Level for calls without an error, failures included. Internal errors are logged as `error`, other errors as `warn`. Default: `"info"`. */
  readonly level?: LogLevel | undefined;
}

const RULES: OptionRules<LoggingOptions> = {
  logger: required(
    rule("a logger such as console", (logger) => typeof (logger as Logger | null)?.error === "function"),
  ),
  level: oneOf(...LINE_LEVELS),
};

/**
 * Creates middleware that logs one line at the end of each call: tool, call id, wire, principal and tenant, attempt, outcome, code and duration.
 * Arguments and answers are never logged. Exceptions of the logger are ignored.
 *
 * @example One line for each call
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { logging } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const lines: string[] = [];
 * const logger = { ...console, info: (message: string, fields?: object) => lines.push(`${message} ${JSON.stringify(fields)}`) };
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * await testClient(createServer({ tools: [ping], middleware: [logging({ logger })] })).ping();
 * console.log(lines.length); // → 1
 * ```
 * @throws {TypeError} If an option is missing, invalid or unknown.
 */
export function logging(options: LoggingOptions): Middleware {
  checkOptions("create a call log", options, RULES);
  const { logger, level = "info" } = options;
  return (ctx, next) => {
    const startedMs = ctx.clock.elapsed();
    return mapMaybe(next(), (result) => {
      try {
        logger[levelOf(result, level)]("Called", fieldsOf(ctx, result, ctx.clock.elapsed() - startedMs));
      } catch {
        // An exception of the logger must not affect the call.
      }
      return result;
    });
  };
}

function levelOf(result: CallResult, level: LogLevel): LogLevel {
  if (result.kind !== "error") return level;
  return result.code === "internal" ? "error" : "warn";
}

function fieldsOf(ctx: MiddlewareCtx, result: CallResult, tookMs: number): Readonly<Record<string, unknown>> {
  const { call: { peer }, principal, callId, attempt } = ctx;
  return {
    tool: ctx.tool.name,
    callId,
    wire: peer.wire,
    ...(principal !== undefined && { principal: principal.id }),
    ...(principal?.tenant !== undefined && { tenant: principal.tenant }),
    ...(attempt > 1 && { attempt }),
    outcome: result.kind,
    ...("code" in result && { code: result.code }),
    ...limitOf(result),
    tookMs: Math.round(tookMs * 1000) / 1000,
  };
}

/** The name of the `rateLimit` that refused a call. Other details of errors may be of callers, and are not logged. */
function limitOf(result: CallResult): { readonly limit?: string } {
  if (result.kind !== "error" || result.code !== "rate_limited" || !isJsonObject(result.data)) return {};
  const { limit } = result.data;
  return typeof limit === "string" ? { limit } : {};
}
