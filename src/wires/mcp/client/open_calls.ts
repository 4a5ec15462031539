import { type ErrorResult, errorResult, type QuestionsResult, type Sink } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { canonicalJson } from "../../../internal/json.ts";
import { toQuestionsResult } from "./input_required_loop.ts";
import type { RpcReply } from "./message_transport.ts";
import { OpenCall } from "./open_call.ts";

/** Maximum number of calls that wait for answers of their callers. When it is exceeded, the oldest one is aborted. */
const MAX_WAITING = 64;
const PREFIX = "mcp:call:";

/** A call, or its continuation, as the caller makes it. */
export interface OpenCallRequest {
  /** The tool and its arguments. */
  readonly subject: readonly unknown[];
  /** The caller's continuation; `undefined` for a new call. */
  readonly continuation: unknown;
  /** The caller's answers. */
  readonly responses: unknown;
  /** The continuation, if it is known in advance: the token of a promise. */
  readonly name?: string | undefined;
  readonly limit: ActivityMonitor;
  readonly sink: Sink | undefined;
  /** Sends the request. */
  begin(call: OpenCall): Promise<RpcReply>;
}

/** Calls in the era with a handshake that wait for answers of their callers. Only the same transport can continue them. */
export class OpenCalls {
  readonly #waiting = new Map<string, OpenCall>();
  #count = 0;

  /** Starts or continues a call. Returns its reply, or questions. */
  async run(request: OpenCallRequest): Promise<RpcReply | QuestionsResult | ErrorResult> {
    const { name = `${PREFIX}${++this.#count}`, limit, sink } = request;
    const resumed = this.#resume(request);
    if (resumed !== undefined && "kind" in resumed) return resumed;
    const [key, call] = resumed ?? [name, this.#begin(request)];
    const step = await call.next(limit, sink);
    if ("reply" in step) return step.reply;
    this.#keep(key, call);
    return toQuestionsResult(step.questions, key);
  }

  /** Aborts all calls. */
  close(): void {
    for (const call of this.#waiting.values()) call.abort();
    this.#waiting.clear();
  }

  #begin({ subject, begin }: OpenCallRequest): OpenCall {
    const call = new OpenCall(canonicalJson(subject));
    call.follow(begin(call));
    return call;
  }

  #resume(
    { continuation, responses, subject }: OpenCallRequest,
  ): readonly [string, OpenCall] | ErrorResult | undefined {
    if (typeof continuation !== "string") return undefined;
    const call = this.#waiting.get(continuation);
    if (call === undefined) return continuation.startsWith(PREFIX) ? UNKNOWN_CALL : undefined;
    if (call.callKey !== canonicalJson(subject)) return OTHER_CALL;
    this.#waiting.delete(continuation);
    call.answer(responses);
    return [continuation, call];
  }

  #keep(key: string, call: OpenCall): void {
    this.#waiting.get(key)?.abort();
    this.#waiting.delete(key);
    this.#waiting.set(key, call);
    const [oldest] = this.#waiting;
    if (this.#waiting.size <= MAX_WAITING || oldest === undefined) return;
    this.#waiting.delete(oldest[0]);
    oldest[1].abort();
  }
}

const UNKNOWN_CALL: ErrorResult = errorResult(
  "invalid_continuation",
  "The call is no longer waiting for answers: call the tool again",
);
const OTHER_CALL: ErrorResult = errorResult("invalid_continuation", "This continuation belongs to another call");
