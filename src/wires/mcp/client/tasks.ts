/**
 * Tasks: what becomes of calls that take long, in the words of promises. A task's id is the promise's token.
 *
 * Source: MCP, extension `io.modelcontextprotocol/tasks`, and "Tasks" of revision 2025-11-25.
 *
 * @module
 */
import type { CallResult, PromiseOutcome } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { decodeResult } from "../../framing/result/decode.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import type { Connection } from "./connection.ts";
import type { RpcReply } from "./message_transport.ts";
import { refusalOf } from "./error_result.ts";
import { decodeOutcome } from "../protocol/messages.ts";

/** How long to wait before a task is asked for again where its server does not say, in milliseconds. */
const DEFAULT_POLL_MS = 1_000;

/** A task as a promise. */
export function promiseOf(task: Members): PromiseOutcome {
  const { taskId, pollIntervalMs, pollInterval, statusMessage, createdAt } = task;
  const ttl = task["ttlMs"] ?? task["ttl"];
  const ttlMs = typeof ttl === "number" ? ttl : Infinity;
  const created = Date.parse(typedOr(createdAt, ""));
  // Our servers say how far it is; others say it in words, if at all.
  const { progress } = decodeResult({
    _meta: { response_type: "promise", ...asObject(task["_meta"]) },
  }) as PromiseOutcome;
  return {
    kind: "promise",
    token: typedOr(taskId, ""),
    ttlMs,
    expiresAtMs: (Number.isNaN(created) ? Date.now() : created) + ttlMs,
    retryAfterMs: typedOr(pollIntervalMs ?? pollInterval, DEFAULT_POLL_MS),
    progress: progress ?? (typeof statusMessage === "string" ? { done: 0, message: statusMessage } : undefined),
  };
}

/** How a task that was cancelled ends, as it does everywhere. */
const CANCELLED: CallResult = {
  kind: "failure",
  code: "cancelled",
  message: "The work was cancelled",
  data: undefined,
};

/** Cancels a task; tells whether that ended it. */
export async function cancelTask(connection: Connection, taskId: string, limit: ActivityMonitor): Promise<CallResult> {
  const reply = await connection.request({ method: "tasks/cancel", params: { taskId }, limit });
  // The older dialect refuses to cancel what has ended.
  const after = "result" in reply && typeof reply.result["status"] === "string"
    ? reply
    : await connection.request({ method: "tasks/get", params: { taskId }, limit });
  if (!("result" in after)) return refusalOf("result" in reply ? after : reply);
  const { status } = after.result;
  return { kind: "answer", value: { cancelled: status !== "completed" && status !== "failed" } };
}

/** What `tasks/get` gave, as far as it is the same in both dialects; `undefined` if there is a result to be had. */
export function unfinished(task: Members): CallResult | undefined {
  switch (task["status"]) {
    case "working":
      return promiseOf(task);
    case "cancelled":
      return CANCELLED;
    default:
      return undefined;
  }
}

/** How a task ended: with its result, or with an error. */
export function endOf({ result, error }: Members): RpcReply | undefined {
  return isJsonObject(result) ? { result } : decodeOutcome(undefined, error);
}
