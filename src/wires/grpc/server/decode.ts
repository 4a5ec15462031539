/**
 * Reads a `ToolRequest`.
 *
 * Total: bad input is a value.
 * Source: docs/spec.md 5.2.
 *
 * @module
 */
import type { Call, CallMeta } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ToolRequestMembers } from "../messages/binary.ts";

/** A call as it was sent. */
export type DecodedCall = Omit<Call, "peer">;

/**
 * Reads a call.
 *
 * @param timeoutMs What the caller's headers say of its deadline.
 */
export function decodeToolRequest(
  request: ToolRequestMembers,
  timeoutMs: number | undefined,
): DecodedCall | ErrorResult {
  const { name: tool, arguments: args = {}, meta: sent } = request;
  const meta = sent === undefined ? undefined : decodeCallMeta(sent);
  if (meta !== undefined && "kind" in meta) return meta;
  if (timeoutMs === undefined) return { tool, args, meta };
  if (timeoutMs <= 0) return errorResult("deadline_exceeded", "The deadline has passed before the call began");
  return { tool, args, meta: withDeadline(meta, timeoutMs) };
}

function withDeadline(meta: CallMeta | undefined, timeoutMs: number): CallMeta {
  return { ...meta, deadlineMs: Math.min(timeoutMs, meta?.deadlineMs ?? Number.POSITIVE_INFINITY) };
}
