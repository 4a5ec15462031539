/**
 * Converts tasks to promises; the id of a task is the promise token.
 *
 * Source: MCP, extension `io.modelcontextprotocol/tasks`, and "Tasks" of revision 2025-11-25.
 */
import type { CallResult, PromiseOutcome } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../internal/json.ts";
import { decodeResult } from "../../framing/result/decode.ts";
import { decodeOutcome, type RpcOutcome } from "../protocol/messages.ts";
import type { Connection } from "./connection.ts";
import { decodeFailedReply } from "./decode_reply.ts";

/** Poll interval if the server does not specify one, in milliseconds. */
const DEFAULT_POLL_MS = 1_000;

/** Converts a task to a promise, with lifetime, poll interval and progress, whatever its status. */
export function toPromiseOutcome(task: Members): PromiseOutcome {
  const { taskId, pollIntervalMs, pollInterval, statusMessage, createdAt } = task;
  const ttl = task["ttlMs"] ?? task["ttl"];
  const ttlMs = typeof ttl === "number" ? ttl : Infinity;
  const created = Date.parse(typedOr(createdAt, ""));
  // Toolwire servers send the progress; others may send a message.
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

/** Result of a cancelled task, the same as on other wires. */
const CANCELLED: CallResult = {
  kind: "failure",
  code: "cancelled",
  message: "The work was cancelled",
  data: undefined,
};

/** Cancels a task. The answer is `{ cancelled }`: `false` if the task has completed or failed. */
export async function cancelTask(connection: Connection, taskId: string, limit: ActivityMonitor): Promise<CallResult> {
  const reply = await connection.request({ method: "tasks/cancel", params: { taskId }, limit });
  // In 2025-11-25, cancelling a finished task is an error.
  const after = "result" in reply && typeof reply.result["status"] === "string"
    ? reply
    : await connection.request({ method: "tasks/get", params: { taskId }, limit });
  if (!("result" in after)) return decodeFailedReply("result" in reply ? after : reply);
  const { status } = after.result;
  return { kind: "answer", value: { cancelled: status !== "completed" && status !== "failed" } };
}

/** The result of a task: a promise if it is running, a failure if it was cancelled, otherwise `undefined`. The same in both revisions. */
export function unfinishedResult(task: Members): CallResult | undefined {
  switch (task["status"]) {
    case "working":
      return toPromiseOutcome(task);
    case "cancelled":
      return CANCELLED;
    default:
      return undefined;
  }
}

/** The result or error of a finished task of 2026-07-28; `undefined` if it has neither. A result takes precedence. */
export function taskOutcome({ result, error }: Members): RpcOutcome | undefined {
  return isJsonObject(result) ? { result } : decodeOutcome(undefined, error);
}
