/** Tasks of 2025-11-25: the client requests a task for a call, and fetches the result with a separate request. */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { Clock } from "../../../internal/time.ts";
import { RELATED_TASK } from "../protocol/constants.ts";
import { encodeMessage, type RequestMessage } from "../protocol/messages.ts";
import type { McpPeer } from "./exchange.ts";
import type { LegacyQuestions, WatchTask } from "./legacy_exchange.ts";
import { errorResponse, paramError, resultResponse, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";
import { isUnknownTask, type Tasks } from "./tasks.ts";
import type { McpTool } from "./tools.ts";

/** Maximum time that one redeem waits for the end of a task, in milliseconds. */
const WAIT_MS = 20_000;

/** A request about a task, of revision 2025-11-25. */
export interface LegacyTaskRequest {
  readonly id: RequestMessage["id"];
  readonly taskId: string;
  readonly peer: McpPeer;
  readonly revision: Revision;
  readonly tasks: Tasks;
  /** Asks the client the questions of the task. */
  readonly questions: LegacyQuestions;
}

/** Whether a call requests a task (2025-11-25 only). An error if the tool gives no promises, or requires a task that is not requested. */
export function readTaskRequest(
  { task }: Members,
  tool: McpTool | undefined,
  { version }: Revision,
): boolean | ErrorResult {
  if (version !== "2025-11-25") return false;
  if (task === undefined) {
    if (!tool?.definition.promise?.required) return false;
    return errorResult("method_not_found", `The tool ${tool.definition.name} has to be called as a task`);
  }
  if (!isJsonObject(task)) return paramError("task", task, "an object");
  // For an unknown tool, dispatch returns the error.
  if (tool === undefined || tool.definition.promise !== undefined) return tool !== undefined;
  return errorResult("method_not_found", `The tool ${tool.definition.name} cannot be called as a task`);
}

/** Answers `tasks/get`, `tasks/cancel` and `tasks/result` of revision 2025-11-25. */
export function handleLegacyTask(method: string, request: LegacyTaskRequest): Promise<RpcResponse> {
  if (method === "tasks/result") return fetchLegacyResult(request);
  return method === "tasks/cancel" ? cancelLegacyTask(request) : getLegacyTask(request);
}

/** There is no `tasks/list`: the server does not know which tasks a client has. */
async function getLegacyTask({ id, taskId, peer, revision, tasks }: LegacyTaskRequest): Promise<RpcResponse> {
  const result = await tasks.redeem(taskId, peer, 0);
  if (isUnknownTask(result)) return errorResponse(id, result);
  return resultResponse(id, revision.result(tasks.view(taskId, result, peer, revision).json));
}

async function cancelLegacyTask(request: LegacyTaskRequest): Promise<RpcResponse> {
  const { id, taskId, peer, tasks } = request;
  const before = await tasks.redeem(taskId, peer, 0);
  if (!isUnknownTask(before) && before.kind !== "promise" && !("requests" in before)) {
    return errorResponse(id, paramError("taskId", taskId, "the id of a task that has not ended"));
  }
  const error = await tasks.cancel(taskId, peer);
  return error === undefined ? await getLegacyTask(request) : errorResponse(id, error);
}

/** Waits for the end of the task and asks its questions meanwhile. */
async function fetchLegacyResult(request: LegacyTaskRequest): Promise<RpcResponse> {
  const { id, taskId, peer, revision, tasks, questions } = request;
  const meta = { [RELATED_TASK]: { taskId } };
  for (;;) {
    const result = await tasks.redeem(taskId, peer, WAIT_MS);
    if (isUnknownTask(result)) return errorResponse(id, result);
    if (peer.signal?.aborted) return errorResponse(id, errorResult("cancelled", "The client has disconnected"));
    if ("requests" in result) {
      const answers = await questions.ask(result.requests);
      if ("result" in answers) return tasks.result(id, taskId, answers.result, peer, revision, meta);
      const error = await tasks.respond(taskId, answers.responses, peer);
      if (error !== undefined) return errorResponse(id, error);
    } else if (result.kind !== "promise") {
      await questions.finish(result);
      return tasks.result(id, taskId, result, peer, revision, meta);
    }
  }
}

/** Maximum number of tasks of one server that are watched at the same time. Clients of further tasks have to poll. */
const MAX_WATCHED = 10_000;

/** Sends `notifications/tasks/status` to clients of 2025-11-25, for a limited number of tasks. */
export class TaskNotifications {
  readonly #clock: Clock;
  #watched = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends the status of a task until it or `ended` has ended, then calls `onEnd`: at once if timers end with requests or too many run. */
  follow(
    watch: WatchTask,
    send: (json: string) => MaybePromise<void>,
    ended: AbortSignal,
    onEnd: () => void = () => {},
  ): void {
    // If timers end with their request, nothing can be sent after it: clients have to poll.
    if (this.#clock.isPerRequest || this.#watched >= MAX_WATCHED) return onEnd();
    this.#watched++;
    const report = (params: Members) => void send(encodeMessage({ method: "notifications/tasks/status", params }));
    void watch(report, ended).finally(() => {
      this.#watched--;
      onEnd();
    });
  }
}
