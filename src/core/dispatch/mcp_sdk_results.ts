/** Results of `tools/call` as handlers of other MCP SDKs return them, and what to write in their place. */
import { isJsonObject } from "../../internal/json.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { Logger } from "../handler/context.ts";
import { writeLine } from "./error_masking.ts";

/** Tools whose results were logged. */
const LOGGED = new WeakSet<ToolDefinition>();

/** What to return in place of a result of the official SDK of MCP; empty for other values. */
export function adviceOn(value: unknown): string {
  if (!isJsonObject(value) || !Array.isArray(value["content"])) return "";
  if (value["isError"] === true) return "; throw ctx.fail(code, message) for an error";
  return "structuredContent" in value
    ? "; return the value of structuredContent itself, text for models by .render(…)"
    : "";
}

/**
 * Logs, once for a tool, that it returned a result with `isError`: MCP passes it on as an error, over other protocols the caller gets an answer.
 *
 * @param value JSON.
 */
export function logErrorResult(definition: ToolDefinition, value: unknown, logger: Logger | undefined): void {
  if (!isJsonObject(value) || value["isError"] !== true || LOGGED.has(definition)) return;
  if (!("content" in value)) return;
  LOGGED.add(definition);
  const message =
    "A tool returned { isError: true, content }, which is an error over MCP alone: other callers get an answer. " +
    "Throw ctx.fail(code, message), with a code declared in .errors(), or new ToolError(code, message)";
  writeLine(logger, "warn", message, { tool: definition.name });
}
