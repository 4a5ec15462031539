/**
 * The parts of `tools/call` that all revisions share: decoding the parameters, running the call, encoding the result.
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { decodeTrace } from "../../../core/call/call_meta.ts";
import type {
  AnswerOutcome,
  CallResult,
  ErrorResult,
  FailureOutcome,
  PromiseOutcome,
} from "../../../core/call/outcome.ts";
import { chain, Future, type MaybeFuture } from "../../../internal/future.ts";
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { WireHost } from "../../wire.ts";
import { mcpErrorCodeOf } from "../protocol/codes.ts";
import { RESULT_META } from "../protocol/constants.ts";
import { CallSink } from "./call_sink.ts";
import type { Channel, McpExchange, McpPeer } from "./exchange.ts";
import { fromInputResponses } from "./input_requests.ts";
import { errorResponse, type FinalResult, paramError, resultResponse, type RpcResponse } from "./response.ts";
import type { Revision } from "./revision.ts";
import type { McpTool, McpTools } from "./tools.ts";
import type { ContentBlock } from "../../../core/call/content.ts";
import { fileBlocksOf, type ReadBlocks, readBlocks } from "../../../core/call/answer_blocks.ts";
import { outcomeMeta, promiseToJson } from "../../framing/result/encode.ts";
import type { RenderedOutput } from "../../../core/tool/definition.ts";

/** A request of `tools/call`, decoded. */
export interface McpToolCall {
  readonly name: string;
  readonly tool: McpTool | undefined;
  readonly args: unknown;
  readonly peer: McpPeer;
  readonly exchange: McpExchange;
  readonly progressToken: string | number | undefined;
  /** Whether the caller takes pieces of the answer. */
  readonly takesPieces: boolean;
  /** Minimum level of log messages. */
  readonly logLevel: string | undefined;
  /** Whether the caller accepts a promise as the result. */
  readonly takesPromises: boolean;
}

/** Decodes and runs `tools/call`, and encodes its result. If the client accepts no promises, the call waits for the deferred result. */
export class ToolCallRunner {
  readonly #host: WireHost;
  readonly #tools: McpTools;
  readonly #results: ToolResults;
  /** Whether log lines without a logger get the name of their tool. */
  readonly #namesLogger: boolean;

  constructor(host: WireHost, tools: McpTools, namesLogger: boolean) {
    this.#host = host;
    this.#tools = tools;
    this.#namesLogger = namesLogger;
    this.#results = new ToolResults(tools);
  }

  /** Decodes name and arguments of a call, and finds its tool: `undefined` if it is unknown or hidden from the caller. */
  read(params: Members, caller: McpExchange): Pick<McpToolCall, "name" | "tool" | "args"> | ErrorResult {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string") return paramError("name", name, "the tool's name");
    return { name, tool: this.#tools.getFor(this.#host.targetOf?.(name, args) ?? name, caller), args };
  }

  /**
   * Runs a call. It gets a sink only if the caller wants notifications, or if the tool may defer the call and the caller does not
   * accept promises: then the call waits for the deferred result until its deadline.
   */
  run(call: McpToolCall, meta: CallMeta | undefined): MaybeFuture<CallResult> {
    const { tool, progressToken, logLevel, takesPromises } = call;
    const waits = tool !== undefined && tool.mayPromise && !takesPromises && meta?.isPromiseWanted !== true;
    if (meta?.heartbeatMs !== undefined) call.exchange.beatWithin?.(meta.heartbeatMs);
    const hasEvents = progressToken !== undefined || logLevel !== undefined;
    const channel = hasEvents || waits ? call.exchange.channel() : undefined;
    if (channel !== undefined || waits) return this.#runWithSink(call, meta, channel, waits);
    return this.#host.dispatch.call({ tool: call.name, args: call.args, meta, peer: call.peer });
  }

  #runWithSink(
    call: McpToolCall,
    meta: CallMeta | undefined,
    channel: Channel | undefined,
    waits: boolean,
  ): MaybeFuture<CallResult> {
    const { name, args, peer, progressToken, logLevel, takesPromises, takesPieces } = call;
    peer.isStreamed = channel !== undefined;
    const deferred = takesPromises ? new Future<CallResult>() : undefined;
    const onPromise = deferred && ((promise: PromiseOutcome) => deferred.receive(promise));
    const logger = this.#namesLogger ? name : undefined;
    const sink = new CallSink({ channel, progressToken, takesPieces, logLevel, logger, onPromise });
    const result = this.#host.dispatch.call({ tool: name, args, meta, peer }, sink);
    const completed = chain(result, (later) => this.#complete(call, sink, later, waits));
    if (!(completed instanceof Future) || deferred === undefined) return completed;
    // A caller that accepts promises gets the promise as soon as there is one.
    completed.into(deferred);
    return deferred;
  }

  #complete(
    { tool, peer, takesPieces }: McpToolCall,
    sink: CallSink,
    result: CallResult,
    waits: boolean,
  ): MaybeFuture<CallResult> {
    // Promises of work in another process are returned at once. All others are returned when the time to wait is over.
    const { external, remote } = tool?.definition ?? {};
    if (!waits || result.kind !== "promise" || (external ?? remote) === undefined) return sink.join(result);
    const args = { promise: result.token, ...(takesPieces && { after: sink.sentPieces }) };
    const redeemed = { tool: "redeem", args, meta: undefined, peer };
    return chain(this.#host.dispatch.call(redeemed, sink), (answer) => sink.join(answer));
  }

  /** Encodes the response to a call. */
  encode(
    id: RequestId,
    revision: Revision,
    { tool, name }: Pick<McpToolCall, "tool" | "name">,
    result: FinalResult,
  ): RpcResponse {
    try {
      switch (result.kind) {
        case "answer":
          return resultResponse(id, this.#results.answer(revision, result, tool));
        case "failure":
          return resultResponse(id, this.#results.failure(revision, result));
        case "promise":
          return resultResponse(id, this.#results.promise(revision, result));
        default:
          return this.#encodeError(id, revision, result);
      }
    } catch (thrown) {
      const error = new TypeError("The result cannot be encoded", { cause: thrown });
      return this.#encodeError(id, revision, this.#host.dispatch.mask(error, { tool: name }));
    }
  }

  #encodeError(id: RequestId, revision: Revision, error: ErrorResult): RpcResponse {
    const isResult = mcpErrorCodeOf(error).isResult &&
      (error.code !== "invalid_input" || revision.showsInputErrors);
    return isResult ? resultResponse(id, this.#results.error(revision, error)) : errorResponse(id, error);
  }
}

/** Decodes deadline, interval of heartbeats, context, idempotency key, trace and wish for a promise from a call's `_meta`. Members of a wrong type are ignored. */
export function readCallMeta(meta: Members): CallMeta | undefined {
  const { deadline_ms: deadlineMs, heartbeat_ms: heartbeatMs, context, idempotency_key: idempotencyKey, promise } =
    meta;
  const trace = decodeTrace(meta);
  const isPlain = deadlineMs === undefined && heartbeatMs === undefined && context === undefined &&
    idempotencyKey === undefined && promise === undefined && trace === undefined;
  if (isPlain) return undefined;
  const hasKey = typeof idempotencyKey === "string" && idempotencyKey !== "" && idempotencyKey.length <= MAX_KEY;
  return {
    ...(typeof deadlineMs === "number" && deadlineMs > 0 && { deadlineMs }),
    ...(typeof heartbeatMs === "number" && heartbeatMs > 0 && { heartbeatMs }),
    ...(typeof context === "string" && { context }),
    ...(hasKey && { idempotencyKey }),
    ...(typeof promise === "boolean" && { isPromiseWanted: promise }),
    ...(trace !== undefined && { trace }),
  };
}

/** Maximum length of an idempotency key, in UTF-16 code units. */
const MAX_KEY = 256;

/** Decodes the answers to questions: `requestState` and `inputResponses`. `undefined` if both are absent. */
export function readInputResponses(params: Members): CallMeta | ErrorResult | undefined {
  const { requestState: continuation, inputResponses } = params;
  if (continuation === undefined && inputResponses === undefined) return undefined;
  if (continuation !== undefined && typeof continuation !== "string") {
    return paramError("requestState", continuation, "the string that the server sent");
  }
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
    return paramError("inputResponses", inputResponses, "an object of answers by key");
  }
  return {
    ...(continuation !== undefined && { continuation }),
    ...(inputResponses !== undefined && { responses: fromInputResponses(inputResponses) }),
  };
}

/** Encodes the results of one server's tools. */
class ToolResults {
  readonly #tools: McpTools;

  constructor(tools: McpTools) {
    this.#tools = tools;
  }

  /** Encodes a returned value: as content, and as structured content if the revision has it. */
  answer(revision: Revision, outcome: AnswerOutcome, tool: McpTool | undefined): string {
    const { value, structured, isText, renderedBy, hasFiles, "~shown": shown } = outcome;
    if (isText === true && typeof value === "string") return revision.result(textMember(value), outcomeMeta(outcome));
    if (structured !== undefined) return relayedAnswer(revision, outcome);
    const meta = outcomeMeta(outcome);
    const render = renderedBy === undefined ? relayedRender(shown) : this.#tools.get(renderedBy)?.definition.render;
    const isFree = render === undefined && tool?.definition.output === undefined;
    // Hosts show models the structured content in place of the content, escaped as JSON, or both. A text has nothing to structure.
    // An empty text alone would be read as nothing.
    if (isFree && typeof value === "string") {
      return revision.result(textMember(value), value === "" ? { ...meta, [RESULT_META.shape]: "text" } : meta);
    }
    const blocks = isFree ? readBlocks(value) : undefined;
    if (blocks !== undefined) return encodeBlocks(blocks, revision, meta);
    const json = JSON.stringify(value);
    const content = render !== undefined
      ? contentMember(render(value), revision)
      : hasFiles
      ? contentMember(fileBlocksOf(value), revision)
      : textMember(textOf(value, json));
    if (json === undefined || revision.structured === "none") return revision.result(content, meta);
    const marked = render === undefined && !hasFiles ? meta : { ...meta, [RESULT_META.rendered]: true };
    const wraps = revision.structured === "objects" && (tool?.wrapsOutput || !isJsonObject(value));
    if (!wraps) return revision.result(`${content},"structuredContent":${json}`, marked);
    return revision.result(`${content},"structuredContent":{"result":${json}}`, {
      ...marked,
      [RESULT_META.wrapped]: true,
    });
  }

  /** Encodes a failure of the tool. */
  failure(revision: Revision, outcome: FailureOutcome): string {
    const { code, message, data } = outcome;
    const meta = { ...outcomeMeta(outcome), ...endMeta("failure", code, data) };
    return encodeErrorContent(revision, message, data, meta);
  }

  /** Encodes an error that the caller's model should see. */
  error(revision: Revision, { code, message, data }: ErrorResult): string {
    const meta = endMeta("error", code, data);
    // Models see the issues of invalid input, once. Other data is for programs.
    const text = issuesText(message, data);
    const isShown = code === "invalid_input" && text === undefined;
    return encodeErrorContent(revision, text ?? message, isShown ? data : undefined, meta);
  }

  /** Encodes a promise for a caller without support for tasks: as text that names the tools for it. */
  promise(revision: Revision, promise: PromiseOutcome): string {
    const text =
      `The work continues in the background. Call the tool "redeem" with {"promise":"${promise.token}"} for its result, ` +
      `in ${promise.retryAfterMs} ms or later; the tool "cancel" ends it.`;
    return revision.result(textMember(text), {
      [RESULT_META.type]: "promise",
      [RESULT_META.promise]: promiseToJson(promise),
    });
  }
}

/** What a server behind a gateway has rendered; `undefined` if it is neither text nor content blocks: that server may send anything. */
function relayedRender(
  shown: AnswerOutcome["~shown"],
): ((value: unknown) => RenderedOutput | readonly ContentBlock[]) | undefined {
  const rendered = shown?.();
  if (typeof rendered === "string") return () => rendered;
  const blocks = readBlocks(rendered)?.blocks;
  return blocks && (() => blocks);
}

/** Encodes an answer of another server that has both content and structured content. */
function relayedAnswer(revision: Revision, outcome: AnswerOutcome): string {
  const { value, structured } = outcome;
  const blocks = readBlocks(value)?.blocks;
  const content = blocks === undefined
    ? textMember(textOf(value, JSON.stringify(value)))
    : contentMember(blocks, revision);
  const hasStructured = revision.structured === "any" ||
    (revision.structured === "objects" && isJsonObject(structured));
  const member = hasStructured ? `,"structuredContent":${JSON.stringify(structured)}` : "";
  return revision.result(`${content}${member}`, outcomeMeta(outcome));
}

/** Encodes text as the content of a result. */
function textMember(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}

/** The members of `_meta` that state how a call ended, for clients of ours and programs. */
function endMeta(type: "failure" | "error", code: string, data: unknown): Members {
  return { [RESULT_META.type]: type, [RESULT_META.code]: code, [RESULT_META.data]: data };
}

/** A message, which may have the first issue already, with a line for each other issue; `undefined` if the data is not issues. */
function issuesText(message: string, data: unknown): string | undefined {
  const { issues, ...others } = asObject(data);
  if (!Array.isArray(issues) || !issues.every(isIssue) || Object.keys(others).length > 0) return undefined;
  const lines = issues.filter((issue, index) => index > 0 || !message.includes(issue.message)).map(
    ({ path, message }) => {
      return path.length === 0 ? message : `At ${JSON.stringify(path.join("."))}: ${message}`;
    },
  );
  return [message, ...lines].join("\n");
}

function isIssue(issue: unknown): issue is { readonly path: readonly unknown[]; readonly message: string } {
  const { path, message } = asObject(issue);
  return Array.isArray(path) && typeof message === "string";
}

function encodeErrorContent(revision: Revision, message: string, data: unknown, meta: Members): string {
  const details = data === undefined ? "" : `,{"type":"text","text":${JSON.stringify(JSON.stringify(data))}}`;
  const content = `"content":[{"type":"text","text":${JSON.stringify(message)}}${details}],"isError":true`;
  return revision.result(content, meta);
}

/** A string as it is, any other value as JSON. */
function textOf(value: unknown, json: string | undefined): string {
  return typeof value === "string" ? value : json ?? "";
}

/** Encodes blocks, with what a client of ours needs to restore the value that consists of them. */
function encodeBlocks({ blocks, shape, rest }: ReadBlocks, revision: Revision, meta: Members | undefined): string {
  const members = Object.entries(rest).map(([name, member]) => `,${JSON.stringify(name)}:${JSON.stringify(member)}`);
  const content = contentMember(blocks, revision) + members.join("");
  // One block without a mark would be read as the text of a server of others.
  if (shape === "list" && blocks.length !== 1) return revision.result(content, meta);
  const mark = shape === "block" ? { [RESULT_META.single]: true } : { [RESULT_META.shape]: shape };
  return revision.result(content, { ...meta, ...mark });
}

function contentMember(rendered: RenderedOutput | readonly ContentBlock[], revision: Revision): string {
  if (typeof rendered === "string") return textMember(rendered);
  if (rendered.length === 0) return textMember("");
  return `"content":${JSON.stringify(rendered.map((block) => revision.toBlock(block)))}`;
}
