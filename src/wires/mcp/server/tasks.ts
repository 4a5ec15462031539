/**
 * The tasks extension of 2026-07-28: a task is a promise, its id the token.
 *
 * Source: `io.modelcontextprotocol/tasks`, draft of 2026-08.
 *
 * @module
 */
import type { CallResult, ErrorResult, PromiseOutcome } from "../../../core/call/outcome.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { formatTimestamp } from "../../../internal/time.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { WireHost } from "../../wire.ts";
import { type Answer, errorAnswer, protocolError, refusalAnswer, resultAnswer } from "./answer.ts";
import { MISSING_CAPABILITY } from "../protocol/codes.ts";
import type { Dialect } from "./revision.ts";
import type { McpPeer } from "./exchange.ts";
import { fromInputResponses, toInputRequests } from "./input_requests.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { refuseParam } from "./refuse_param.ts";
import type { ToolCalls } from "./tool_calls.ts";
import type { McpTools } from "./tools.ts";
import type { WorkEnd } from "./retryable_request.ts";
import { TASKS_EXTENSION } from "../protocol/constants.ts";

/** How long one look at a task waits for news, in milliseconds. */
const WATCH_MS = 20_000;

/** How a task is. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** How work ends that broke: what its last attempt left is masked. */
const BROKEN: ReadonlySet<string> = new Set(["internal", "attempts_exhausted"]);

/** A task as it is told. */
export interface TaskView {
  /** How it is. */
  readonly status: TaskStatus;
  /** Its members, without braces. */
  readonly json: string;
  /** How far it has come, for callers of ours. */
  readonly meta?: Members | undefined;
}

/** The tasks of one server. */
export class Tasks {
  readonly #host: WireHost;
  readonly #tools: McpTools;
  readonly #calls: ToolCalls;

  constructor(host: WireHost, tools: McpTools, calls: ToolCalls) {
    this.#host = host;
    this.#tools = tools;
    this.#calls = calls;
  }

  /** The answer to a call that has become a task. */
  created(id: RequestId, dialect: Dialect, promise: PromiseOutcome, peer: McpPeer): Answer {
    const view = this.#describe(dialect, "working", promise.token, peer, promise);
    if (dialect.isModern) return resultAnswer(id, dialect.unfinished("task", view.json, view.meta));
    return resultAnswer(id, dialect.result(`"task":{${view.json}}`));
  }

  /** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. */
  async answer({ id, method, params }: RequestMessage, peer: McpPeer, dialect: Dialect): Promise<Answer> {
    const { taskId } = params;
    if (typeof taskId !== "string") return refusalAnswer(id, refuseParam("taskId", taskId, "a string"));
    if (method === "tasks/get") return await this.#get(id, taskId, peer, dialect);
    const refusal = method === "tasks/cancel"
      ? await this.cancel(taskId, peer)
      : await this.#update(taskId, params, peer);
    return refusal === undefined ? resultAnswer(id, dialect.result("")) : refusalAnswer(id, refusal);
  }

  /** Tells of tasks as they change, until `ended` aborts. */
  watch(
    taskIds: readonly string[],
    peer: McpPeer,
    dialect: Dialect,
    tell: (method: string, params: Members) => void,
    ended: AbortSignal,
  ): void {
    const tellOf = (params: Members) => tell("notifications/tasks", params);
    for (const taskId of taskIds) void this.watchOne(taskId, peer, dialect, undefined, tellOf, ended);
  }

  /** Tells of a task whenever its status is not what is known of it, until `ended` aborts. */
  async watchOne(
    taskId: string,
    peer: McpPeer,
    dialect: Dialect,
    known: TaskStatus | undefined,
    tell: (params: Members) => void,
    ended: AbortSignal,
  ): Promise<void> {
    let last = known;
    for (let waitMs = 0; !ended.aborted; waitMs = WATCH_MS) {
      const settled = await this.redeem(taskId, peer, waitMs);
      if (ended.aborted || isUnknown(settled)) return;
      const task = this.view(taskId, settled, peer, dialect);
      if (task.status !== last) tell(JSON.parse(`{${task.json}}`));
      last = task.status;
      if (last !== "working" && last !== "input_required") return;
      // What asks is answered at once when it is looked at: without a pause this would not end.
      if (last === "input_required") await this.#pause(ended);
    }
  }

  #pause(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#host.clock.after(1_000, resolve);
      ended.addEventListener("abort", () => (cancel(), resolve()), { once: true });
    });
  }

  async #get(id: RequestId, taskId: string, peer: McpPeer, dialect: Dialect): Promise<Answer> {
    const settled = await this.redeem(taskId, peer, 0);
    if (isUnknown(settled)) return refusalAnswer(id, settled);
    const { json, meta } = this.view(taskId, settled, peer, dialect);
    return resultAnswer(id, dialect.result(json, meta));
  }

  async #update(taskId: string, { inputResponses }: Members, peer: McpPeer): Promise<ErrorResult | undefined> {
    if (!isJsonObject(inputResponses)) {
      return refuseParam("inputResponses", inputResponses, "an object of answers by key");
    }
    return await this.respond(taskId, fromInputResponses(inputResponses), peer);
  }

  /** Gives a task the answers to what it asks. */
  async respond(taskId: string, responses: Members, peer: McpPeer): Promise<ErrorResult | undefined> {
    const meta = { continuation: taskId, responses };
    const settled = await this.#host.dispatch.call({ tool: "redeem", args: { promise: taskId }, meta, peer });
    return isUnknown(settled) ? settled : undefined;
  }

  /** Cancels a promise's work, if it has not ended. */
  async cancel(taskId: string, peer: McpPeer): Promise<ErrorResult | undefined> {
    const settled = await this.#host.dispatch.call({
      tool: "cancel",
      args: { promise: taskId },
      meta: undefined,
      peer,
    });
    return isUnknown(settled) ? settled : undefined;
  }

  /** How a promise is, after at most `waitMs`. */
  async redeem(taskId: string, peer: McpPeer, waitMs: number): Promise<CallResult> {
    const args = { promise: taskId, wait_ms: waitMs };
    return await this.#host.dispatch.call({ tool: "redeem", args, meta: undefined, peer });
  }

  /** How a task is now, as its caller is told. */
  view(
    taskId: string,
    settled: CallResult,
    peer: McpPeer,
    dialect: Dialect,
  ): TaskView {
    if (settled.kind === "promise") return this.#describe(dialect, "working", taskId, peer, settled);
    if ("requests" in settled) {
      if (!dialect.isModern) return this.#describe(dialect, "input_required", taskId, peer);
      const requests = JSON.stringify(toInputRequests(settled.requests, dialect));
      return this.#describe(dialect, "input_required", taskId, peer, undefined, `,"inputRequests":${requests}`);
    }
    if (settled.kind === "failure" && settled.code === "cancelled") {
      return this.#describe(dialect, "cancelled", taskId, peer);
    }
    return this.#ended(taskId, settled, peer, dialect);
  }

  /** The answer that a task's call would have had. */
  result(
    id: RequestId,
    taskId: string,
    settled: WorkEnd,
    peer: McpPeer,
    dialect: Dialect,
    meta: Members = {},
  ): Answer {
    const terms = this.#host.dispatch.readPromise(taskId, peer);
    const name = "kind" in terms ? "" : terms.tool;
    const withMeta = settled.kind === "answer" || settled.kind === "failure"
      ? { ...settled, meta: { ...settled.meta, ...meta } }
      : settled;
    return this.#calls.answer(id, dialect, { tool: this.#tools.get(name), name }, withMeta);
  }

  #ended(
    taskId: string,
    settled: WorkEnd,
    peer: McpPeer,
    dialect: Dialect,
  ): TaskView {
    // What broke has failed, in its words; what the tool says against itself is a result.
    if ("code" in settled && BROKEN.has(settled.code)) {
      const { message, data } = settled;
      const error = JSON.stringify({ code: -32603, message, data });
      return this.#describe(dialect, "failed", taskId, peer, undefined, `,"error":${error}`);
    }
    const { json } = this.result(0, taskId, settled, peer, dialect);
    const { result, error } = JSON.parse(json) as Members;
    if (!dialect.isModern) return this.#describe(dialect, error === undefined ? "completed" : "failed", taskId, peer);
    return result === undefined
      ? this.#describe(dialect, "failed", taskId, peer, undefined, `,"error":${JSON.stringify(error)}`)
      : this.#describe(dialect, "completed", taskId, peer, undefined, `,"result":${JSON.stringify(result)}`);
  }

  #describe(
    dialect: Dialect,
    status: TaskStatus,
    taskId: string,
    peer: McpPeer,
    promise?: PromiseOutcome,
    more: string = "",
  ): TaskView {
    const { isModern } = dialect;
    const nowMs = this.#host.clock.now();
    const terms = this.#host.dispatch.readPromise(taskId, peer);
    const createdAtMs = "kind" in terms ? nowMs : terms.createdAtMs;
    const task = {
      taskId,
      status,
      ...(promise?.progress?.message !== undefined && { statusMessage: promise.progress.message }),
      createdAt: formatTimestamp(createdAtMs),
      lastUpdatedAt: formatTimestamp(nowMs),
      [isModern ? "ttlMs" : "ttl"]: "kind" in terms ? null : Math.ceil(terms.ttlMs),
      ...(promise !== undefined && {
        [isModern ? "pollIntervalMs" : "pollInterval"]: Math.max(1, Math.ceil(promise.retryAfterMs)),
      }),
    };
    const progress = promise?.progress;
    return {
      status,
      json: JSON.stringify(task).slice(1, -1) + more,
      ...(progress !== undefined && { meta: { progress } }),
    };
  }
}

/** The answer to who does not take tasks, where there is nothing else to give. */
export function tasksNeeded(id: RequestId): Answer {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  return errorAnswer(
    id,
    protocolError(MISSING_CAPABILITY, "This needs a client with the tasks extension", { requiredCapabilities }),
  );
}

/** Whether there is no such task (any more). */
export function isUnknown(settled: CallResult): settled is ErrorResult {
  if (settled.kind !== "error") return false;
  return /^(invalid_promise|expired_promise|promise_lost|tool_not_found|unavailable)$/.test(settled.code);
}
