/**
 * Promises that are tasks: the tools `redeem` and `cancel`, for servers that have tasks and not these tools.
 *
 * @module
 */
import type { CallResult, Sink, UnknownOutcome } from "../../../core/call/outcome.ts";
import type { TransportCall } from "../../../core/call/transport.ts";
import { asObject, type Members } from "../../../internal/json.ts";
import type { Connection } from "./connection.ts";
import { decodeRound, encodeRound, inputsOf } from "./continuation.ts";
import type { Era } from "./era.ts";
import type { LiveCalls } from "./open_calls.ts";
import { hasLegacyTasks, hasTasksExtension } from "../protocol/capabilities.ts";
import { refusalOf } from "./error_result.ts";
import { answerInputs, askOutcome } from "./input_required_loop.ts";
import { cancelTask, endOf, promiseOf, unfinished } from "./tasks.ts";
import type { ToolCalls } from "./tool_calls.ts";
import type { Tools } from "./tools.ts";

/** Redeems and cancels tasks. */
export class TaskCalls {
  readonly #connection: Connection;
  readonly #tools: Tools;
  readonly #calls: ToolCalls;
  readonly #live: LiveCalls;

  constructor(connection: Connection, tools: Tools, calls: ToolCalls, live: LiveCalls) {
    this.#connection = connection;
    this.#tools = tools;
    this.#calls = calls;
    this.#live = live;
  }

  /** The task that a call means; `undefined` if it is a call of a tool like any other. */
  async taskOf({ tool, args, limit }: TransportCall, era: Era): Promise<string | undefined> {
    const { promise } = asObject(args);
    if ((tool !== "redeem" && tool !== "cancel") || typeof promise !== "string" || !hasTasks(era)) return undefined;
    return await this.#tools.find(tool, limit) === undefined ? promise : undefined;
  }

  /** Redeems the task, or cancels it. */
  async call(
    taskId: string,
    call: TransportCall,
    era: Era,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    if (call.tool === "cancel") return await cancelTask(this.#connection, taskId, call.limit);
    return era.isModern ? await this.#redeem(taskId, call) : await this.#redeemLegacy(taskId, call, sink);
  }

  async #redeem(taskId: string, { meta, limit }: TransportCall): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses } = meta ?? {};
    if (typeof continuation === "string") {
      const refusal = await this.#update(taskId, inputsOf(decodeRound(continuation), responses), { limit });
      if (refusal !== undefined) return refusal;
    }
    const reply = await this.#connection.request({ method: "tasks/get", params: { taskId }, limit });
    if (!("result" in reply)) return refusalOf(reply);
    const task = reply.result;
    if (task["status"] === "input_required") return await this.#answer(taskId, task, { limit });
    const end = endOf(task);
    return unfinished(task) ?? (end === undefined ? promiseOf(task) : this.#calls.settle(end, "redeem"));
  }

  /** What the task wants to know: the handlers say it, or the caller has to. */
  async #answer(taskId: string, task: Members, { limit }: Pick<TransportCall, "limit">): Promise<CallResult> {
    const { questions, answered } = await answerInputs(this.#connection.handlers, task["inputRequests"]);
    if (questions.length > 0) return askOutcome(questions, encodeRound(taskId, questions, answered));
    return await this.#update(taskId, { inputResponses: answered }, { limit }) ?? promiseOf(task);
  }

  async #update(
    taskId: string,
    { inputResponses = {} }: Members,
    { limit }: Pick<TransportCall, "limit">,
  ): Promise<CallResult | undefined> {
    const reply = await this.#connection.request({ method: "tasks/update", params: { taskId, inputResponses }, limit });
    return "result" in reply ? undefined : refusalOf(reply);
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
      if (!("result" in reply)) return refusalOf(reply);
      const still = unfinished(reply.result);
      if (still !== undefined) return still;
    }
    const ended = await this.#live.run({
      subject: ["tasks/result", taskId],
      continuation,
      responses,
      name: taskId,
      limit,
      sink,
      begin: ({ ask, withdraw, limit }) =>
        this.#connection.request({ method: "tasks/result", params: { taskId }, limit, watch: { ask, withdraw } }),
    });
    return "kind" in ended ? ended : this.#calls.settle(ended, "redeem");
  }
}

function hasTasks({ isModern, server: { capabilities } }: Era): boolean {
  return isModern ? hasTasksExtension(capabilities) : hasLegacyTasks(capabilities);
}
