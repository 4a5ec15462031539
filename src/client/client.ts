import type { AskOutcome, CallEvent, PromiseOutcome, Settled, Sink, UnknownOutcome } from "../call/outcome.ts";
import { OBJECT_MEMBERS } from "../internal/object_members.ts";
import { Failure } from "../error/failure.ts";
import { http, type HttpOptions } from "../wires/http/client.ts";
import { ToolError } from "../error/tool_error.ts";
import { answerOf, toolError } from "./answer.ts";
import { CallLimit } from "./call_limit.ts";
import { mayPass, retryDelayMs, type RetryOptions, type RetryPolicy, retryPolicy } from "./retry.ts";
import { PieceCollector } from "../call/partials.ts";
import { PieceStream } from "./stream.ts";
import type { RemoteTool, Transport } from "../call/transport.ts";
import type {
  AnswerQuestion,
  CallOptions,
  Client,
  ClientMethods,
  PromisedAnswer,
  ToolOutcome,
  ToolSource,
  ToolStream,
  UntypedClient,
} from "./types.ts";

/** Options of {@link createClient}. */
export interface ClientOptions extends HttpOptions {
  /** How long a call may take in all, retries included, in milliseconds; the server is told. Default: no limit. */
  readonly timeoutMs?: number;
  /** How long the wire may be quiet, in milliseconds. Default: 60,000. */
  readonly idleTimeoutMs?: number;
  /** How calls are made again that are safe to repeat: annotated `readOnlyHint` or `idempotentHint`. */
  readonly retry?: RetryOptions;
  /** Answers what tools ask. Without it the question is the call's outcome. */
  readonly onElicit?: AnswerQuestion;
  /** Grants, or not, what tools need more of. Without it the request is the call's outcome. */
  readonly onResource?: AnswerQuestion;
}

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

/** How long a server is asked to wait with its answer to a redeemed promise, in milliseconds. */
const REDEEM_WAIT_MS = 20_000;

/** Shortest and longest time between two looks at a promise, in milliseconds, whatever the server says. */
const MIN_RETRY_AFTER_MS = 50;
const MAX_RETRY_AFTER_MS = 30_000;

/** How often one call is asked something at most: a tool may like no answer. */
const MAX_ROUNDS = 32;

/**
 * Makes a client: one function for each tool, typed by the server, without code generation.
 *
 * @example Typed by the server
 * ```ts
 * import { createClient, createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { strictEqual } from "node:assert/strict";
 *
 * const shout = defineTool("shout").describe("Say it loud").input(v.object({ text: v.string() })).handle(({ text }) => text.toUpperCase());
 * const server = createServer({ tools: [shout] });
 *
 * const client = createClient<typeof server>("http://localhost/mcp-lite/v1", { fetch: (url, init) => server.fetch(new Request(url, init)) });
 * strictEqual(await client.shout({ text: "hey" }), "HEY");
 * ```
 * @typeParam Source The server's type; without it the client takes any tool name.
 * @param to A URL, which means MCP-lite over HTTP, or a transport.
 * @throws {TypeError} If the URL is none.
 */
export function createClient<Source extends ToolSource>(
  to: string | URL | Transport,
  options?: ClientOptions,
): Client<Source>;
/**
 * Makes a client of a server whose tools are not known to the types.
 *
 * @param to A URL, which means MCP-lite over HTTP, or a transport.
 * @throws {TypeError} If the URL is none.
 */
export function createClient(to: string | URL | Transport, options?: ClientOptions): UntypedClient;
export function createClient(to: string | URL | Transport, options: ClientOptions = {}): UntypedClient {
  const transport = typeof to === "string" || to instanceof URL ? http(to, options) : to;
  return proxyOf(new Caller(transport, options));
}

function proxyOf(caller: Caller): UntypedClient {
  const tools = new Map<string, unknown>();
  const target = Object.freeze({ $: caller });
  return new Proxy(target, {
    get(_, name) {
      if (name === "$") return caller;
      if (typeof name === "symbol" || OBJECT_MEMBERS.has(name)) return undefined;
      if (!tools.has(name)) tools.set(name, toolCall(caller, name));
      return tools.get(name);
    },
    has: (_, name) => name === "$",
  }) as unknown as UntypedClient;
}

function toolCall(caller: Caller, name: string): unknown {
  return Object.assign((input?: unknown, options?: CallOptions) => caller.call(name, input, options), {
    stream: (input?: unknown, options?: CallOptions) => caller.stream(name, input, options),
    outcome: (input?: unknown, options?: CallOptions) => caller.outcome(name, input, options),
    start: (input?: unknown, options?: CallOptions) => caller.start(name, input, options),
    isFailure: (error: unknown) => error instanceof Failure,
  });
}

/** One request of a call; answering and redeeming take several. */
interface Request {
  readonly tool: string;
  readonly args: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

class Caller implements ClientMethods {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #retry: RetryPolicy;
  #repeatable: Promise<ReadonlySet<string> | undefined> | undefined = undefined;
  /** What the server has this client keep, as a browser keeps a cookie. */
  #context: string | undefined = undefined;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#retry = retryPolicy(options.retry);
  }

  async list(options: CallOptions = {}): Promise<readonly RemoteTool[]> {
    return await this.#within(options, async (limit) => {
      const listed = await limit.race(this.#transport.list(limit));
      if ("kind" in listed) throw toolError(listed);
      return listed;
    });
  }

  async call(tool: string, args?: unknown, options: CallOptions = {}): Promise<unknown> {
    return answerOf(await this.#complete({ tool, args, meta: {} }, options));
  }

  async outcome(
    tool: string,
    args?: unknown,
    options: CallOptions = {},
  ): Promise<ToolOutcome<unknown, Record<never, never>>> {
    const settled = await this.#once({ tool, args, meta: {} }, options);
    if (settled.kind === "error") throw toolError(settled);
    return settled;
  }

  stream(tool: string, args?: unknown, options: CallOptions = {}): ToolStream<unknown, unknown> {
    return this.#stream({ tool, args, meta: {} }, options, "partial");
  }

  async start(tool: string, args?: unknown, options: CallOptions = {}): Promise<PromisedAnswer<unknown>> {
    const settled = await this.#once({ tool, args, meta: { promise: true } }, options);
    if (settled.kind === "promise") return this.redeem(settled.token);
    answerOf(settled);
    throw new ToolError("invalid_request", "The server answered instead of promising", { details: settled });
  }

  redeem<Output>(token: string): PromisedAnswer<Output> {
    const request = redemption(token);
    return {
      token,
      status: (options) =>
        this.outcome("redeem", { promise: token }, options) as ReturnType<PromisedAnswer<Output>["status"]>,
      result: async (options = {}) => answerOf(await this.#complete(request, options)) as Output,
      cancel: async (options) =>
        (await this.call("cancel", { promise: token }, options) as { cancelled: boolean }).cancelled,
      updates: (options = {}) => this.#stream(request, options, "progress") as AsyncIterable<never>,
    };
  }

  close(): void {
    this.#transport.close?.();
  }

  #stream(request: Request, options: CallOptions, kind: "partial" | "progress"): PieceStream {
    const left = new AbortController();
    const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
    const start = (sink: Sink) => this.#complete(request, { ...options, signal }, sink);
    return new PieceStream(start, () => left.abort(), kind);
  }

  async #within<Value>(options: CallOptions, work: (limit: CallLimit) => Promise<Value>): Promise<Value> {
    const { timeoutMs = this.#options.timeoutMs, idleTimeoutMs = this.#options.idleTimeoutMs } = options;
    const limit = new CallLimit({
      signal: options.signal,
      timeoutMs,
      idleTimeoutMs: idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
    });
    try {
      return await work(limit);
    } finally {
      limit.stop();
    }
  }

  /** What the first request gives: a promise or a question, too. */
  async #once(request: Request, options: CallOptions): Promise<Settled | UnknownOutcome> {
    return await this.#within(options, async (limit) => {
      const pieces = new PieceCollector();
      return pieces.join(await this.#request(request, options, limit, watch(pieces, options, limit, false)));
    });
  }

  /** How the call ends, once questions are answered and promises kept. */
  async #complete(first: Request, options: CallOptions, listener?: Sink): Promise<Settled | UnknownOutcome> {
    return await this.#within(options, async (limit) => {
      const pieces = new PieceCollector();
      const watched = watch(listener ?? pieces, options, limit, listener !== undefined);
      let request = first;
      for (let rounds = 0;;) {
        let settled = await this.#request(request, options, limit, watched);
        // The stream broke off, but the work goes on.
        if (mayPass(settled) && watched?.deferred !== undefined) settled = watched.deferred;
        if (settled.kind === "promise") {
          const { token, retryAfterMs } = settled;
          await limit.sleep(Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, retryAfterMs)));
          request = redemption(token);
          continue;
        }
        const isAsked = settled.kind === "elicitation" || settled.kind === "request-for-more-resource";
        const responses = isAsked && rounds++ < MAX_ROUNDS &&
          await limit.race(this.#answer(settled as AskOutcome, first.tool));
        if (!responses) return pieces.join(settled);
        request = { ...request, meta: { continuation: (settled as AskOutcome).continuation, responses } };
      }
    });
  }

  /** What the caller's functions say to each question; `undefined` if one of them has none. */
  async #answer({ requests }: AskOutcome, tool: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answers: Record<string, unknown> = {};
    for (const [key, request] of Object.entries(requests)) {
      const { onElicit, onResource } = this.#options;
      const answer = request.kind === "resource" ? onResource : request.kind === "elicitation" ? onElicit : undefined;
      if (answer === undefined) return undefined;
      answers[key] = await answer({ ...request, key, tool });
    }
    return answers;
  }

  async #request(
    request: Request,
    options: CallOptions,
    limit: CallLimit,
    watched: WatchedSink | undefined,
  ): Promise<Settled | UnknownOutcome> {
    let settled = await this.#attempt(request, options, limit, watched);
    for (let attempt = 0; attempt < this.#retry.attempts; attempt++) {
      if (!mayPass(settled) || (watched?.hasEvents && !SYSTEM.has(request.tool))) break;
      const delayMs = retryDelayMs(settled, attempt, this.#retry);
      if (delayMs === undefined) break;
      await limit.sleep(delayMs);
      const isRepeatable = options.idempotencyKey !== undefined || await limit.race(this.#isRepeatable(request.tool));
      if (isRepeatable === false) break;
      // Where the list cannot be had, the server is still not there: that was this attempt.
      if (isRepeatable) settled = await this.#attempt(request, options, limit, watched);
    }
    const { context = "meta" in settled ? settled.meta?.["context"] : undefined } = settled as {
      readonly context?: unknown;
    };
    if (typeof context === "string") this.#context = context;
    return settled;
  }

  async #attempt(
    { tool, args, meta: added }: Request,
    { meta: given, idempotencyKey }: CallOptions,
    limit: CallLimit,
    sink: Sink | undefined,
  ): Promise<Settled | UnknownOutcome> {
    limit.signal.throwIfAborted();
    const { remainingMs } = limit;
    const meta = {
      ...given,
      ...added,
      ...(this.#context !== undefined && { context: this.#context }),
      ...(idempotencyKey !== undefined && !SYSTEM.has(tool) && { idempotency_key: idempotencyKey }),
      ...(remainingMs !== undefined && { deadline_ms: remainingMs }),
    };
    const isPlain = Object.keys(meta).length === 0;
    return await limit.race(this.#transport.call({ tool, args, meta: isPlain ? undefined : meta, limit }, sink));
  }

  /**
   * Whether the server says of the tool that a repeat does no harm; `undefined` if it cannot be asked. It is asked once, when
   * a call first needs it.
   */
  async #isRepeatable(tool: string): Promise<boolean | undefined> {
    if (SYSTEM.has(tool)) return true;
    this.#repeatable ??= this.list().then(
      (tools) => new Set(tools.filter(isRepeatable).map(({ name }) => name)),
      () => (this.#repeatable = undefined),
    );
    return (await this.#repeatable)?.has(tool);
  }
}

/** They change nothing that was not asked for, however often they are called. */
const SYSTEM: ReadonlySet<string> = new Set(["redeem", "cancel"]);

function redemption(token: string): Request {
  return { tool: "redeem", args: { promise: token, wait_ms: REDEEM_WAIT_MS }, meta: {} };
}

/** Progress comes over a stream, even where nobody wants the pieces. */
function watch(sink: Sink, options: CallOptions, limit: CallLimit, isWanted: boolean): WatchedSink | undefined {
  if (!isWanted && options.onProgress === undefined) return undefined;
  return new WatchedSink(sink, options.onProgress, limit);
}

function isRepeatable({ annotations }: RemoteTool): boolean {
  return annotations?.["readOnlyHint"] === true || annotations?.["idempotentHint"] === true;
}

/** A sink that reports progress, and knows whether anything came: what the caller has seen must not begin anew. */
class WatchedSink implements Sink {
  readonly #sink: Sink;
  readonly #onProgress: CallOptions["onProgress"];
  readonly #limit: CallLimit;
  hasEvents = false;
  /** The promise that stands for the call, if the stream breaks off. */
  deferred: PromiseOutcome | undefined = undefined;

  constructor(sink: Sink, onProgress: CallOptions["onProgress"], limit: CallLimit) {
    this.#sink = sink;
    this.#onProgress = onProgress;
    this.#limit = limit;
  }

  push(event: CallEvent): void | Promise<void> {
    this.hasEvents = true;
    if (event.kind === "deferred") this.deferred = event.promise;
    try {
      if (event.kind === "progress") this.#onProgress?.(event.progress);
      return this.#sink.push(event);
    } catch (thrown) {
      // What the caller's own function throws ends the call, with just that.
      this.#limit.abort(thrown);
    }
  }
}
