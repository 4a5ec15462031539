import { askedAgain, NO_ANSWER } from "../../../core/call/asked_again.ts";
import type { ErrorResult, Progress, Sink } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject } from "../../../internal/json.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { isAnswer, questionKey, type ServerQuestion, toElicitResult, toQuestion } from "./questions.ts";
import { type PendingRequest, ProgressFeed, type RespondToServer } from "./incoming_router.ts";
import type { RpcReply } from "./message_transport.ts";

interface OpenQuestion extends ServerQuestion {
  readonly id: RequestId;
  readonly respond: RespondToServer;
}

/** What a call has come to: its end, or questions. */
export type OpenCallStep = { readonly reply: RpcReply } | { readonly questions: readonly ServerQuestion[] };

/**
 * A call of the older eras, whose server asks while it runs.
 *
 * The caller is handed the questions as the outcome of its call; this waits, and goes on when the caller comes back.
 */
export class OpenCall implements PendingRequest {
  /** What the call was made with: only that call goes on with it. */
  readonly callKey: string;
  /** Ends the request; says that it lives to whoever waits now. */
  readonly limit: ActivityMonitor;
  readonly #ending = new AbortController();
  #attached: ActivityMonitor | undefined = undefined;
  #feed: ProgressFeed | undefined = undefined;
  readonly #open = new Map<string, OpenQuestion>();
  #asked = 0;
  #reply: RpcReply | undefined = undefined;
  #turn: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(subject: string) {
    this.callKey = subject;
    this.limit = {
      signal: this.#ending.signal,
      markActive: () => this.#attached?.markActive(),
      suspend: () => this.#attached?.suspend(),
    };
  }

  /** Takes the answer when it comes. */
  follow(request: Promise<RpcReply>): void {
    const end = (reply: RpcReply) => {
      this.#reply = reply;
      this.#wake();
    };
    request.then(end, (thrown) => end({ refusal: broke(thrown) }));
  }

  readonly onProgress = (progress: Progress): void => this.#feed?.push(progress);

  readonly onQuestion = (request: InputRequest, id: RequestId, respond: RespondToServer): void => {
    const question = toQuestion(questionKey(request, ++this.#asked), request);
    this.#open.set(question.key, { ...question, id, respond });
    this.#wake();
  };

  readonly onQuestionCancelled = (id: RequestId): void => {
    for (const [key, open] of this.#open) if (open.id === id) this.#open.delete(key);
  };

  /** Waits for the end, or for questions. */
  async next(limit: ActivityMonitor, sink: Sink | undefined): Promise<OpenCallStep> {
    const leave = () => this.#ending.abort(limit.signal.reason);
    this.#attached = limit;
    this.#feed = sink && new ProgressFeed(sink);
    limit.signal.addEventListener("abort", leave);
    if (limit.signal.aborted) leave();
    try {
      while (this.#reply === undefined && this.#open.size === 0) await this.#turn.promise;
      return this.#reply === undefined ? { questions: [...this.#open.values()] } : { reply: this.#reply };
    } finally {
      limit.signal.removeEventListener("abort", leave);
      this.#attached = this.#feed = undefined;
    }
  }

  /** Says what the caller says to the questions; those without an answer stay open. */
  answer(responses: unknown): void {
    const given = asObject(responses);
    for (const [key, open] of this.#open) {
      if (!Object.hasOwn(given, key)) continue;
      const response = given[key];
      if (!isAnswer(response)) {
        this.#open.set(key, { ...open, question: askedAgain(key, open.question, NO_ANSWER) });
        continue;
      }
      const { respond, encoding: form } = open;
      this.#open.delete(key);
      respond({ result: toElicitResult(response, form) });
    }
  }

  /** Nobody will come back: the request is given up, its questions are left open, since no answer is one of its caller's. */
  abort(): void {
    this.#ending.abort();
  }

  #wake(): void {
    this.#turn.resolve();
    this.#turn = Promise.withResolvers();
  }
}

function broke(cause: unknown): ErrorResult {
  return { kind: "error", code: "unavailable", message: "The request failed", cause };
}
