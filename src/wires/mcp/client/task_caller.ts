/**
 * Promises that are tasks: the tools `redeem` and `cancel`, for servers that have tasks and not these tools.
 *
 * @module
 */
import type { CallResult, Sink, UnknownOutcome } from "../../../core/call/outcome.ts";
import type { TransportCall } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { Connection } from "./connection.ts";
import { decodeContinuation, encodeContinuation, toInputParams } from "./continuation.ts";
import type { ProtocolEra } from "./era.ts";
import type { OpenCalls } from "./open_calls.ts";
import { hasLegacyTasks, hasTasksExtension } from "../protocol/capabilities.ts";
import { toErrorResult } from "./decode_reply.ts";
import { answerInputRequests, toQuestionsResult } from "./input_required_loop.ts";
import { cancelTask, taskReply, toPromiseOutcome, unfinishedResult } from "./tasks.ts";
import type { ToolCaller } from "./tool_caller.ts";
import type { ServerTools } from "./server_tools.ts";

/** Redeems and cancels tasks. */
export class TaskCaller {
  readonly #connection: Connection;
  readonly #tools: ServerTools;
  readonly #calls: ToolCaller;
  readonly #live: OpenCalls;

  constructor(connection: Connection, tools: ServerTools, calls: ToolCaller, live: OpenCalls) {
    this.#connection = connection;
    this.#tools = tools;
    this.#calls = calls;
    this.#live = live;
  }

  /** The task that a call means; `undefined` if it is a call of a tool like any other. */
  async taskOf({ tool, args, limit }: TransportCall, era: ProtocolEra): Promise<string | undefined> {
    const { promise } = asObject(args);
    if ((tool !== "redeem" && tool !== "cancel") || typeof promise !== "string" || !hasTasks(era)) return undefined;
    return await this.#tools.find(tool, limit) === undefined ? promise : undefined;
  }

  /** Redeems the task, or cancels it. */
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
      const refusal = await this.#update(taskId, toInputParams(decodeContinuation(continuation), responses), { limit });
      if (refusal !== undefined) return refusal;
    }
    const reply = await this.#connection.request({ method: "tasks/get", params: { taskId }, limit });
    if (!("result" in reply)) return toErrorResult(reply);
    const task = reply.result;
    if (task["status"] === "input_required") return await this.#answer(taskId, task, { limit });
    const end = taskReply(task);
    return unfinishedResult(task) ??
      (end === undefined ? toPromiseOutcome(task) : this.#calls.toCallResult(end, "redeem"));
  }

  /** What the task wants to know: the handlers say it, or the caller has to. */
  async #answer(taskId: string, task: Members, { limit }: Pick<TransportCall, "limit">): Promise<CallResult> {
    const { questions, answered } = await answerInputRequests(this.#connection.handlers, task["inputRequests"]);
    if (questions.length > 0) return toQuestionsResult(questions, encodeContinuation(taskId, questions, answered));
    return await this.#update(taskId, { inputResponses: answered }, { limit }) ?? toPromiseOutcome(task);
  }

  async #update(
    taskId: string,
    { inputResponses = {} }: Members,
    { limit }: Pick<TransportCall, "limit">,
  ): Promise<CallResult | undefined> {
    const reply = await this.#connection.request({ method: "tasks/update", params: { taskId, inputResponses }, limit });
    return "result" in reply ? undefined : toErrorResult(reply);
  }

  /** In 2025-11-25 the result is asked for on its own, and questions come while it is waited for. */
  async #redeemLegacy(
    taskId: string,
    call: TransportCall,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { meta, limit } = call;
    const { continuation, responses } = meta ?? {};
    if (continuation !== taskId) {
      const reply = await this.#connection.request({ method: "tasks/get", params: { taskId }, limit });
      if (!("result" in reply)) return toErrorResult(reply);
      const still = unfinishedResult(reply.result);
      if (still !== undefined) return still;
    }
    const ended = await this.#live.run({
      subject: ["tasks/result", taskId],
      continuation,
      responses,
      name: taskId,
      limit,
      sink,
      begin: ({ onQuestion: ask, onQuestionCancelled: withdraw, limit }) =>
        this.#connection.request({
          method: "tasks/result",
          params: { taskId },
          limit,
          pending: { onQuestion: ask, onQuestionCancelled: withdraw },
        }),
    });
    return "kind" in ended ? ended : this.#calls.toCallResult(ended, "redeem");
  }
}

function hasTasks({ isModern, server: { capabilities } }: ProtocolEra): boolean {
  return isModern ? hasTasksExtension(capabilities) : hasLegacyTasks(capabilities);
}
