/**
 * The tasks extension of 2026-07-28. A task is a deferred call; its id is the promise token.
 *
 * Source: `io.modelcontextprotocol/tasks`, draft of 2026-08.
 */
import { readPromise } from "../../../core/dispatch/deferral.ts";
import type { CallResult, ErrorResult, PromiseOutcome } from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { formatTimestamp } from "../../../internal/time.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { WireHost } from "../../wire.ts";
import { MISSING_CAPABILITY } from "../protocol/codes.ts";
import { TASKS_EXTENSION } from "../protocol/constants.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import type { McpPeer } from "./exchange.ts";
import { cannotAsk, fromInputResponses, toInputRequests } from "./input_requests.ts";
import {
  errorResponse,
  type FinalResult,
  paramError,
  protocolError,
  protocolErrorResponse,
  resultResponse,
  type RpcResponse,
} from "./response.ts";
import type { Revision } from "./revision.ts";
import type { ToolCallRunner } from "./tool_calls.ts";
import type { McpTools } from "./tools.ts";

/** Maximum time that one redeem of a watched task waits for a change, in milliseconds. */
const WATCH_MS = 20_000;

/** Pause between looks at a task with questions, in milliseconds. Its redeem returns at once. */
const QUESTION_PAUSE_MS = 1_000;

/** States of a task, as MCP names them. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Codes of deferred work that broke. Its error is masked. */
const BROKEN: ReadonlySet<string> = new Set([
  "internal",
  "attempts_exhausted",
  "invalid_handler",
  "replay_diverged",
  "revision_changed",
  "config_lost",
]);

/** State of promised work, as a task of MCP. */
export interface TaskView {
  readonly status: TaskStatus;
  /** Members of the task, without braces. */
  readonly json: string;
  /** Members of `_meta`: the progress, for clients of this SDK. */
  readonly meta?: Members | undefined;
}

/** Status of a task, and the members that depend on it. */
interface TaskDetails {
  readonly status: TaskStatus;
  /** The promise, for its progress and polling interval. */
  readonly promise?: PromiseOutcome | undefined;
  /** Further members. */
  readonly members?: Members | undefined;
}

/** Serves deferred calls as tasks of MCP: creates, reads, watches, answers and cancels them by the tools `redeem` and `cancel`. */
export class Tasks {
  readonly #host: WireHost;
  readonly #tools: McpTools;
  readonly #calls: ToolCallRunner;

  constructor(host: WireHost, tools: McpTools, calls: ToolCallRunner) {
    this.#host = host;
    this.#tools = tools;
    this.#calls = calls;
  }

  /** Encodes the response to a call that became a task. */
  created(id: RequestId, revision: Revision, promise: PromiseOutcome, peer: McpPeer): RpcResponse {
    const view = this.#describe({ status: "working", promise }, promise.token, peer, revision);
    if (revision.isModern) return resultResponse(id, revision.unfinished("task", view.json, view.meta));
    return resultResponse(id, revision.result(`"task":{${view.json}}`));
  }

  /** The error -32021 for a client without the tasks extension, if the request needs it. */
  required(id: RequestId): RpcResponse {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
    const message = "This needs a client with the tasks extension";
    return protocolErrorResponse(id, protocolError(MISSING_CAPABILITY, message, { requiredCapabilities }));
  }

  /** Answers `tasks/get`, `tasks/update` and `tasks/cancel` of 2026-07-28. */
  async handle({ id, method, params }: RequestMessage, peer: McpPeer, revision: Revision): Promise<RpcResponse> {
    const { taskId } = params;
    if (typeof taskId !== "string") return errorResponse(id, paramError("taskId", taskId, "a string"));
    if (method === "tasks/get") return await this.#get(id, taskId, peer, revision);
    const error = method === "tasks/cancel"
      ? await this.cancel(taskId, peer)
      : await this.#update(taskId, params, peer);
    return error === undefined ? resultResponse(id, revision.result("")) : errorResponse(id, error);
  }

  /** Watches a task and calls `report` on each status change. Stops when the task has ended or the signal `ended` is aborted. */
  async watch(
    taskId: string,
    peer: McpPeer,
    revision: Revision,
    known: TaskStatus | undefined,
    report: (task: Members) => void,
    ended: AbortSignal,
  ): Promise<void> {
    let last = known;
    for (let waitMs = 0; !ended.aborted; waitMs = WATCH_MS) {
      const result = await this.redeem(taskId, peer, waitMs);
      if (ended.aborted || isUnknownTask(result)) return;
      const task = this.view(taskId, result, peer, revision);
      if (task.status !== last) report(JSON.parse(`{${task.json}}`));
      last = task.status;
      if (last !== "working" && last !== "input_required") return;
      if (last === "input_required") await this.#pause(ended);
    }
  }

  #pause(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#host.clock.after(QUESTION_PAUSE_MS, resolve);
      ended.addEventListener("abort", () => (cancel(), resolve()), { once: true });
    });
  }

  async #get(id: RequestId, taskId: string, peer: McpPeer, revision: Revision): Promise<RpcResponse> {
    const result = await this.redeem(taskId, peer, 0);
    if (isUnknownTask(result)) return errorResponse(id, result);
    const missing = "requests" in result ? peer.missingFor(result.requests) : undefined;
    if (missing !== undefined) return protocolErrorResponse(id, cannotAsk(missing));
    const { json, meta } = this.view(taskId, result, peer, revision);
    return resultResponse(id, revision.result(json, meta));
  }

  async #update(taskId: string, { inputResponses }: Members, peer: McpPeer): Promise<ErrorResult | undefined> {
    if (!isJsonObject(inputResponses)) {
      return paramError("inputResponses", inputResponses, "an object of answers by key");
    }
    return await this.respond(taskId, fromInputResponses(inputResponses), peer);
  }

  /** Passes a client's answers to the questions of a task. Returns an error if the task cannot be reached. */
  async respond(taskId: string, responses: Members, peer: McpPeer): Promise<ErrorResult | undefined> {
    const meta = { continuation: taskId, responses };
    const result = await this.#host.dispatch.call({ tool: "redeem", args: { promise: taskId }, meta, peer });
    return isUnknownTask(result) ? result : undefined;
  }

  /** Cancels a task, if it has not ended. Returns an error if the task cannot be reached. */
  async cancel(taskId: string, peer: McpPeer): Promise<ErrorResult | undefined> {
    const call = { tool: "cancel", args: { promise: taskId }, meta: undefined, peer };
    const result = await this.#host.dispatch.call(call);
    return isUnknownTask(result) ? result : undefined;
  }

  /** The result of a task: its final result, its open questions, or a promise if it has neither after `waitMs`. */
  async redeem(taskId: string, peer: McpPeer, waitMs: number): Promise<CallResult> {
    const args = { promise: taskId, wait_ms: waitMs };
    return await this.#host.dispatch.call({ tool: "redeem", args, meta: undefined, peer });
  }

  view(taskId: string, result: CallResult, peer: McpPeer, revision: Revision): TaskView {
    return this.#describe(this.#detailsOf(taskId, result, peer, revision), taskId, peer, revision);
  }

  /** Encodes the response that the call of an ended task would have had. */
  result(
    id: RequestId,
    taskId: string,
    result: FinalResult,
    peer: McpPeer,
    revision: Revision,
    meta: Members = {},
  ): RpcResponse {
    const terms = readPromise(this.#host.dispatch, taskId, peer);
    const name = "kind" in terms ? "" : terms.tool;
    const withMeta = result.kind === "answer" || result.kind === "failure"
      ? { ...result, meta: { ...result.meta, ...meta } }
      : result;
    return this.#calls.encode(id, revision, { tool: this.#tools.get(name), name }, withMeta);
  }

  #detailsOf(taskId: string, outcome: CallResult, peer: McpPeer, revision: Revision): TaskDetails {
    if (outcome.kind === "promise") return { status: "working", promise: outcome };
    if ("requests" in outcome) {
      if (!revision.isModern) return { status: "input_required" };
      // Only a notification gets here with something missing: it cannot be an error.
      const missing = peer.missingFor(outcome.requests);
      const members = missing === undefined
        ? { inputRequests: toInputRequests(outcome.requests, revision) }
        : { inputRequests: {}, statusMessage: cannotAsk(missing).message };
      return { status: "input_required", members };
    }
    if (outcome.kind === "failure" && outcome.code === "cancelled") return { status: "cancelled" };
    // Broken work has the status `failed`. A failure that the tool returns is a result.
    if ("code" in outcome && BROKEN.has(outcome.code)) {
      const { message, data } = outcome;
      return { status: "failed", members: { error: { code: -32603, message, data } } };
    }
    const { result, error } = JSON.parse(this.result(0, taskId, outcome, peer, revision).json) as Members;
    return {
      status: error === undefined ? "completed" : "failed",
      members: revision.isModern ? { result, error } : {},
    };
  }

  #describe(
    { status, promise, members }: TaskDetails,
    taskId: string,
    peer: McpPeer,
    { isModern }: Revision,
  ): TaskView {
    const nowMs = this.#host.clock.now();
    const terms = readPromise(this.#host.dispatch, taskId, peer);
    const createdAtMs = "kind" in terms ? nowMs : terms.createdAtMs;
    const progress = promise?.progress;
    const task = {
      taskId,
      status,
      statusMessage: progress?.message,
      createdAt: formatTimestamp(createdAtMs),
      lastUpdatedAt: formatTimestamp(nowMs),
      [isModern ? "ttlMs" : "ttl"]: "kind" in terms ? null : Math.ceil(terms.ttlMs),
      [isModern ? "pollIntervalMs" : "pollInterval"]: promise && Math.max(1, Math.ceil(promise.retryAfterMs)),
      ...members,
    };
    return { status, json: JSON.stringify(task).slice(1, -1), meta: progress && { progress } };
  }
}

/** Whether a result means that there is no such task, or that it cannot be reached. */
export function isUnknownTask(result: CallResult): result is ErrorResult {
  if (result.kind !== "error") return false;
  return /^(invalid_promise|expired_promise|promise_lost|tool_not_found|unavailable)$/.test(result.code);
}
