import { shorten } from "../../internal/text.ts";
import { type ErrorResult, errorResult, type FailureOutcome, type LogLevel } from "../call/outcome.ts";
import { isToolErrorCode } from "../errors/code.ts";
import { attempt } from "../../internal/async.ts";
import { Failure } from "../errors/failure.ts";
import { ToolError } from "../errors/tool_error.ts";
import type { Logger } from "../handler/context.ts";
import type { CallLogger } from "../handler/middleware.ts";

/** Structured fields of a log line, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

const print = (message: string, fields: LogFields): void => {
  if (Object.keys(fields).length === 0) console.error(message);
  else console.error(message, fields);
};

/** Logger of a server without the option: warnings and errors are written with `console.error`, other lines are dropped. */
const DEFAULT_LOGGER: Logger = { debug() {}, info() {}, warn: print, error: print };

/** The logger for an option `logger`: `undefined` for `false`; if it is absent, one that prints warnings and errors with `console.error`. */
export function toLogger(option: Logger | CallLogger | false | undefined): Logger & Partial<CallLogger> | undefined {
  return option === false ? undefined : guardLogger(option ?? DEFAULT_LOGGER);
}

/** A logger that never throws and whose promises never reject, so that every part of a server may use it anywhere. */
function guardLogger(logger: Logger & Partial<CallLogger>): Logger & Partial<CallLogger> {
  const writer = (level: LogLevel): Logger[LogLevel] => (message, fields = {}) => {
    writeLine(logger, level, message, fields);
  };
  const { calls } = logger;
  const levels = { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") };
  return calls === undefined ? levels : { ...levels, calls };
}

/**
 * The error result for an unexpected error: the caller gets a correlation id, the log has the error under the same id.
 *
 * The error is also the `cause` of the result, for callers in this process. It is not enumerable, so that no copy and no
 * encoding of the result has it.
 */
export function maskThrown(logger: Logger | undefined, thrown: unknown, fields: LogFields): ErrorResult {
  const correlationId = crypto.randomUUID();
  writeLine(logger, "error", "tool" in fields ? "Tool call broke" : "Server broke", {
    ...fields,
    correlationId,
    error: thrown,
  });
  const masked = errorResult("internal", `Internal error, correlation id ${correlationId}`, {
    correlation_id: correlationId,
  });
  return Object.defineProperty(masked, "cause", { value: thrown });
}

/**
 * What to throw so that the caller gets the message of an error; `undefined` for errors that are hardly meant for the caller: those of
 * a library or the runtime, which have a class or a code. Errors of other MCP SDKs (`McpError`, `ProtocolError`, `RpcError`) have a number of
 * JSON-RPC as their code. They are masked, too: a client in the handler throws them as well, with a message of another server.
 */
export function hintFor(thrown: unknown): string | undefined {
  try {
    if (thrown instanceof ToolError && !isToolErrorCode(thrown.code)) return unknownCodeHint(thrown.code);
    const isPlain = Object.getPrototypeOf(thrown) === Error.prototype && !Object.hasOwn(thrown as Error, "code");
    return isPlain ? HINT : isProtocolError(thrown) ? PROTOCOL_ERROR_HINT : undefined;
  } catch {
    // No object, or a proxy with traps that throw.
    return undefined;
  }
}

function isProtocolError(thrown: unknown): boolean {
  const { code } = thrown as { readonly code?: unknown };
  return thrown instanceof Error && Number.isInteger(code) && -32_768 <= Number(code) && Number(code) <= -32_000;
}

/** TypeScript refuses such a code, JavaScript does not. */
function unknownCodeHint(code: string): string {
  const name = shorten(String(code), 64);
  return `The caller gets no message: a ToolError has no code "${name}". Declare it, .errors({ ${name}: null }), and throw ` +
    `ctx.fail("${name}", message), or throw a ToolError with a code of docs/errors.md, such as "resource_not_found" or "conflict"`;
}

const PROTOCOL_ERROR_HINT =
  "This looks like an error of the official MCP SDK or of mcp-lite, whose message the caller does not get here. To give one, throw " +
  'new ToolError("invalid_input", message), or ctx.fail(code, message) with a code declared in .errors() (docs/errors.md#internal)';

const HINT =
  "The caller gets no message. To give one, throw new ToolError(code, message), or ctx.fail(code, message) with a code declared in .errors() (docs/errors.md#internal)";

/** Writes a log line, if there is a logger. What the logger throws, or rejects with, is dropped: it must not break the call or end the process. */
export function writeLine(
  logger: Logger | undefined,
  level: LogLevel,
  message: string,
  fields: LogFields,
): void {
  attempt(() => logger?.[level](message, fields));
}

/** The result for a thrown `Failure` or `ToolError`. `undefined` for other values, and for a `ToolError` with an unknown code or `internal`. */
export function settleThrown(thrown: unknown): FailureOutcome | ErrorResult | undefined {
  try {
    if (thrown instanceof Failure) {
      return { kind: "failure", code: thrown.code, message: thrown.message, data: thrown.data };
    }
    if (!(thrown instanceof ToolError) || thrown.code === "internal") return undefined;
    // A client rethrows the codes of its server, and a newer server may have codes that are unknown here.
    if (isToolErrorCode(thrown.code)) return errorResult(thrown.code, thrown.message, thrown.details);
  } catch {
    // A proxy with traps that throw.
  }
  return undefined;
}

/** Converts a thrown value to a result: that of a `Failure` or `ToolError`, else a masked error, which is logged. `onError` is not called. */
export function settleOrMask(
  services: { mask(thrown: unknown, fields: LogFields): ErrorResult },
  thrown: unknown,
  fields: LogFields,
): FailureOutcome | ErrorResult {
  return settleThrown(thrown) ?? services.mask(thrown, fields);
}
