/** The tools `redeem` and `cancel` for servers that have tasks and not these tools. */
import type { CallResult, Sink, UnknownOutcome } from "../../../core/call/outcome.ts";
import type { ActivityMonitor, TransportCall } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import { hasLegacyTasks, hasTasksExtension } from "../protocol/capabilities.ts";
import type { Connection } from "./connection.ts";
import {
  answerInputRequests,
  fromContinuation,
  toContinuation,
  toInputParams,
  toQuestionsResult,
} from "./continuation.ts";
import { decodeFailedReply } from "./decode_reply.ts";
import type { ProtocolEra } from "./era.ts";
import type { OpenCalls } from "./open_calls.ts";
import type { ServerTools } from "./server_tools.ts";
import { cancelTask, taskOutcome, toPromiseOutcome, unfinishedResult } from "./tasks.ts";
import type { ToolCaller } from "./tool_caller.ts";

/** Runs the calls `redeem` and `cancel` of promises that are MCP tasks: the token is the task's id. */
export class TaskCaller {
  readonly #connection: Connection;
  readonly #tools: ServerTools;
  readonly #toolCaller: ToolCaller;
  readonly #openCalls: OpenCalls;

  constructor(connection: Connection, tools: ServerTools, toolCaller: ToolCaller, openCalls: OpenCalls) {
    this.#connection = connection;
    this.#tools = tools;
    this.#toolCaller = toolCaller;
    this.#openCalls = openCalls;
  }

  /** The id of the task that a call redeems or cancels; `undefined` for another call, or if the server lists that tool or has no tasks. */
  async taskIdOf({ tool, args, limit }: TransportCall, era: ProtocolEra): Promise<string | undefined> {
    const { promise } = asObject(args);
    if ((tool !== "redeem" && tool !== "cancel") || typeof promise !== "string" || !hasTasks(era)) return undefined;
    return await this.#tools.find(tool, limit) === undefined ? promise : undefined;
  }

  /** Redeems or cancels the task, as the tool of the call is `redeem` or `cancel`. */
  async call(
    taskId: string,
    call: TransportCall,
    era: ProtocolEra,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    if (call.tool === "cancel") return await cancelTask(this.#connection, taskId, call.limit);
    return era.isModern ? await this.#redeem(taskId, call) : await this.#redeemLegacy(taskId, call, sink);
  }

  async #redeem(taskId: string, { meta, limit }: TransportCall): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses } = meta ?? {};
    if (typeof continuation === "string") {
      const error = await this.#update(taskId, toInputParams(fromContinuation(continuation), responses), limit);
      if (error !== undefined) return error;
    }
    const reply = await this.#connection.request({ method: "tasks/get", params: { taskId }, limit });
    if (!("result" in reply)) return decodeFailedReply(reply);
    const task = reply.result;
    if (task["status"] === "input_required") return await this.#answer(taskId, task, limit);
    const unfinished = unfinishedResult(task);
    if (unfinished !== undefined) return unfinished;
    const outcome = taskOutcome(task);
    return outcome === undefined ? toPromiseOutcome(task) : this.#toolCaller.toCallResult(outcome, "redeem");
  }

  /** Answers the questions of a task with the handlers, or returns them to the caller. */
  async #answer(taskId: string, task: Members, limit: ActivityMonitor): Promise<CallResult> {
    const { questions, answered } = await answerInputRequests(this.#connection.handlers, task["inputRequests"]);
    if (questions.length > 0) {
      return toQuestionsResult(questions, toContinuation(taskId, questions, answered));
    }
    return await this.#update(taskId, { inputResponses: answered }, limit) ?? toPromiseOutcome(task);
  }

  async #update(
    taskId: string,
    { inputResponses = {} }: Members,
    limit: ActivityMonitor,
  ): Promise<CallResult | undefined> {
    const reply = await this.#connection.request({ method: "tasks/update", params: { taskId, inputResponses }, limit });
    return "result" in reply ? undefined : decodeFailedReply(reply);
  }

  /** In 2025-11-25 the result has its own request, and the server asks while that is pending. */
  async #redeemLegacy(
    taskId: string,
    { meta, limit }: TransportCall,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses } = meta ?? {};
    if (continuation !== taskId) {
      const reply = await this.#connection.request({ method: "tasks/get", params: { taskId }, limit });
      if (!("result" in reply)) return decodeFailedReply(reply);
      const unfinished = unfinishedResult(reply.result);
      if (unfinished !== undefined) return unfinished;
    }
    const result = await this.#openCalls.run({
      subject: ["tasks/result", taskId],
      continuation,
      responses,
      name: taskId,
      limit,
      sink,
      begin: ({ onQuestion, onQuestionCancelled, limit }) => {
        const pending = { onQuestion, onQuestionCancelled };
        return this.#connection.request({ method: "tasks/result", params: { taskId }, limit, pending });
      },
    });
    return "kind" in result ? result : this.#toolCaller.toCallResult(result, "redeem");
  }
}

function hasTasks({ isModern, server: { capabilities } }: ProtocolEra): boolean {
  return isModern ? hasTasksExtension(capabilities) : hasLegacyTasks(capabilities);
}
