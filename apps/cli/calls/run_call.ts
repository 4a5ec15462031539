/** Runs a call to its end: streams, answers questions, waits for promises, and cancels them if the user interrupts. */
import { createCoreClient } from "../../../src/client/core_client.ts";
import type { QuestionAnswer, UntypedClient } from "../../../src/client/types.ts";
import type { CallResult, Progress, QuestionsResult, Sink, UnknownOutcome } from "../../../src/core/call/outcome.ts";
import type { Transport, TransportCall } from "../../../src/core/call/transport.ts";
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import { asObject, type Members, omitUndefined } from "../../../src/internal/json.ts";
import type { Questions } from "./answer_questions.ts";

/** Receives the events of a call by {@link CallRunner}, except its answer. */
export interface CallListener {
  /** A piece of the answer. */
  onPartial(value: unknown): void;
  onProgress(progress: Progress): void;
  /** The call was deferred: its answer is that of a promise. May be called again with the same token. */
  onPromise(token: string): void;
}

/** Options of {@link CallRunner}. */
export interface CallRunOptions {
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Time limit of the call and of its promise, in milliseconds. It restarts after answers to questions. Default: none. */
  readonly timeoutMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Answers the questions of the tool. */
  answer(questions: Questions): Promise<Readonly<Record<string, QuestionAnswer>>>;
}

/** A request to a tool, which is repeated with `meta` after a person has answered its questions. */
interface CallRequest {
  readonly tool: string;
  readonly args: unknown;
  readonly meta?: Members;
}

/** Maximum number of rounds of questions: a tool may ask forever. */
const MAX_ROUNDS = 64;
/** Time for the server to confirm a cancellation, in milliseconds. */
const CANCEL_TIMEOUT_MS = 5_000;

/** Runs one call of a command, until its answer: waits for its promise, passes events to a listener, and has questions answered. */
export class CallRunner {
  readonly #client: UntypedClient;
  readonly #options: CallRunOptions;
  readonly #listener: CallListener;
  readonly #observed: ObservedTransport;

  constructor(transport: Transport, options: CallRunOptions, listener: CallListener) {
    this.#observed = new ObservedTransport(transport, listener);
    this.#client = createCoreClient(this.#observed, omitUndefined({ timeoutMs: options.timeoutMs }));
    this.#options = options;
    this.#listener = listener;
  }

  /** Token of the promise of the call, or the redeemed one; `undefined` if the call was not deferred. */
  get token(): string | undefined {
    return this.#observed.token;
  }

  /** Calls a tool and returns its answer, also if it was deferred. Rejects with `Failure`, `ToolError` or `CliError`. */
  call(tool: string, args: Members): Promise<unknown> {
    return this.#withQuestions({ tool, args }, (request) => this.#stream(request));
  }

  /** Calls a tool and returns the token of its promise. Rejects with `ToolError` if the tool has no promises. */
  start(tool: string, args: Members): Promise<string> {
    const { signal, idempotencyKey } = this.#options;
    return this.#withQuestions({ tool, args }, async ({ tool, args, meta }) => {
      const job = await this.#client.$.start(tool, args, omitUndefined({ signal, idempotencyKey, meta }));
      return job.token;
    });
  }

  /** Waits for the answer of a promise, and returns it. Rejects as `call` does. */
  async redeem(token: string): Promise<unknown> {
    this.#observed.token = token;
    return await this.#withQuestions(
      { tool: "redeem", args: { promise: token, wait_ms: 20_000 } },
      (request) => this.#stream(request),
    );
  }

  /** Cancels the promise of an interrupted call. Returns whether the server has confirmed it; `false` without a promise. */
  async cancel(): Promise<boolean> {
    if (this.token === undefined) return false;
    try {
      return await this.#client.$.redeem(this.token).cancel({ timeoutMs: CANCEL_TIMEOUT_MS });
    } catch {
      return false;
    }
  }

  async #stream({ tool, args, meta }: CallRequest): Promise<unknown> {
    const { signal, idempotencyKey } = this.#options;
    const onProgress = (progress: Progress) => this.#listener.onProgress(progress);
    const stream = this.#client.$.stream(tool, args, {
      signal,
      onProgress,
      ...omitUndefined({ idempotencyKey, meta }),
    });
    for await (const piece of stream) this.#listener.onPartial(piece);
    return await stream.result;
  }

  /** Repeats a request with answers until it asks nothing more. */
  async #withQuestions<Value>(first: CallRequest, send: (request: CallRequest) => Promise<Value>): Promise<Value> {
    let request = first;
    for (let round = 0;; round++) {
      try {
        return await send(request);
      } catch (thrown) {
        const asked = questionsOf(thrown);
        if (asked === undefined || round >= MAX_ROUNDS) throw thrown;
        const responses = await this.#options.answer(asked.requests);
        this.#options.signal.throwIfAborted();
        const { tool, args } = this.#observed.last ?? first;
        request = { tool, args, meta: { continuation: asked.continuation, responses } };
      }
    }
  }
}

/** The questions that the client has thrown because it has no function to answer them. */
function questionsOf(thrown: unknown): QuestionsResult | undefined {
  if (!(thrown instanceof ToolError) || thrown.code !== "invalid_request") return undefined;
  const { requests, continuation } = asObject(thrown.details);
  const isAsked = typeof continuation === "string" && typeof requests === "object";
  return isAsked ? thrown.details as QuestionsResult : undefined;
}

/** A transport that remembers the last request, and the token of its promise. */
class ObservedTransport implements Transport {
  last: Pick<TransportCall, "tool" | "args"> | undefined = undefined;
  token: string | undefined = undefined;
  readonly #transport: Transport;
  readonly #listener: CallListener;

  constructor(transport: Transport, listener: CallListener) {
    this.#transport = transport;
    this.#listener = listener;
  }

  async call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
    if (call.tool !== "cancel") this.last = call;
    const result = await this.#transport.call(call, sink && this.#observe(sink));
    if (result.kind === "promise") this.#deferred(result.token, result.progress);
    return result;
  }

  list: Transport["list"] = (limit) => this.#transport.list(limit);

  #observe(sink: Sink): Sink {
    const push: Sink["push"] = (event) => {
      if (event.kind === "deferred") this.#deferred(event.promise.token, undefined);
      return sink.push(event);
    };
    // The other members, of which some may be absent, are the sink's: they have its private fields.
    return new Proxy(sink, {
      get(target, name) {
        if (name === "push") return push;
        // A server of others sends no pieces: its answer is printed when it is there.
        if (name === "expectPieces" && target.expectPieces !== undefined) {
          return (sent: number | undefined) => target.expectPieces?.(sent ?? 0);
        }
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  #deferred(token: string, progress: Progress | undefined): void {
    this.token = token;
    this.#listener.onPromise(token);
    if (progress !== undefined) this.#listener.onProgress(progress);
  }
}
