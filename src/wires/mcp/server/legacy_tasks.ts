/**
 * Tasks as 2025-11-25 has them: the caller asks for one, and fetches its result by itself.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { type Answer, refusalAnswer, resultAnswer, unknownMethod } from "./answer.ts";
import type { Dialect } from "./revision.ts";
import type { McpPeer } from "./exchange.ts";
import type { RequestMessage } from "../protocol/messages.ts";
import { refuseParam } from "./refuse_param.ts";
import { isUnknown, type Tasks } from "./tasks.ts";
import type { McpTool } from "./tools.ts";
import type { LegacyAsker } from "./legacy_questions.ts";
import { RELATED_TASK } from "../protocol/constants.ts";

/** How long one look at a task waits, in milliseconds. */
const LOOK_MS = 20_000;

/** One request about a task. */
export interface LegacyTaskRequest {
  readonly request: RequestMessage;
  readonly peer: McpPeer;
  readonly dialect: Dialect;
  readonly tasks: Tasks;
  /** Asks the client what the task asks. */
  readonly asker: LegacyAsker;
}

/** Whether a call is to become a task, or why it cannot be as it was asked. */
export function readTaskWish({ task }: Members, tool: McpTool | undefined, dialect: Dialect): boolean | ErrorResult {
  if (dialect.version !== "2025-11-25") return false;
  if (task === undefined) {
    if (!tool?.plan.promise?.required) return false;
    return errorResult("method_not_found", `The tool ${tool.plan.name} has to be called as a task`);
  }
  if (!isJsonObject(task)) return refuseParam("task", task, "an object");
  // What there is not is refused where it is looked up.
  if (tool === undefined || tool.plan.promise !== undefined) return tool !== undefined;
  return errorResult("method_not_found", `The tool ${tool.plan.name} cannot be called as a task`);
}

/** Answers `tasks/get`, `tasks/result` and `tasks/cancel`. What callers have is not known here: there is no list. */
export async function answerLegacyTask(asked: LegacyTaskRequest): Promise<Answer> {
  const { request, peer, dialect, tasks } = asked;
  const { id, method, params: { taskId } } = request;
  if (!/^tasks\/(get|result|cancel)$/.test(method)) return unknownMethod(request);
  if (typeof taskId !== "string") return refusalAnswer(id, refuseParam("taskId", taskId, "a string"));
  if (method === "tasks/result") return await fetchResult(asked, taskId);
  if (method === "tasks/cancel") {
    const before = await tasks.redeem(taskId, peer, 0);
    if (!isUnknown(before) && before.kind !== "promise" && !("requests" in before)) {
      return refusalAnswer(id, refuseParam("taskId", taskId, "that of a task that is not over"));
    }
    const refusal = await tasks.cancel(taskId, peer);
    if (refusal !== undefined) return refusalAnswer(id, refusal);
  }
  const settled = await tasks.redeem(taskId, peer, 0);
  if (isUnknown(settled)) return refusalAnswer(id, settled);
  return resultAnswer(id, dialect.result(tasks.view(taskId, settled, peer, dialect).json));
}

/** Waits for a task's end, asking on the way what it asks. */
async function fetchResult(
  { request: { id }, peer, dialect, tasks, asker }: LegacyTaskRequest,
  taskId: string,
): Promise<Answer> {
  let settled = await tasks.redeem(taskId, peer, LOOK_MS);
  for (;;) {
    if (isUnknown(settled)) return refusalAnswer(id, settled);
    if (peer.signal?.aborted) return refusalAnswer(id, errorResult("cancelled", "The caller has gone"));
    if ("requests" in settled) {
      const responses = await asker.ask(settled.requests);
      if ("end" in responses) return tasks.result(id, taskId, responses.end, peer, dialect, relatedTo(taskId));
      const refusal = await tasks.respond(taskId, responses.given, peer);
      if (refusal !== undefined) return refusalAnswer(id, refusal);
    } else if (settled.kind !== "promise") {
      await asker.finish(settled);
      return tasks.result(id, taskId, settled, peer, dialect, relatedTo(taskId));
    }
    settled = await tasks.redeem(taskId, peer, LOOK_MS);
  }
}

function relatedTo(taskId: string): Members {
  return { [RELATED_TASK]: { taskId } };
}
