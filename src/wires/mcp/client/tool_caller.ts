/** Calls of tools, in both eras. */
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
import { hasLegacyToolTasks } from "../protocol/capabilities.ts";
import { HEADER_MISMATCH, URL_ELICITATION_REQUIRED } from "../protocol/codes.ts";
import { PIECES_SENT, RESULT_META } from "../protocol/constants.ts";
import { paramHeaders } from "../protocol/header_values.ts";
import type { Connection } from "./connection.ts";
import {
  fromContinuation,
  runInputRequiredLoop,
  toContinuation,
  toInputParams,
  toQuestionsResult,
} from "./continuation.ts";
import { decodeFailedReply } from "./decode_reply.ts";
import { decodeToolResult } from "./decode_tool_result.ts";
import type { ProtocolEra } from "./era.ts";
import { type PendingRequest, ProgressFeed } from "./incoming_router.ts";
import type { FailedReply, RpcReply } from "./message_transport.ts";
import type { OpenCalls } from "./open_calls.ts";
import { toQuestion } from "./questions.ts";
import type { KnownTool, ServerTools } from "./server_tools.ts";
import { toPromiseOutcome } from "./tasks.ts";

/** Sends `tools/call` in the form of the server's revision. A pin is checked first. */
export class ToolCaller {
  readonly #connection: Connection;
  readonly #tools: ServerTools;
  readonly #openCalls: OpenCalls;

  constructor(connection: Connection, tools: ServerTools, openCalls: OpenCalls) {
    this.#connection = connection;
    this.#tools = tools;
    this.#openCalls = openCalls;
  }

  async call(call: TransportCall, era: ProtocolEra, sink: Sink | undefined): Promise<CallResult | UnknownOutcome> {
    const { tool, args = {}, limit } = call;
    if (!isJsonObject(args)) return invalidInputResult("Arguments must be an object", [], "object", args);
    const needsDefinition = era.hasHeaders || this.#tools.arePinned || hasToolTasks(era);
    const known = needsDefinition ? await this.#tools.find(tool, limit) : this.#tools.known(tool);
    const error = this.#tools.checkPin(tool, known);
    if (error !== undefined) return error;
    if (!era.isModern) return await this.#callLegacy(call, era, args, known, sink);
    return await this.#callModern(call, args, known, sink);
  }

  async #callModern(
    { tool, meta: callMeta, limit }: TransportCall,
    args: Members,
    known: KnownTool | undefined,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses, ...rest } = callMeta ?? {};
    const pending = sink && toPendingRequest(sink);
    const meta = sink?.expectPieces === undefined ? rest : { ...rest, [PIECES_SENT]: true };
    const send = (inputs: Members, headerParams: KnownTool["headerParams"] = []): Promise<RpcReply> =>
      this.#connection.request({
        method: "tools/call",
        params: { name: tool, arguments: args, ...inputs },
        meta,
        headers: paramHeaders(headerParams, args),
        limit,
        ...(pending && { pending }),
      });
    let latest = known;
    const sendWithRetry = async (inputs: Members): Promise<RpcReply> => {
      const reply = await send(inputs, latest?.headerParams);
      if (!("error" in reply) || reply.error.code !== HEADER_MISMATCH) return reply;
      // The schema may have changed: read it again and retry once.
      this.#tools.invalidate();
      latest = await this.#tools.find(tool, limit);
      return this.#tools.checkPin(tool, latest) === undefined ? await send(inputs, latest?.headerParams) : reply;
    };
    const first = typeof continuation === "string" ? toInputParams(fromContinuation(continuation), responses) : {};
    const result = await runInputRequiredLoop(this.#connection.handlers, sendWithRetry, first);
    if ("questions" in result) return result.questions;
    if (needsList(result.reply)) await this.#listOnce(tool, limit);
    return withEraAdvice(this.toCallResult(result.reply, tool));
  }

  async #callLegacy(
    { tool, meta: callMeta, limit }: TransportCall,
    era: ProtocolEra,
    args: Members,
    known: KnownTool | undefined,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome> {
    const { continuation, responses, ...rest } = callMeta ?? {};
    const { taskSupport } = asObject(known?.tool["execution"]);
    const isTask = hasToolTasks(era) &&
      (taskSupport === "required" || (taskSupport === "optional" && rest["promise"] === true));
    const params = { name: tool, arguments: args, ...(isTask && { task: {} }) };
    // A server that lists `redeem` may then return a promise that was not requested.
    const takesPromises = !isTask && this.#tools.known("redeem") !== undefined;
    const meta = {
      ...rest,
      ...(takesPromises && { takes_promises: true }),
      ...(sink?.expectPieces && { [PIECES_SENT]: true }),
    };
    const { promise } = args;
    const result = await this.#openCalls.run({
      subject: [tool, args],
      continuation,
      responses,
      name: tool === "redeem" && typeof promise === "string" ? promise : undefined,
      limit,
      sink,
      begin: ({ onQuestion, onQuestionCancelled, onProgress, onPiece, onPromise, limit }) => {
        const pending: PendingRequest = {
          onQuestion,
          onQuestionCancelled,
          ...(sink && { onProgress, onPiece, onPromise }),
        };
        return this.#connection.request({ method: "tools/call", params, meta, limit, pending });
      },
    });
    if ("kind" in result) return result;
    if (needsList(result)) await this.#listOnce(tool, limit);
    return this.toCallResult(result, tool);
  }

  /** Reads the list of tools unless there is a list already. */
  async #listOnce(tool: string, limit: TransportCall["limit"]): Promise<void> {
    if (this.#tools.known(tool) === undefined) await this.#tools.find(tool, limit);
  }

  /** Converts the reply of `tools/call`. A task becomes a promise; the error for URLs to visit becomes questions. */
  toCallResult(reply: RpcReply, tool: string): CallResult | UnknownOutcome {
    if (!("result" in reply)) {
      const needsUrl = "error" in reply && reply.error.code === URL_ELICITATION_REQUIRED;
      return (needsUrl ? decodeElicitations(reply.error.data) : undefined) ?? this.#toErrorResult(reply, tool);
    }
    const { result } = reply;
    const { resultType = "complete", task } = result;
    if (resultType === "task") return toPromiseOutcome(result);
    if (isJsonObject(task) && result["content"] === undefined) return toPromiseOutcome(task);
    return resultType === "complete"
      ? decodeToolResult(result, this.#tools.known(tool)?.wrapsOutput)
      : { kind: "unknown", responseType: String(resultType), result };
  }

  /** MCP has the same number for an unknown tool and for invalid arguments. */
  #toErrorResult(reply: FailedReply, tool: string): CallResult {
    const error = decodeFailedReply(reply);
    const isUnknown = error.code === "invalid_input" && this.#tools.isKnownMissing(tool);
    return isUnknown ? errorResult("tool_not_found", error.message, error.data) : error;
  }
}

/** Whether only the list of tools says if `{ result }` is the value of a reply, or a wrapper around it that has no mark. */
function needsList(reply: RpcReply): boolean {
  if (!("result" in reply)) return false;
  const { structuredContent, _meta } = reply.result;
  const { [RESULT_META.wrapped]: wrapped, fastmcp } = asObject(_meta);
  const [name, ...others] = Object.keys(asObject(structuredContent));
  return name === "result" && others.length === 0 && wrapped === undefined && fastmcp === undefined;
}

/** Texts of other servers whose tool asks in a way that only revisions with a handshake have: of FastMCP, and of the SDK for Python. */
const ASKS_OLD_WAY = /unavailable on 2026-07-28 connections|no back-channel for server-initiated requests/;

/**
 * Adds the option that lets a tool ask to the message of its failure. The call is not repeated in the other era by itself: the tool may have
 * had effects before it asked.
 */
function withEraAdvice(result: CallResult | UnknownOutcome): CallResult | UnknownOutcome {
  if ((result.kind !== "failure" && result.kind !== "error") || !ASKS_OLD_WAY.test(result.message)) return result;
  const advice =
    'this tool can ask only in the older era: pass era: "legacy" to the transport, or --era legacy to the command line';
  return { ...result, message: `${result.message.replace(/\.$/, "")}; ${advice}` };
}

function toPendingRequest(sink: Sink): PendingRequest {
  const feed = new ProgressFeed(sink);
  return {
    onProgress: (progress) => feed.push(progress),
    onPiece: (value) => void sink.push({ kind: "partial", value }),
    onPromise: (promise) => void sink.push({ kind: "deferred", promise }),
  };
}

function hasToolTasks({ isModern, server: { capabilities } }: ProtocolEra): boolean {
  return !isModern && hasLegacyToolTasks(capabilities);
}

/** The URLs that the user has to visit before the call is made again; `undefined` if there is no URL. */
function decodeElicitations(data: unknown): QuestionsResult | undefined {
  const { elicitations } = asObject(data);
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined;
  const questions = elicitations.map((params, index) =>
    toQuestion(`question_${index + 1}`, { method: "elicitation/create", params: asObject(params) })
  );
  return toQuestionsResult(questions, toContinuation(undefined, questions, {}));
}
