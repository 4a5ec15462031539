import {
  askedAgain,
  type ErrorResult,
  errorResult,
  NO_ANSWER,
  type Progress,
  type PromiseOutcome,
  type QuestionsResult,
  type Sink,
} from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject, canonicalJson } from "../../../internal/json.ts";
import { toQuestionsResult } from "./continuation.ts";
import type { RpcReply } from "./message_transport.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { mcpErrorCodes } from "../protocol/codes.ts";
import type { InputRequest, RpcError } from "../protocol/messages.ts";
import { type PendingRequest, ProgressFeed, type RespondToServer } from "./incoming_router.ts";
import { isAnswer, questionKey, type ServerQuestion, toOutcome, toQuestion } from "./questions.ts";

/** Maximum number of calls that wait for answers of their callers. When it is exceeded, the oldest one is aborted. */
const MAX_WAITING = 64;
/** Maximum number of questions of one call that are open at the same time. */
const MAX_QUESTIONS = 256;
const TOO_MANY_QUESTIONS: RpcError = {
  code: mcpErrorCodes.invalid_request.number,
  message: `More than ${MAX_QUESTIONS} questions of a call are open`,
};
const PREFIX = "mcp:call:";

/** A call, or its continuation, as the caller makes it. */
interface OpenCallRequest {
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

/** At most 64 calls in the era with a handshake that wait for answers of their callers. Only the same transport can continue them. */
export class OpenCalls {
  readonly #waiting = new Map<string, OpenCall>();
  #count = 0;

  /** Starts or continues a call. Returns its reply, or questions; the error `invalid_continuation` if its call is unknown or another. */
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

  #begin({ subject, begin, limit }: OpenCallRequest): OpenCall {
    const call = new OpenCall(canonicalJson(subject), limit);
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
const OTHER_CALL: ErrorResult = errorResult(
  "invalid_continuation",
  "This continuation belongs to another call: send it with the tool and the arguments of the call that asked",
);

/** A question of the server, with the function that sends the answer. */
interface OpenQuestion extends ServerQuestion {
  readonly id: RequestId;
  readonly respond: RespondToServer;
}

/** The reply of a call, or questions for its caller. */
type OpenCallStep = { readonly reply: RpcReply } | { readonly questions: readonly ServerQuestion[] };

/**
 * A call in the era with a handshake, where the server asks while the call is pending.
 *
 * The caller receives the questions as the outcome of its call. The request stays open until the caller continues with the answers.
 */
class OpenCall implements PendingRequest {
  /** Tool and arguments, as text. A continuation is accepted for the same call only. */
  readonly callKey: string;
  /** Aborts the request; reports its activity to the current caller. */
  readonly limit: ActivityMonitor;
  readonly #aborting = new AbortController();
  #attached: ActivityMonitor | undefined;
  #feed: ProgressFeed | undefined;
  #sink: Sink | undefined;
  readonly #questions = new Map<string, OpenQuestion>();
  #questionCount = 0;
  #reply: RpcReply | undefined;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(callKey: string, { tool, principal }: ActivityMonitor) {
    this.callKey = callKey;
    this.limit = {
      tool,
      principal,
      signal: this.#aborting.signal,
      markActive: () => this.#attached?.markActive(),
      suspend: () => this.#attached?.suspend(),
    };
  }

  /** Stores the reply when it arrives. */
  follow(request: Promise<RpcReply>): void {
    const end = (reply: RpcReply) => {
      this.#reply = reply;
      this.#wake();
    };
    request.then(end, (thrown) => end({ transportError: requestFailed(thrown) }));
  }

  readonly onProgress = (progress: Progress): void => this.#feed?.push(progress);

  readonly onPiece = (value: unknown): void => void this.#sink?.push({ kind: "partial", value });

  readonly onPromise = (promise: PromiseOutcome): void => void this.#sink?.push({ kind: "deferred", promise });

  readonly onQuestion = (request: InputRequest, id: RequestId, respond: RespondToServer): void => {
    if (this.#questions.size >= MAX_QUESTIONS) return respond({ error: TOO_MANY_QUESTIONS });
    const question = toQuestion(questionKey(request, ++this.#questionCount), request);
    this.#questions.set(question.key, { ...question, id, respond });
    this.#wake();
  };

  readonly onQuestionCancelled = (id: RequestId): void => {
    for (const [key, open] of this.#questions) if (open.id === id) this.#questions.delete(key);
  };

  /** Waits for the reply or for questions. The call is aborted if the signal of the limit aborts meanwhile. */
  async next(limit: ActivityMonitor, sink: Sink | undefined): Promise<OpenCallStep> {
    const abort = () => this.#aborting.abort(limit.signal.reason);
    this.#attached = limit;
    this.#feed = sink && new ProgressFeed(sink);
    this.#sink = sink;
    limit.signal.addEventListener("abort", abort);
    if (limit.signal.aborted) abort();
    try {
      while (this.#reply === undefined && this.#questions.size === 0) await this.#changed.promise;
      return this.#reply === undefined ? { questions: [...this.#questions.values()] } : { reply: this.#reply };
    } finally {
      limit.signal.removeEventListener("abort", abort);
      this.#attached = this.#feed = this.#sink = undefined;
    }
  }

  /** Sends the caller's answers. Questions without an answer stay open. */
  answer(responses: unknown): void {
    const answers = asObject(responses);
    for (const [key, open] of this.#questions) {
      if (!Object.hasOwn(answers, key)) continue;
      const response = answers[key];
      const outcome = isAnswer(response) ? toOutcome(open, response) : undefined;
      if (outcome === undefined) {
        this.#questions.set(key, { ...open, question: askedAgain(key, open.question, NO_ANSWER) });
        continue;
      }
      this.#questions.delete(key);
      open.respond(outcome);
    }
  }

  /** Aborts the request of a call that no caller will continue. Its questions are not answered: any answer would be invented. */
  abort(): void {
    this.#aborting.abort();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function requestFailed(cause: unknown): ErrorResult {
  return { kind: "error", code: "unavailable", message: "The request failed", cause };
}
