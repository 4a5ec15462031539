/** What `ctx.log` was called with, for the server's logger and for the caller. */
import type { LogLevel, LogLine } from "../call/outcome.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { LogFields } from "./error_masking.ts";

/** The message and the fields of data that is not text, for the logger of the server, whose lines have a message. */
export function readLogData(data: unknown, tool: string): readonly [message: string, fields: LogFields] {
  if (!isJsonObject(data)) return [`Data of ${tool}`, { data }];
  const { message } = data;
  return [typeof message === "string" ? message : `Data of ${tool}`, data];
}

/** The line for the caller. A text as field `logger` is the name of the logger, not a field. */
export function toLogLine(level: LogLevel, data: unknown, fields: LogFields | undefined): LogLine {
  if (typeof fields?.["logger"] !== "string") return { level, data, fields };
  const { logger, ...others } = fields;
  return {
    level,
    data,
    fields: Object.keys(others).length === 0 ? undefined : others,
    logger: String(logger),
  };
}
