import type { CallResult, LogLevel } from "../../core/call/outcome.ts";
import { mapMaybe } from "../../internal/async.ts";
import { checkOptions, oneOf, type OptionRules, required, rule } from "../../internal/options.ts";
import type { Logger } from "../../core/handler/context.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** Options of {@link logging}. */
export interface LoggingOptions {
  /** Where the lines go. */
  readonly logger: Logger;
  /** Level of the line of a call that was taken. Refused calls are `warn`, broken ones `error`. Default: `"info"`. */
  readonly level?: LogLevel;
}

const RULES: OptionRules<LoggingOptions> = {
  logger: required(
    rule("a logger such as console", (logger) => typeof (logger as Logger | null)?.error === "function"),
  ),
  level: oneOf("debug", "info", "warn", "error"),
};

/**
 * Writes one line for each call, once it has ended: tool, call id, wire, principal, outcome, code and duration. Never arguments
 * or answers.
 *
 * @example A line a call
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { logging } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const lines: string[] = [];
 * const logger = { ...console, info: (message: string, fields?: object) => lines.push(`${message} ${JSON.stringify(fields)}`) };
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * await testClient(createServer({ tools: [ping], middleware: [logging({ logger })] })).ping();
 * strictEqual(lines.length, 1);
 * ```
 * @throws {TypeError} If an option is missing or not what it should be, or there is no such option.
 */
export function logging(options: LoggingOptions): Middleware {
  checkOptions("write a log", options, RULES);
  const { logger, level = "info" } = options;
  return (ctx, next) => {
    const startedMs = ctx.clock.elapsed();
    return mapMaybe(next(), (settled) => {
      try {
        logger[levelOf(settled, level)]("Called", fieldsOf(ctx, settled, ctx.clock.elapsed() - startedMs));
      } catch {
        // A logger that throws must not break the call it writes about.
      }
      return settled;
    });
  };
}

function levelOf(settled: CallResult, level: LogLevel): LogLevel {
  if (settled.kind !== "error") return level;
  return settled.code === "internal" ? "error" : "warn";
}

function fieldsOf(ctx: MiddlewareCtx, settled: CallResult, tookMs: number): Readonly<Record<string, unknown>> {
  const { call: { peer }, principal, callId, attempt } = ctx;
  return {
    tool: ctx.tool.name,
    callId,
    wire: peer.wire,
    ...(principal !== undefined && { principal: principal.id }),
    ...(attempt > 1 && { attempt }),
    outcome: settled.kind,
    ...("code" in settled && { code: settled.code }),
    tookMs,
  };
}
