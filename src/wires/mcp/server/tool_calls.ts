/**
 * `tools/call`, as far as the revisions agree: what is read of it, how it is run, how it is answered.
 *
 * @module
 */
import type { CallMeta } from "../../../core/call/call.ts";
import { decodeTrace } from "../../../core/call/call_meta.ts";
import type { CallResult, ErrorResult, PromiseOutcome } from "../../../core/call/outcome.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { WireHost } from "../../wire.ts";
import { type Answer, refusalAnswer, resultAnswer } from "./answer.ts";
import { CallSink } from "./call_sink.ts";
import { mcpErrorCodes } from "../protocol/codes.ts";
import type { Dialect } from "./revision.ts";
import type { Channel, Exchange, McpPeer } from "./exchange.ts";
import { fromInputResponses } from "./input_requests.ts";
import { refuseParam } from "./refuse_param.ts";
import { ToolResults } from "./tool_result.ts";
import type { WorkEnd } from "./retryable_request.ts";
import type { McpTool, McpTools } from "./tools.ts";

/** One call. */
export interface ToolCall {
  /** Name of the tool. */
  readonly name: string;
  /** Its definition, if there is such a tool. */
  readonly tool: McpTool | undefined;
  /** Its arguments. */
  readonly args: unknown;
  /** Who calls. */
  readonly peer: McpPeer;
  /** How it came. */
  readonly exchange: Exchange;
  /** What its progress goes by. */
  readonly progressToken: string | number | undefined;
  /** From which level on its caller wants log lines. */
  readonly logLevel: string | undefined;
  /** Whether its caller takes a promise for an answer. */
  readonly takesPromises: boolean;
}

/** Runs and answers calls of one server's tools. */
export class ToolCalls {
  readonly #host: WireHost;
  readonly #tools: McpTools;
  readonly #results: ToolResults;

  constructor(host: WireHost, tools: McpTools) {
    this.#host = host;
    this.#tools = tools;
    this.#results = new ToolResults(tools);
  }

  /** Name, tool and arguments of a call, or why it is none. */
  read(params: Members): Pick<ToolCall, "name" | "tool" | "args"> | ErrorResult {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string") return refuseParam("name", name, "the tool's name");
    return { name, tool: this.#tools.get(name), args };
  }

  /**
   * Runs a call. It is watched only where somebody wants to hear of it; and a caller who takes no promises waits for what
   * was promised, as long as its deadline lets it.
   */
  run(call: ToolCall, meta: CallMeta | undefined): MaybePromise<CallResult> {
    const { tool, progressToken, logLevel, takesPromises } = call;
    const waits = tool !== undefined && tool.mayPromise && !takesPromises && meta?.isPromiseWanted !== true;
    const isHeard = progressToken !== undefined || logLevel !== undefined;
    const channel = isHeard || waits ? call.exchange.channel() : undefined;
    if (channel !== undefined || waits) return this.#runHeard(call, meta, channel, waits);
    return this.#host.dispatch.call({ tool: call.name, args: call.args, meta, peer: call.peer });
  }

  #runHeard(
    call: ToolCall,
    meta: CallMeta | undefined,
    channel: Channel | undefined,
    waits: boolean,
  ): MaybePromise<CallResult> {
    const { name, args, peer, progressToken, logLevel, takesPromises } = call;
    peer.isStreamed = channel !== undefined;
    const promised = takesPromises ? Promise.withResolvers<PromiseOutcome>() : undefined;
    const sink = new CallSink({ channel, progressToken, logLevel, logger: name, onPromise: promised?.resolve });
    const settled = this.#host.dispatch.call({ tool: name, args, meta, peer }, sink);
    if (!(settled instanceof Promise)) return this.#whole(call, sink, settled, waits);
    const whole = settled.then((later) => this.#whole(call, sink, later, waits));
    // Who takes promises need not stay for the rest.
    return promised === undefined ? whole : Promise.race([whole, promised.promise]);
  }

  #whole({ tool, peer }: ToolCall, sink: CallSink, settled: CallResult, waits: boolean): MaybePromise<CallResult> {
    // Other promises come when the time to wait is over; that of work which goes on elsewhere comes at once.
    const { external, remote: relay } = tool?.plan ?? {};
    if (!waits || settled.kind !== "promise" || (external ?? relay) === undefined) return sink.join(settled);
    return this.#host.dispatch.call({ tool: "redeem", args: { promise: settled.token }, meta: undefined, peer }, sink);
  }

  /** The answer to a call that has ended. */
  answer(id: RequestId, dialect: Dialect, { tool, name }: Pick<ToolCall, "tool" | "name">, settled: WorkEnd): Answer {
    try {
      switch (settled.kind) {
        case "answer":
          return resultAnswer(id, this.#results.answer(dialect, settled, tool));
        case "failure":
          return resultAnswer(id, this.#results.failure(dialect, settled));
        case "promise":
          return resultAnswer(id, this.#results.promise(dialect, settled));
        default:
          return this.#refusal(id, dialect, settled);
      }
    } catch (thrown) {
      const error = new TypeError("The result cannot be written", { cause: thrown });
      return this.#refusal(id, dialect, this.#host.dispatch.mask(error, { tool: name }));
    }
  }

  #refusal(id: RequestId, dialect: Dialect, refusal: ErrorResult): Answer {
    const { code } = refusal;
    const isResult = mcpErrorCodes[code].isResult && (code !== "invalid_input" || dialect.tellsModelOfInput);
    if (!isResult) return refusalAnswer(id, refusal);
    return resultAnswer(id, this.#results.refusal(dialect, refusal));
  }
}

/** What callers of ours say beside a call, in `_meta`; what others mean by these names is not for us. */
export function readCallMeta(meta: Members): CallMeta | undefined {
  const { deadline_ms: deadlineMs, context, idempotency_key: idempotencyKey, promise } = meta;
  const trace = decodeTrace(meta);
  const isPlain = deadlineMs === undefined && context === undefined && idempotencyKey === undefined &&
    promise === undefined && trace === undefined;
  if (isPlain) return undefined;
  const hasKey = typeof idempotencyKey === "string" && idempotencyKey !== "" && idempotencyKey.length <= MAX_KEY;
  return {
    ...(typeof deadlineMs === "number" && deadlineMs > 0 && { deadlineMs }),
    ...(typeof context === "string" && { context }),
    ...(hasKey && { idempotencyKey }),
    ...(typeof promise === "boolean" && { isPromiseWanted: promise }),
    ...(trace !== undefined && { trace }),
  };
}

/** Longest idempotency key, in UTF-16 code units. */
const MAX_KEY = 256;

/** What a caller sends back who was asked: the state, and its answers. */
export function readResponses(params: Members): CallMeta | ErrorResult | undefined {
  const { requestState: continuation, inputResponses } = params;
  if (continuation === undefined && inputResponses === undefined) return undefined;
  if (continuation !== undefined && typeof continuation !== "string") {
    return refuseParam("requestState", continuation, "what was given, a string");
  }
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
    return refuseParam("inputResponses", inputResponses, "an object of answers by key");
  }
  return {
    ...(continuation !== undefined && { continuation }),
    ...(inputResponses !== undefined && { responses: fromInputResponses(inputResponses) }),
  };
}
