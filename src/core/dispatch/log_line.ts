/** What `ctx.log` was called with, for the server's logger and for the caller. */
import type { LogLevel, LogLine, McpOnlyLevel } from "../call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { Logger } from "../handler/context.ts";
import type { LogFields } from "./error_masking.ts";

/** Levels by the names that handlers may give. */
const LEVELS: Readonly<Record<LogLevel | McpOnlyLevel, LogLevel>> = {
  debug: "debug",
  info: "info",
  notice: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

/** The level of the server's logger for a name. A line with a name that TypeScript would have refused is not lost: it is `info`. */
function nearestLevel(named: LogLevel | McpOnlyLevel): LogLevel {
  return Object.hasOwn(LEVELS, named) ? LEVELS[named] : "info";
}

/** The message and the fields of data that is not text, for the logger of the server, whose lines have a message. */
function readLogData(data: unknown, tool: string): readonly [message: string, fields: LogFields] {
  if (!isJsonObject(data)) return [`Data of ${tool}`, { data }];
  const { message } = data;
  return [typeof message === "string" ? message : `Data of ${tool}`, data];
}

/** Writes the line of a call to the logger of the server. `fields` has the name of the tool. */
export function writeHandlerLine(
  logger: Logger | undefined,
  named: LogLevel | McpOnlyLevel,
  data: unknown,
  fields: LogFields & { readonly tool: string },
): void {
  try {
    const [message, members] = typeof data === "string" ? [data, undefined] : readLogData(data, fields.tool);
    logger?.[nearestLevel(named)](message, { ...fields, ...members });
  } catch {
    // A logger that throws must not break the call it writes about.
  }
}

/** The line for the caller. A text as field `logger` is the name of the logger, not a field. */
export function toLogLine(named: LogLevel | McpOnlyLevel, data: unknown, fields: LogFields | undefined): LogLine {
  const level = nearestLevel(named);
  const mcpLevel = Object.hasOwn(LEVELS, named) && named !== level ? named as McpOnlyLevel : undefined;
  const levels = mcpLevel === undefined ? { level } : { level, mcpLevel };
  if (typeof fields?.["logger"] !== "string") return { ...levels, data, fields };
  const { logger, ...others } = fields;
  return {
    ...levels,
    data,
    fields: Object.keys(others).length === 0 ? undefined : others,
    logger: String(logger),
  };
}
