/**
 * Calls of tools, in either era: what is sent, what is asked meanwhile, what it comes to.
 *
 * @module
 */
import {
  type CallResult,
  errorResult,
  invalidInputResult,
  type QuestionsResult,
  type Sink,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { TransportCall } from "../../../core/call/transport.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import { toQuestion } from "./questions.ts";
import type { Connection } from "./connection.ts";
import { decodeRound, encodeRound, inputsOf } from "./continuation.ts";
import type { Era } from "./era.ts";
import { paramHeaders } from "../protocol/header_values.ts";
import type { Watch } from "./incoming_router.ts";
import type { LiveCalls } from "./open_calls.ts";
import type { RpcReply } from "./message_transport.ts";
import { ProgressFeed } from "./progress_feed.ts";
import { refusalOf } from "./error_result.ts";
import { decodeToolResult } from "./result.ts";
import { askOutcome, goRounds } from "./input_required_loop.ts";
import { promiseOf } from "./tasks.ts";
import { hasLegacyToolTasks } from "../protocol/capabilities.ts";
import { HEADER_MISMATCH, URL_ELICITATION_REQUIRED } from "../protocol/codes.ts";
import type { KnownTool, Tools } from "./tools.ts";

/** Calls the tools of one server. */
export class ToolCalls {
  readonly #connection: Connection;
  readonly #tools: Tools;
  readonly #live: LiveCalls;

  constructor(connection: Connection, tools: Tools, live: LiveCalls) {
    this.#connection = connection;
    this.#tools = tools;
    this.#live = live;
  }

  /** Makes one call. */
  async call(call: TransportCall, era: Era, sink: Sink | undefined): Promise<CallResult | UnknownOutcome> {
    const { tool, args = {}, limit } = call;
    if (!isJsonObject(args)) return invalidInputResult("Arguments must be an object", [], "object", args);
    const isKnowledgeNeeded = era.hasHeaders || this.#tools.arePinned || hasToolTasks(era);
    const known = isKnowledgeNeeded ? await this.#tools.find(tool, limit) : this.#tools.known(tool);
    const refusal = this.#tools.check(tool, known);
    if (refusal !== undefined) return refusal;
    if (!era.isModern) return await this.#callLegacy(call, era, args, known, sink);
    return await this.#callModern(call, args, known, sink);
  }

  async #callModern(
    { tool, meta, limit }: TransportCall,
    args: Members,
    known: KnownTool | undefined,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses, ...said } = meta ?? {};
    const watch = sink && watchOf(sink);
    const send = (inputs: Members, headerParams: KnownTool["headerParams"] = []): Promise<RpcReply> =>
      this.#connection.request({
        method: "tools/call",
        params: { name: tool, arguments: args, ...inputs },
        meta: said,
        headers: paramHeaders(headerParams, args),
        limit,
        ...(watch && { watch }),
      });
    let latest = known;
    const sendRight = async (inputs: Members): Promise<RpcReply> => {
      const reply = await send(inputs, latest?.headerParams);
      if (!("error" in reply) || reply.error.code !== HEADER_MISMATCH) return reply;
      // The schema is not what it was: once more, as it is now.
      this.#tools.forget();
      latest = await this.#tools.find(tool, limit);
      return this.#tools.check(tool, latest) === undefined ? await send(inputs, latest?.headerParams) : reply;
    };
    const first = typeof continuation === "string" ? inputsOf(decodeRound(continuation), responses) : {};
    const ended = await goRounds(this.#connection.handlers, sendRight, first);
    return "outcome" in ended ? ended.outcome : this.settle(ended.reply, tool);
  }

  async #callLegacy(
    { tool, meta, limit }: TransportCall,
    era: Era,
    args: Members,
    known: KnownTool | undefined,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses, ...said } = meta ?? {};
    const { taskSupport } = asObject(known?.tool["execution"]);
    const isTask = hasToolTasks(era) &&
      (taskSupport === "required" || (taskSupport === "optional" && said["promise"] === true));
    const params = { name: tool, arguments: args, ...(isTask && { task: {} }) };
    // A server that has the tool for promises may give one that was not asked for.
    const takesPromises = !isTask && this.#tools.known("redeem") !== undefined;
    const sent = takesPromises ? { ...said, takes_promises: true } : said;
    const { promise } = args;
    const ended = await this.#live.run({
      subject: [tool, args],
      continuation,
      responses,
      name: tool === "redeem" && typeof promise === "string" ? promise : undefined,
      limit,
      sink,
      begin: ({ ask, withdraw, progress, limit }) => {
        const watch: Watch = { ask, withdraw, ...(sink && { progress }) };
        return this.#connection.request({ method: "tools/call", params, meta: sent, limit, watch });
      },
    });
    return "kind" in ended ? ended : this.settle(ended, tool);
  }

  /** How a call ended, from the reply to it. */
  settle(reply: RpcReply, tool: string): CallResult | UnknownOutcome {
    if (!("result" in reply)) {
      const isElicitation = "error" in reply && reply.error.code === URL_ELICITATION_REQUIRED;
      return (isElicitation ? elicitationsOf(reply.error.data) : undefined) ?? this.#refusal(reply, tool);
    }
    const { result } = reply;
    const { resultType = "complete", task } = result;
    if (resultType === "task") return promiseOf(result);
    if (isJsonObject(task) && result["content"] === undefined) return promiseOf(task);
    return resultType === "complete"
      ? decodeToolResult(result)
      : { kind: "unknown", responseType: String(resultType), result };
  }

  #refusal(reply: Exclude<RpcReply, { readonly result: unknown }>, tool: string): CallResult {
    const refusal = refusalOf(reply);
    const isUnknown = refusal.code === "invalid_input" && this.#tools.lacks(tool);
    return isUnknown ? errorResult("tool_not_found", refusal.message, refusal.data) : refusal;
  }
}

/** Tells a sink how far a call is. */
function watchOf(sink: Sink): Watch {
  const feed = new ProgressFeed(sink);
  return { progress: (progress) => feed.push(progress) };
}

/** Whether calls can be made as tasks of 2025-11-25. */
function hasToolTasks({ isModern, server: { capabilities } }: Era): boolean {
  return !isModern && hasLegacyToolTasks(capabilities);
}

/** Pages that the caller has to go to before it calls again, as the older eras say it; `undefined` if there are none. */
function elicitationsOf(data: unknown): QuestionsResult | undefined {
  const { elicitations } = asObject(data);
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined;
  const questions = elicitations.map((params, index) =>
    toQuestion(`question_${index + 1}`, { method: "elicitation/create", params: asObject(params) })
  );
  return askOutcome(questions, encodeRound(undefined, questions, {}));
}
