import type { AnswerOutcome, Settled, UnknownOutcome } from "../call/outcome.ts";
import { OBJECT_MEMBERS } from "../internal/object_members.ts";
import { Failure } from "../error/failure.ts";
import { http, type HttpOptions } from "../wires/http/client.ts";
import { ToolError } from "../error/tool_error.ts";
import { answerOf, toolError } from "./answer.ts";
import { CallLimit } from "./call_limit.ts";
import { mayPass, retryDelayMs, type RetryOptions, type RetryPolicy, retryPolicy } from "./retry.ts";
import { RunningCall } from "./running_call.ts";
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
  readonly meta?: Readonly<Record<string, unknown>>;
}

class Caller implements ClientMethods {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #retry: RetryPolicy;
  #tools: Promise<readonly RemoteTool[] | undefined> | undefined = undefined;
  /** What the server has this client keep, as a browser keeps a cookie. */
  #context: unknown = undefined;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#retry = retryPolicy(options.retry);
  }

  list(options?: CallOptions): Promise<readonly RemoteTool[]> {
    const limit = new CallLimit(options ?? {}, this.#options);
    return limit.run(async () => {
      const listed = await this.#transport.list(limit);
      if ("kind" in listed) throw toolError(listed);
      return listed;
    });
  }

  async call(tool: string, args?: unknown, options?: CallOptions): Promise<unknown> {
    return answerOf(await this.#complete({ tool, args }, this.#begin(options)));
  }

  async outcome(
    tool: string,
    args?: unknown,
    options?: CallOptions,
  ): Promise<ToolOutcome<unknown, Record<never, never>>> {
    const settled = await this.#once({ tool, args }, this.#begin(options));
    if (settled.kind === "error") throw toolError(settled);
    return settled;
  }

  stream(tool: string, args?: unknown, options?: CallOptions): ToolStream<unknown, unknown> {
    return this.#stream({ tool, args }, options, "partial");
  }

  async start(tool: string, args?: unknown, options?: CallOptions): Promise<PromisedAnswer<unknown>> {
    const settled = await this.#once({ tool, args, meta: { promise: true } }, this.#begin(options));
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
      result: async (options) => answerOf(await this.#complete(request, this.#begin(options))) as Output,
      cancel: async (options) =>
        (await this.call("cancel", { promise: token }, options) as { cancelled: boolean }).cancelled,
      updates: (options) => this.#stream(request, options, "progress") as AsyncIterable<never>,
    };
  }

  close(): void {
    this.#transport.close?.();
  }

  #begin(options: CallOptions = {}): RunningCall {
    return new RunningCall(options, this.#options);
  }

  #stream(request: Request, options: CallOptions = {}, kind: "partial" | "progress"): PieceStream {
    return new PieceStream(options, this.#options, kind, (call) => this.#complete(request, call));
  }

  /** What the first request gives: a promise or a question, too. */
  #once(request: Request, call: RunningCall): Promise<Settled | UnknownOutcome> {
    return call.settle(() => this.#request(request, call));
  }

  /** How the call ends, once questions are answered and promises kept. */
  #complete(first: Request, call: RunningCall): Promise<Settled | UnknownOutcome> {
    return call.settle(async () => {
      let request = first;
      for (let rounds = 0;;) {
        let settled = await this.#request(request, call);
        // The stream broke off, but the work goes on.
        if (mayPass(settled) && call.deferred !== undefined) settled = call.deferred;
        if (settled.kind === "promise") {
          await call.sleep(Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, settled.retryAfterMs)));
          request = redemption(settled.token);
        } else {
          const meta = rounds++ < MAX_ROUNDS ? await this.#answer(settled, first.tool) : undefined;
          if (meta === undefined) return settled;
          request = { ...request, meta };
        }
      }
    });
  }

  /** What the caller's functions say to each question; `undefined` if there is none, or if one has no function. */
  async #answer(settled: Settled | UnknownOutcome, tool: string): Promise<Request["meta"]> {
    if (!("requests" in settled)) return undefined;
    const { requests, continuation } = settled;
    const { onElicit, onResource } = this.#options;
    const responses: Record<string, unknown> = {};
    for (const [key, request] of Object.entries(requests)) {
      const answer = request.kind === "resource" ? onResource : request.kind === "elicitation" ? onElicit : undefined;
      if (answer === undefined) return undefined;
      responses[key] = await answer({ ...request, key, tool });
    }
    return { continuation, responses };
  }

  async #request(request: Request, call: RunningCall): Promise<Settled | UnknownOutcome> {
    const { tool } = request;
    let settled = await this.#attempt(request, call);
    for (let attempt = 0; attempt < this.#retry.attempts; attempt++) {
      if (!mayPass(settled) || (call.hasEvents && !SYSTEM.has(tool))) break;
      const delayMs = retryDelayMs(settled, attempt, this.#retry);
      if (delayMs === undefined) break;
      await call.sleep(delayMs);
      const isRepeatable = call.options.idempotencyKey !== undefined || await this.#isRepeatable(tool);
      if (isRepeatable === false) break;
      // Where the list cannot be had, the server is still not there: that was this attempt.
      if (isRepeatable) settled = await this.#attempt(request, call);
    }
    return settled;
  }

  async #attempt(
    { tool, args, meta: added }: Request,
    call: RunningCall,
  ): Promise<Settled | UnknownOutcome> {
    call.signal.throwIfAborted();
    const { options: { meta: given, idempotencyKey }, remainingMs, sink } = call;
    const meta = {
      ...given,
      ...added,
      ...(this.#context !== undefined && { context: this.#context }),
      ...(idempotencyKey !== undefined && !SYSTEM.has(tool) && { idempotency_key: idempotencyKey }),
      ...(Number.isFinite(remainingMs) && { deadline_ms: remainingMs }),
    };
    const isPlain = Object.keys(meta).length === 0;
    const sent = { tool, args, meta: isPlain ? undefined : meta, limit: call };
    const settled = await this.#transport.call(sent, sink);
    // A transport may be deaf to the signal; then nothing more is to come of this call.
    call.signal.throwIfAborted();
    const { meta: told, context = told?.["context"] } = settled as Pick<AnswerOutcome, "meta" | "context">;
    this.#context = context ?? this.#context;
    return settled;
  }

  /**
   * Whether the server says of the tool that a repeat does no harm; `undefined` if it cannot be asked. It is asked once, when
   * a call first needs it.
   */
  async #isRepeatable(tool: string): Promise<boolean | undefined> {
    if (SYSTEM.has(tool)) return true;
    this.#tools ??= this.list().catch(() => this.#tools = undefined);
    const tools = await this.#tools;
    return tools?.some(({ name, annotations }) =>
      name === tool && (annotations?.["readOnlyHint"] === true || annotations?.["idempotentHint"] === true)
    );
  }
}

/** They change nothing that was not asked for, however often they are called. */
const SYSTEM: ReadonlySet<string> = new Set(["redeem", "cancel"]);

function redemption(token: string): Request {
  return { tool: "redeem", args: { promise: token, wait_ms: REDEEM_WAIT_MS } };
}
