import { askedAgain, type ErrorResult, NO_ANSWER, type Progress, type Sink } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { asObject } from "../../../internal/json.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { type PendingRequest, ProgressFeed, type RespondToServer } from "./incoming_router.ts";
import type { RpcReply } from "./message_transport.ts";
import { isAnswer, questionKey, type ServerQuestion, toElicitResult, toQuestion } from "./questions.ts";

interface OpenQuestion extends ServerQuestion {
  readonly id: RequestId;
  readonly respond: RespondToServer;
}

/** The reply of a call, or questions for its caller. */
export type OpenCallStep = { readonly reply: RpcReply } | { readonly questions: readonly ServerQuestion[] };

/**
 * A call in the era with a handshake, where the server asks while the call is pending.
 *
 * The caller receives the questions as the outcome of its call. The request stays open until the caller continues with the answers.
 */
export class OpenCall implements PendingRequest {
  /** Tool and arguments, as text. A continuation is accepted for the same call only. */
  readonly callKey: string;
  /** Aborts the request; reports its activity to the current caller. */
  readonly limit: ActivityMonitor;
  readonly #aborting = new AbortController();
  #attached: ActivityMonitor | undefined = undefined;
  #feed: ProgressFeed | undefined = undefined;
  readonly #questions = new Map<string, OpenQuestion>();
  #questionCount = 0;
  #reply: RpcReply | undefined = undefined;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(callKey: string) {
    this.callKey = callKey;
    this.limit = {
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

  readonly onQuestion = (request: InputRequest, id: RequestId, respond: RespondToServer): void => {
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
    limit.signal.addEventListener("abort", abort);
    if (limit.signal.aborted) abort();
    try {
      while (this.#reply === undefined && this.#questions.size === 0) await this.#changed.promise;
      return this.#reply === undefined ? { questions: [...this.#questions.values()] } : { reply: this.#reply };
    } finally {
      limit.signal.removeEventListener("abort", abort);
      this.#attached = this.#feed = undefined;
    }
  }

  /** Sends the caller's answers. Questions without an answer stay open. */
  answer(responses: unknown): void {
    const answers = asObject(responses);
    for (const [key, open] of this.#questions) {
      if (!Object.hasOwn(answers, key)) continue;
      const response = answers[key];
      if (!isAnswer(response)) {
        this.#questions.set(key, { ...open, question: askedAgain(key, open.question, NO_ANSWER) });
        continue;
      }
      const { respond, encoding } = open;
      this.#questions.delete(key);
      respond({ result: toElicitResult(response, encoding) });
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
