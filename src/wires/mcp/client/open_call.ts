import { askedAgain, type ErrorResult, NO_ANSWER, type Progress, type Sink } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { asObject } from "../../../internal/json.ts";
import type { InputRequest } from "../protocol/forms.ts";
import { isAnswer, keyOf, type ServerQuestion, toElicitResult, toQuestion } from "./questions.ts";
import type { Respond, Watch } from "./incoming_router.ts";
import type { RpcReply } from "./message_transport.ts";
import { ProgressFeed } from "./progress_feed.ts";

interface Open extends ServerQuestion {
  readonly id: RequestId;
  readonly respond: Respond;
}

/** What a call has come to: its end, or questions. */
export type Turn = { readonly reply: RpcReply } | { readonly questions: readonly ServerQuestion[] };

/**
 * A call of the older eras, whose server asks while it runs.
 *
 * The caller is handed the questions as the outcome of its call; this waits, and goes on when the caller comes back.
 */
export class LiveCall implements Watch {
  /** What the call was made with: only that call goes on with it. */
  readonly subject: string;
  /** Ends the request; says that it lives to whoever waits now. */
  readonly limit: ActivityMonitor;
  readonly #ending = new AbortController();
  #attached: ActivityMonitor | undefined = undefined;
  #feed: ProgressFeed | undefined = undefined;
  readonly #open = new Map<string, Open>();
  #asked = 0;
  #reply: RpcReply | undefined = undefined;
  #turn: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(subject: string) {
    this.subject = subject;
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

  readonly progress = (progress: Progress): void => this.#feed?.push(progress);

  readonly ask = (request: InputRequest, id: RequestId, respond: Respond): void => {
    const question = toQuestion(keyOf(request, ++this.#asked), request);
    this.#open.set(question.key, { ...question, id, respond });
    this.#wake();
  };

  readonly withdraw = (id: RequestId): void => {
    for (const [key, open] of this.#open) if (open.id === id) this.#open.delete(key);
  };

  /** Waits for the end, or for questions. */
  async next(limit: ActivityMonitor, sink: Sink | undefined): Promise<Turn> {
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
        this.#open.set(key, { ...open, ask: askedAgain(key, open.ask, NO_ANSWER) });
        continue;
      }
      const { respond, form } = open;
      this.#open.delete(key);
      respond({ result: toElicitResult(response, form) });
    }
  }

  /** Nobody will come back: the request is given up, its questions are left open, since no answer is one of its caller's. */
  end(): void {
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
