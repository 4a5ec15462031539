import {
  type AnswerOutcome,
  type CallResult,
  type ErrorResult,
  type QuestionsResult,
  toToolError,
  type UnknownOutcome,
} from "../core/call/outcome.ts";
import { assertSupported } from "../internal/supported.ts";
import { OBJECT_MEMBERS } from "../internal/json.ts";
import { Failure } from "../core/errors/failure.ts";
import { ToolError } from "../core/errors/tool_error.ts";
import { readText } from "../http_client/read.ts";
import { lostAfter } from "../http_client/connection_errors.ts";
import { exchange, type HttpClientOptions } from "../http_client/send.ts";
import {
  isRetryable,
  nameUnknownTool,
  retryDelayMs,
  type RetryOptions,
  unexpectedOutcome,
  unwrapAnswer,
} from "./call_result.ts";
import { isPromiseLike, type MaybePromise } from "../internal/async.ts";
import { asTransport, toEndpoint } from "./server_address.ts";
import { assertArguments, assertKnown, RunningCall } from "./running_call.ts";
import { PieceStream } from "./stream.ts";
import { isJsonObject } from "../internal/json.ts";
import { itemsOf } from "./page_items.ts";
import type { ListedTool, Transport } from "../core/call/transport.ts";
import type {
  AnswerQuestion,
  CallOptions,
  ClientMethods,
  InProcessServer,
  PromisedAnswer,
  ToolOutcome,
  ToolStream,
  UntypedClient,
} from "./types.ts";

/** Options of `createClient`. */
export interface ClientOptions extends HttpClientOptions {
  // Repeated, because documentation shows the members of an interface, not those of its bases.
  /** Headers of every request, such as `authorization`, or a function that returns them for each request. */
  readonly headers?: HttpClientOptions["headers"] | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: HttpClientOptions["fetch"] | undefined;
  /** Maximum size of a response in bytes; of an endless stream, maximum size of one event. Default: 64 MiB. */
  readonly maxResponseBytes?: HttpClientOptions["maxResponseBytes"] | undefined;
  /** Total time limit of a call including retries, in milliseconds. It is sent to the server. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Maximum time without data from the server, in milliseconds. Below 16,000, earlier heartbeats are asked for. Default: 60,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** Retries of calls that are safe to repeat: tools with `readOnlyHint` or `idempotentHint`, or calls with an idempotency key. */
  readonly retry?: RetryOptions | undefined;
  /** Answers questions of tools. Without it, calls that need an answer reject with `invalid_request`. Unused by `outcome` and `start`. */
  readonly onElicitation?: AnswerQuestion | undefined;
  /** Grants or declines a tool's requests for more. Used like `onElicitation`. */
  readonly onMoreRequested?: AnswerQuestion | undefined;
}

/** Chooses the transport of a client for a URL, and knows which URLs belong to MCP. */
export interface UrlTransports {
  /** Whether the URL belongs to MCP: errors then name no other place of it. */
  isMcp(url: URL): boolean;
  open(url: URL, options: HttpClientOptions): Transport;
}

/** Creates a client of a URL, a transport or a server of this process. */
export function clientOf(
  to: string | URL | Transport | InProcessServer,
  options: ClientOptions,
  transports: UrlTransports,
): UntypedClient {
  assertSupported("create client");
  const url = typeof to === "string" || to instanceof URL ? toEndpoint(to) : undefined;
  assertKnown("create client", options, url ? HTTP_OPTIONS : OPTIONS);
  const transport = url === undefined ? asTransport(to as Transport) : transports.open(url, options);
  const isMcp = url !== undefined && transports.isMcp(url);
  const caller = new Caller(transport, options, url, isMcp);
  const target = Object.freeze({ $: caller });
  // Functions are created on first access; `$` exists from the start.
  const tools = new Map<string, unknown>(Object.entries(target));
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === "symbol" || OBJECT_MEMBERS.has(name)) return undefined;
      const tool = tools.get(name) ?? toolCall(caller, name);
      tools.set(name, tool);
      return tool;
    },
    has: (_, name) => name === "$",
  }) as unknown as UntypedClient;
}

const OPTIONS = "timeoutMs, idleTimeoutMs, retry, onElicitation, onMoreRequested";

/** The last three are options of the transport. */
const HTTP_OPTIONS = `${OPTIONS}, headers, fetch, maxResponseBytes`;

function toolCall(caller: Caller, name: string): unknown {
  return Object.assign(caller.call.bind(caller, name), {
    stream: caller.stream.bind(caller, name),
    outcome: caller.outcome.bind(caller, name),
    start: caller.start.bind(caller, name),
    items: caller.items.bind(caller, name),
    isFailure: (error: unknown) => error instanceof Failure,
  });
}

/** One request of a call. Questions and promises lead to further requests. */
interface Request {
  readonly tool: string;
  readonly args: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Promise token that the request redeems. */
  readonly token?: string;
}

/** Makes calls over a transport: time limits, repetitions, promises and questions. */
class Caller implements ClientMethods {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #url: URL | undefined;
  /** Whether the URL belongs to MCP. */
  readonly #isMcp: boolean;
  #tools: Promise<readonly ListedTool[] | undefined> | undefined;
  /** Caller state, sent back as a browser sends a cookie. */
  #kept: { readonly context?: unknown } = {};

  constructor(transport: Transport, options: ClientOptions, url: URL | undefined, isMcp: boolean) {
    this.#transport = transport;
    this.#options = options;
    this.#url = url;
    this.#isMcp = isMcp;
  }

  get "~onElicitation"(): AnswerQuestion | undefined {
    return this.#options.onElicitation;
  }

  list(options?: CallOptions): Promise<readonly ListedTool[]> {
    const call = new RunningCall(options, this.#options);
    return call.run(async () => {
      const listed = await this.#transport.list(call);
      if ("kind" in listed) throw toToolError(await this.#explain(listed, call));
      return listed;
    });
  }

  call(tool: string, args?: unknown, options?: CallOptions): Promise<unknown> {
    if (typeof tool !== "string") {
      return Promise.reject(new TypeError('Cannot call: write client.$.call("name", { … })'));
    }
    return this.#complete({ tool, args }, options);
  }

  async outcome(
    tool: string,
    args?: unknown,
    options?: CallOptions,
  ): Promise<ToolOutcome<unknown, Record<never, never>>> {
    const result = await this.#once({ tool, args }, options);
    if (result.kind === "error") throw toToolError(result);
    return result;
  }

  stream(tool: string, args?: unknown, options?: CallOptions): ToolStream<unknown, unknown> {
    return this.#stream({ tool, args }, options, "partial");
  }

  async *items(tool: string, args?: unknown, options?: CallOptions): AsyncGenerator<unknown> {
    for (;;) {
      const page = await this.call(tool, args, options);
      yield* itemsOf(page, tool);
      const more = isJsonObject(page) ? page["more"] : undefined;
      if (typeof more !== "string") return;
      tool = "more";
      args = { handle: boundedToken(more) };
    }
  }

  async start(tool: string, args?: unknown, options?: CallOptions): Promise<PromisedAnswer<unknown>> {
    const result = await this.#once({ tool, args, meta: { promise: true } }, options);
    if (result.kind === "promise") return this.redeem(result.token);
    unwrapAnswer(result);
    throw unexpectedOutcome(result, "a promise");
  }

  redeem<Output, Piece>(token: string): PromisedAnswer<Output, Piece> {
    const request = redemption(token);
    const args = { promise: token };
    return {
      token,
      status: (options) => this.outcome("redeem", args, options) as ReturnType<PromisedAnswer<Output>["status"]>,
      result: (options) => this.#complete(request, options) as Promise<Output>,
      cancel: async (options) => (await this.call("cancel", args, options) as { cancelled: boolean }).cancelled,
      updates: (options) => this.#stream(request, options, "progress") as AsyncIterable<never>,
      stream: ({ after, ...options } = {}) =>
        this.#stream(request, options, "partial", after) as unknown as ToolStream<Piece, Output>,
    };
  }

  close(): void {
    const closing: unknown = this.#transport.close?.();
    // A transport of another package may close later. Without a handler, its failure would end the process.
    if (isPromiseLike(closing)) closing.then(undefined, () => {});
  }

  /** @param after Number of pieces that were received before. */
  #stream(
    request: Request,
    options: CallOptions | undefined,
    kind: "partial" | "progress",
    after?: number,
  ): PieceStream {
    return new PieceStream(options, this.#options, kind, (call) => this.#complete(request, options, call), after);
  }

  /** Returns the result of the first request, which may be a promise or a question. */
  #once(request: Request, options?: CallOptions): Promise<CallResult | UnknownOutcome> {
    const call = new RunningCall(options, this.#options);
    return call.run(() => this.#request(request, call));
  }

  /** Returns the answer: answers questions and redeems promises until there is one. */
  async #complete(
    first: Request,
    options?: CallOptions,
    call: RunningCall = new RunningCall(options, this.#options),
  ): Promise<unknown> {
    const result = await call.run(async () => {
      let request = first;
      const previous: Record<string, string> = {};
      for (let rounds = 0;;) {
        let result = await this.#request(request, call);
        // The stream was interrupted, but the promise of the call is known.
        if (isRetryable(result) && call.deferred !== undefined) result = call.deferred;
        if (result.kind === "promise") {
          // A protocol without streams has no other progress.
          if (result.progress !== undefined) void call.push({ kind: "progress", progress: result.progress });
          // Limits the delay that the server requests, in both directions. A stream of pieces continues at once.
          const isContinued = call.wantsPieces && request.token === undefined;
          await call.sleep(isContinued ? 50 : Math.min(30_000, Math.max(50, result.retryAfterMs)));
          request = redemption(result.token);
        } else {
          // The answering function may take any time, but the number of rounds is limited: a tool may repeat a question
          // forever.
          call.suspend();
          const meta = "requests" in result && rounds++ < 32 && await this.#answer(result, first.tool, previous);
          call.markActive();
          if (meta) request = { ...request, meta };
          // A failed redemption leaves the promise valid: the error contains the token.
          else if (result.kind !== "error" || !request.token) return result;
          else return { ...result, data: { ...(result.data as object | undefined), promise_token: request.token } };
        }
      }
    });
    call["~shown"] = (result as AnswerOutcome)["~shown"];
    return unwrapAnswer(result);
  }

  /** Calls the answering functions. `undefined` if a question has no such function. `previous` holds previous answers. */
  async #answer(result: QuestionsResult, tool: string, previous: Record<string, string>): Promise<Request["meta"]> {
    const { onElicitation, onMoreRequested } = this.#options;
    const continuation = boundedToken(result.continuation);
    const responses: Record<string, unknown> = {};
    for (const [key, request] of Object.entries(result.requests)) {
      const answer = request.kind === "more"
        ? onMoreRequested
        : request.kind === "elicitation"
        ? onElicitation
        : undefined;
      if (!answer) return undefined;
      const refused = request.params?.["refused"];
      const json = JSON.stringify(responses[key] = await answer({ ...request, key, tool }) ?? null);
      // The same answer would be rejected again.
      if (refused && json === previous[key]) throw unexpectedOutcome(result, `an answer: ${refused}`);
      previous[key] = json;
    }
    return { continuation, responses };
  }

  async #request(request: Request, call: RunningCall): Promise<CallResult | UnknownOutcome> {
    const { tool } = request;
    assertArguments(tool, request.args);
    // System tools are safe to repeat.
    const isSystem = tool === "redeem" || tool === "cancel";
    const { retry } = this.#options;
    let result = await this.#attempt(request, call);
    let tries = 1;
    // Redemptions are retried for about a minute, so that a server can restart.
    const most = (retry?.attempts ?? 2) * (isSystem ? 10 : 1);
    for (let attempt = 0; attempt < most && isRetryable(result); attempt++) {
      const delayMs = retryDelayMs(result, attempt, retry);
      if (delayMs === undefined || (call.hasEvents && !isSystem)) break;
      const isSafe = isSystem || call.options.idempotencyKey !== undefined || await this.#isRepeatable(tool);
      if (isSafe === false) break;
      await call.sleep(delayMs);
      // If the list is unavailable, the server still is, and the attempt is used up.
      if (!isSafe) continue;
      tries++;
      result = await this.#attempt(request, call);
    }
    if (result.kind !== "error") return result;
    const explained = lostAfter(result, call.pieceCount) ?? await this.#explain(result, call);
    const error = explained.code === "tool_not_found" ? nameUnknownTool(explained, tool) : explained;
    return tries > 1 ? { ...error, message: `${error.message}; tried ${tries} times` } : error;
  }

  #explain(error: ErrorResult, call: RunningCall): MaybePromise<ErrorResult> {
    const url = this.#url;
    if (url === undefined) return error;
    return import("./explain_error.ts").then(
      ({ explainError }) => explainError(error, url, this.#options, call, this.#isMcp, { exchange, readText }),
      // A page that is offline cannot load the explanation either.
      () => error,
    );
  }

  async #attempt(
    { tool, args: given, meta: added, token }: Request,
    call: RunningCall,
  ): Promise<CallResult | UnknownOutcome> {
    call.signal.throwIfAborted();
    call.tool = tool;
    // Each attempt continues after the pieces that were received.
    const after = call.wantsPieces ? { after: call.pieceCount } : undefined;
    const args = token === undefined ? given : { ...given as object, wait_ms: call.maxWaitMs, ...after };
    const { options: { meta: callMeta, idempotencyKey }, sink, heartbeatMs } = call;
    const remainingMs = call.dueMs - performance.now();
    const meta = {
      ...callMeta,
      ...added,
      ...this.#kept,
      ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
      ...(remainingMs < Infinity && { deadline_ms: Math.ceil(Math.max(1, remainingMs)) }),
      ...(heartbeatMs && { heartbeat_ms: heartbeatMs }),
    };
    const sent = { tool, args, meta: Object.keys(meta).length === 0 ? undefined : meta, limit: call };
    const result = await this.#transport.call(sent, sink);
    // A transport may ignore the signal; its result is then discarded.
    call.signal.throwIfAborted();
    const { meta: resultMeta, context = resultMeta?.["context"] } = result as Pick<AnswerOutcome, "meta" | "context">;
    if (typeof context === "string") this.#kept = { context: boundedToken(context) };
    return result;
  }

  /**
   * Whether the server declares the tool safe to repeat. `undefined` if its list is unavailable. The list is requested
   * once, on first use.
   */
  async #isRepeatable(tool: string): Promise<boolean | undefined> {
    this.#tools ??= this.list().catch(() => this.#tools = undefined);
    return (await this.#tools)?.some(({ name, annotations }) =>
      name === tool && (annotations?.["readOnlyHint"] === true || annotations?.["idempotentHint"] === true)
    );
  }
}

/** Creates the request that redeems a promise. The server may delay its reply. @throws {ToolError} If the token is too long. */
function redemption(token: string): Request {
  return { tool: "redeem", args: { promise: boundedToken(token) }, token };
}

/** Limits what the client sends back: promise tokens, continuations and caller state. */
function boundedToken(token: string): string {
  if (token.length < 65_536) return token;
  throw new ToolError("result_too_large", "The promise token is too long: servers send shorter ones");
}
