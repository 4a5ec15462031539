import type { AnswerOutcome, CallResult, ErrorResult, QuestionsResult, UnknownOutcome } from "../core/call/outcome.ts";
import { OBJECT_MEMBERS } from "../internal/json.ts";
import { Failure } from "../core/errors/failure.ts";
import { type HttpOptions, mcpLiteTransport } from "../wires/mcp_lite/client/transport.ts";
import {
  isRetryable,
  retryDelayMs,
  type RetryOptions,
  toToolError,
  unexpectedOutcome,
  unwrapAnswer,
} from "./call_result.ts";
import { explainError } from "./explain_error.ts";
import type { MaybePromise } from "../internal/async.ts";
import { parseHttpUrl } from "../internal/http.ts";
import { RunningCall } from "./running_call.ts";
import { PieceStream } from "./stream.ts";
import type { ListedTool, Transport } from "../core/call/transport.ts";
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
  readonly onElicitation?: AnswerQuestion;
  /** Grants, or not, what tools need more of. Without it the request is the call's outcome. */
  readonly onMoreRequested?: AnswerQuestion;
}

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
 * @param to A URL, which means MCP-lite over HTTP, at `/mcp-lite/v1` if it has no path; or a transport. If another protocol answers at
 * the URL, errors name it, and the transport to pass.
 * @throws {TypeError} If the URL is none, or there is no such option: those of requests are a transport's own.
 */
export function createClient<Source extends ToolSource>(
  to: string | URL | Transport,
  options?: ClientOptions,
): Client<Source>;
/**
 * Makes a client of a server whose tools are not known to the types.
 *
 * @param to A URL, which means MCP-lite over HTTP, at `/mcp-lite/v1` if it has no path; or a transport. If another protocol answers at
 * the URL, errors name it, and the transport to pass.
 * @throws {TypeError} If the URL is none, this is no transport, or there is no such option: those of requests are a transport's own.
 */
export function createClient(to: string | URL | Transport, options?: ClientOptions): UntypedClient;
export function createClient(to: string | URL | Transport, options: ClientOptions = {}): UntypedClient {
  const url = typeof to === "string" || to instanceof URL ? toEndpoint(to) : undefined;
  assertKnown(options, url ? HTTP_OPTIONS : OPTIONS);
  const transport = url ? mcpLiteTransport(url, options) : asTransport(to as Transport);
  const caller = new Caller(transport, options, url);
  const target = Object.freeze({ $: caller });
  // Made as they are asked for; `$` is there from the start.
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

/** A transport has the last three of its own. */
const HTTP_OPTIONS = `${OPTIONS}, headers, fetch, maxResponseBytes`;

/** A misspelled option may be the token that a server waits for. */
function assertKnown(options: object, known: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !known.split(", ").includes(name)) {
      throw new TypeError(`Cannot make a client: there is no option "${name}" here, but ${known}`);
    }
  }
}

/** The URL of the endpoints: without a path, that of a server with default options. */
function toEndpoint(to: string | URL): URL {
  const url = parseHttpUrl("make a client", to);
  if (url.pathname === "/") url.pathname = "/mcp-lite/v1";
  return url;
}

function asTransport(to: Transport): Transport {
  if (typeof to?.call === "function") return to;
  throw new TypeError("Cannot make a client: pass a URL, or a transport");
}

function toolCall(caller: Caller, name: string): unknown {
  return Object.assign(caller.call.bind(caller, name), {
    stream: caller.stream.bind(caller, name),
    outcome: caller.outcome.bind(caller, name),
    start: caller.start.bind(caller, name),
    isFailure: (error: unknown) => error instanceof Failure,
  });
}

/** One request of a call; answering and redeeming take several. */
interface Request {
  readonly tool: string;
  readonly args: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** What it redeems. */
  readonly token?: string;
}

class Caller implements ClientMethods {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #url: URL | undefined;
  #tools: Promise<readonly ListedTool[] | undefined> | undefined;
  /** What the server has this client keep, as a browser keeps a cookie. */
  #kept: { readonly context?: unknown } = {};

  constructor(transport: Transport, options: ClientOptions, url: URL | undefined) {
    this.#transport = transport;
    this.#options = options;
    this.#url = url;
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
    return this.#complete({ tool, args }, options);
  }

  async outcome(
    tool: string,
    args?: unknown,
    options?: CallOptions,
  ): Promise<ToolOutcome<unknown, Record<never, never>>> {
    const settled = await this.#once({ tool, args }, options);
    if (settled.kind === "error") throw toToolError(settled);
    return settled;
  }

  stream(tool: string, args?: unknown, options?: CallOptions): ToolStream<unknown, unknown> {
    return this.#stream({ tool, args }, options, "partial");
  }

  async start(tool: string, args?: unknown, options?: CallOptions): Promise<PromisedAnswer<unknown>> {
    const settled = await this.#once({ tool, args, meta: { promise: true } }, options);
    if (settled.kind === "promise") return this.redeem(settled.token);
    unwrapAnswer(settled);
    throw unexpectedOutcome(settled, "a promise");
  }

  redeem<Output>(token: string): PromisedAnswer<Output> {
    const request = redemption(token);
    const args = { promise: token };
    return {
      token,
      status: (options) => this.outcome("redeem", args, options) as ReturnType<PromisedAnswer<Output>["status"]>,
      result: (options) => this.#complete(request, options) as Promise<Output>,
      cancel: async (options) => (await this.call("cancel", args, options) as { cancelled: boolean }).cancelled,
      updates: (options) => this.#stream(request, options, "progress") as AsyncIterable<never>,
    };
  }

  close(): void {
    this.#transport.close?.();
  }

  #stream(request: Request, options: CallOptions | undefined, kind: "partial" | "progress"): PieceStream {
    return new PieceStream(options, this.#options, kind, (call) => this.#complete(request, options, call));
  }

  /** What the first request gives: a promise or a question, too. */
  #once(request: Request, options?: CallOptions): Promise<CallResult | UnknownOutcome> {
    const call = new RunningCall(options, this.#options);
    return call.run(() => this.#request(request, call));
  }

  /** The answer, once questions are answered and promises kept. */
  async #complete(
    first: Request,
    options?: CallOptions,
    call: RunningCall = new RunningCall(options, this.#options),
  ): Promise<unknown> {
    const settled = await call.run(async () => {
      let request = first;
      const said: Record<string, string> = {};
      for (let rounds = 0;;) {
        let settled = await this.#request(request, call);
        // The stream broke off, but the work goes on.
        if (isRetryable(settled) && call.deferred !== undefined) settled = call.deferred;
        if (settled.kind === "promise") {
          // Whatever the server says, it is asked neither without a pause nor hours later.
          await call.sleep(Math.min(30_000, Math.max(50, settled.retryAfterMs)));
          request = redemption(settled.token);
        } else {
          // Whoever answers may think as long as it takes; but not for ever: a tool may like no answer.
          call.suspend();
          const meta = "requests" in settled && rounds++ < 32 && await this.#answer(settled, first.tool, said);
          call.markActive();
          if (meta) request = { ...request, meta };
          // A refusal to redeem leaves the promise as it was: it may be asked for again.
          else if (settled.kind !== "error" || !request.token) return settled;
          else return { ...settled, data: { ...(settled.data as object | undefined), promise_token: request.token } };
        }
      }
    });
    return unwrapAnswer(settled);
  }

  /** What the caller's functions say to each question; `undefined` if one has no function. `said` is kept. */
  async #answer(settled: QuestionsResult, tool: string, said: Record<string, string>): Promise<Request["meta"]> {
    const { onElicitation, onMoreRequested } = this.#options;
    const responses: Record<string, unknown> = {};
    for (const [key, request] of Object.entries(settled.requests)) {
      const answer = request.kind === "more"
        ? onMoreRequested
        : request.kind === "elicitation"
        ? onElicitation
        : undefined;
      if (!answer) return undefined;
      const refused = request.params?.["refused"];
      const json = JSON.stringify(responses[key] = await answer({ ...request, key, tool }) ?? null);
      // It would be refused again.
      if (refused && json === said[key]) throw unexpectedOutcome(settled, `an answer: ${refused}`);
      said[key] = json;
    }
    return { continuation: settled.continuation, responses };
  }

  async #request(request: Request, call: RunningCall): Promise<CallResult | UnknownOutcome> {
    const { tool } = request;
    // They change nothing that was not asked for, however often they are called.
    const isSystem = tool === "redeem" || tool === "cancel";
    const { retry } = this.#options;
    let settled = await this.#attempt(request, call);
    // What was promised is asked for with more patience: a minute or so, where a server was begun again.
    const most = (retry?.attempts ?? 2) * (isSystem ? 10 : 1);
    for (let attempt = 0; attempt < most && isRetryable(settled); attempt++) {
      const delayMs = retryDelayMs(settled, attempt, retry);
      if (delayMs === undefined || (call.hasEvents && !isSystem)) break;
      const isSafe = isSystem || call.options.idempotencyKey !== undefined || await this.#isRepeatable(tool);
      if (isSafe === false) break;
      await call.sleep(delayMs);
      // Where the list cannot be had, the server is still not there: that was this attempt.
      if (isSafe) settled = await this.#attempt(request, call);
    }
    return settled.kind === "error" ? await this.#explain(settled, call) : settled;
  }

  #explain(error: ErrorResult, call: RunningCall): MaybePromise<ErrorResult> {
    return this.#url ? explainError(error, this.#url, this.#options, call) : error;
  }

  async #attempt({ tool, args, meta: added }: Request, call: RunningCall): Promise<CallResult | UnknownOutcome> {
    call.signal.throwIfAborted();
    const { options: { meta: given, idempotencyKey }, sink } = call;
    const remainingMs = call.dueMs - performance.now();
    const meta = {
      ...given,
      ...added,
      ...this.#kept,
      ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
      ...(remainingMs < Infinity && { deadline_ms: Math.ceil(Math.max(1, remainingMs)) }),
    };
    const sent = { tool, args, meta: Object.keys(meta).length === 0 ? undefined : meta, limit: call };
    const settled = await this.#transport.call(sent, sink);
    // A transport may be deaf to the signal; then nothing more is to come of this call.
    call.signal.throwIfAborted();
    const { meta: told, context = told?.["context"] } = settled as Pick<AnswerOutcome, "meta" | "context">;
    if (typeof context === "string") this.#kept = { context };
    return settled;
  }

  /**
   * Whether the server says of the tool that a repeat does no harm; `undefined` if it cannot be asked. It is asked once, when
   * a call first needs it.
   */
  async #isRepeatable(tool: string): Promise<boolean | undefined> {
    this.#tools ??= this.list().catch(() => this.#tools = undefined);
    return (await this.#tools)?.some(({ name, annotations }) =>
      name === tool && (annotations?.["readOnlyHint"] === true || annotations?.["idempotentHint"] === true)
    );
  }
}

/** Asks for what was promised; the server may wait with its answer. */
function redemption(token: string): Request {
  return { tool: "redeem", args: { promise: token, wait_ms: 20_000 }, token };
}
