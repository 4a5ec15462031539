/**
 * The error codes that a server may send (docs/spec.md, "Errors on each wire", written a second time), and what no answer may contain.
 *
 * @module
 */
import { ok } from "node:assert/strict";
import type { ToolErrorCode } from "../../../mod.ts";

/** How each wire says a code. */
export interface CodeLaw {
  /** Number and HTTP statuses of MCP-lite. */
  readonly mcpLite: readonly [number: number, ...statuses: readonly number[]];
  /** Status of gRPC. */
  readonly grpc: number;
  /** Numbers of MCP, where it is an error, and its HTTP status; `isError` if it is a result instead. */
  readonly mcp: readonly [number: number, status: number] | "isError";
  /** Code and HTTP status of Webtools. */
  readonly webtools: readonly [code: string, ...statuses: readonly number[]];
}

/** By our code. */
export const CODE_LAW: Readonly<Record<ToolErrorCode, CodeLaw>> = {
  parse_error: { mcpLite: [-32700, 400], grpc: 3, mcp: [-32700, 400], webtools: ["SCHEMA_ERROR", 400] },
  invalid_request: {
    mcpLite: [-32600, 400, 405, 413, 415],
    grpc: 3,
    mcp: [-32600, 400],
    webtools: ["SCHEMA_ERROR", 400, 405, 415],
  },
  method_not_found: { mcpLite: [-32601, 404], grpc: 12, mcp: [-32601, 404], webtools: ["WEBTOOL_NOT_FOUND", 404] },
  tool_not_found: { mcpLite: [-32601, 404], grpc: 5, mcp: [-32602, 200], webtools: ["WEBTOOL_NOT_FOUND", 404] },
  resource_not_found: { mcpLite: [-32602, 404], grpc: 5, mcp: [-32602, 200], webtools: ["WEBTOOL_NOT_FOUND", 404] },
  prompt_not_found: { mcpLite: [-32602, 404], grpc: 5, mcp: [-32602, 200], webtools: ["WEBTOOL_NOT_FOUND", 404] },
  invalid_input: { mcpLite: [-32602, 400], grpc: 3, mcp: [-32602, 200], webtools: ["SCHEMA_ERROR", 400] },
  invalid_config: { mcpLite: [-32602, 400], grpc: 3, mcp: "isError", webtools: ["CONFIG_ERROR", 400] },
  invalid_promise: { mcpLite: [-32602, 400], grpc: 3, mcp: [-32602, 200], webtools: ["SCHEMA_ERROR", 400] },
  expired_promise: { mcpLite: [-32602, 400], grpc: 3, mcp: [-32602, 200], webtools: ["SCHEMA_ERROR", 400] },
  invalid_continuation: { mcpLite: [-32602, 400], grpc: 3, mcp: [-32602, 200], webtools: ["SCHEMA_ERROR", 400] },
  promise_lost: { mcpLite: [-32602, 410], grpc: 5, mcp: [-32602, 200], webtools: ["SCHEMA_ERROR", 410] },
  conflict: { mcpLite: [-32602, 409], grpc: 6, mcp: "isError", webtools: ["SCHEMA_ERROR", 409] },
  deadline_exceeded: { mcpLite: [-32001, 504], grpc: 4, mcp: "isError", webtools: ["INTERNAL_ERROR", 504] },
  cancelled: { mcpLite: [-32000, 499], grpc: 1, mcp: "isError", webtools: ["INTERNAL_ERROR", 499] },
  unauthenticated: { mcpLite: [-32000, 401], grpc: 16, mcp: [-32603, 401], webtools: ["UNAUTHENTICATED", 401] },
  permission_denied: { mcpLite: [-32000, 403], grpc: 7, mcp: [-32603, 403], webtools: ["PERMISSION_DENIED", 403] },
  rate_limited: { mcpLite: [-32000, 429], grpc: 8, mcp: [-32603, 429], webtools: ["RATE_LIMIT", 429] },
  unavailable: { mcpLite: [-32000, 503], grpc: 14, mcp: [-32603, 503], webtools: ["INTERNAL_ERROR", 503] },
  payload_too_large: { mcpLite: [-32600, 413], grpc: 8, mcp: [-32600, 413], webtools: ["SCHEMA_ERROR", 413] },
  result_too_large: { mcpLite: [-32603, 500], grpc: 8, mcp: "isError", webtools: ["INTERNAL_ERROR", 500] },
  internal: { mcpLite: [-32603, 500], grpc: 13, mcp: "isError", webtools: ["INTERNAL_ERROR", 500] },
};

/** What the handlers of the fuzzed servers throw, and keep to themselves. */
export const SECRET = "the-secret-of-this-house";

/** Codes of our own faults; that a caller's deadline is over is its own. */
const FAULTS: ReadonlySet<string> = new Set(["internal", "unavailable", "result_too_large"]);

/** The code, if a caller may be given it for what it sent. `mayBreak`: it may have called the tool that breaks. */
export function lawOf(code: unknown, mayBreak: boolean): CodeLaw {
  ok(typeof code === "string" && Object.hasOwn(CODE_LAW, code), `There is no code ${String(code)}`);
  ok(!FAULTS.has(code) || (mayBreak && code === "internal"), `${code} is a fault of ours`);
  return CODE_LAW[code as ToolErrorCode];
}

/** Whether what was sent names the tool that breaks: then it may say that it is broken, and no more. */
export function mayBreak(sent: string): boolean {
  return sent.includes("boom");
}

/** Nothing of what was thrown is told, nor where. */
export function assertNoLeak(answer: string): void {
  ok(!answer.includes(SECRET), `It tells what is secret: ${answer.slice(0, 500)}`);
  ok(
    !/\bat \S+ \(?\S+\.[tj]s:\d+|file:\/\/|node_modules/.test(answer),
    `It tells of the source: ${answer.slice(0, 500)}`,
  );
}
