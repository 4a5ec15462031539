import type { CallEvent, Settled, Sink, UnknownOutcome } from "../call/outcome.ts";
import { OBJECT_MEMBERS } from "../internal/object_members.ts";
import { Failure } from "../error/failure.ts";
import { http, type HttpOptions } from "../wires/http/client.ts";
import { answerOf, toolError } from "./answer.ts";
import { CallLimit } from "./call_limit.ts";
import { mayPass, retryDelayMs, type RetryOptions, type RetryPolicy, retryPolicy } from "./retry.ts";
import { PieceCollector } from "../call/partials.ts";
import { PieceStream } from "./stream.ts";
import type { RemoteTool, Transport } from "../call/transport.ts";
import type {
  CallOptions,
  Client,
  ClientMethods,
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
}

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

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
    isFailure: (error: unknown) => error instanceof Failure,
  });
}

class Caller implements ClientMethods {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #retry: RetryPolicy;
  #repeatable: Promise<ReadonlySet<string> | undefined> | undefined = undefined;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#retry = retryPolicy(options.retry);
  }

  async list(options: CallOptions = {}): Promise<readonly RemoteTool[]> {
    const limit = this.#limit(options);
    try {
      const listed = await limit.race(this.#transport.list(limit));
      if ("kind" in listed) throw toolError(listed);
      return listed;
    } finally {
      limit.stop();
    }
  }

  async call(tool: string, input?: unknown, options: CallOptions = {}): Promise<unknown> {
    return answerOf(await this.#settle(tool, input, options));
  }

  async outcome(
    tool: string,
    input?: unknown,
    options: CallOptions = {},
  ): Promise<ToolOutcome<unknown, Record<never, never>>> {
    const settled = await this.#settle(tool, input, options);
    if (settled.kind === "error") throw toolError(settled);
    return settled;
  }

  stream(tool: string, input?: unknown, options: CallOptions = {}): ToolStream<unknown, unknown> {
    const left = new AbortController();
    const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
    const start = (sink: Sink) => this.#settle(tool, input, { ...options, signal }, sink);
    return new PieceStream(start, () => left.abort());
  }

  close(): void {
    this.#transport.close?.();
  }

  async #settle(tool: string, args: unknown, options: CallOptions, listener?: Sink): Promise<Settled | UnknownOutcome> {
    const limit = this.#limit(options);
    const pieces = new PieceCollector();
    // Progress comes over a stream, even where nobody wants the pieces.
    const sink = listener ?? (options.onProgress && pieces);
    const watched = sink && new WatchedSink(sink, options.onProgress, limit);
    try {
      let settled = await this.#attempt(tool, args, options, limit, watched);
      for (let attempt = 0; attempt < this.#retry.attempts; attempt++) {
        if (!mayPass(settled) || watched?.hasEvents) break;
        const delayMs = retryDelayMs(settled, attempt, this.#retry);
        if (delayMs === undefined) break;
        await limit.sleep(delayMs);
        const isRepeatable = await limit.race(this.#isRepeatable(tool));
        if (isRepeatable === false) break;
        // Where the list cannot be had, the server is still not there: that was this attempt.
        if (isRepeatable) settled = await this.#attempt(tool, args, options, limit, watched);
      }
      return pieces.join(settled);
    } finally {
      limit.stop();
    }
  }

  async #attempt(
    tool: string,
    args: unknown,
    options: CallOptions,
    limit: CallLimit,
    sink: Sink | undefined,
  ): Promise<Settled | UnknownOutcome> {
    limit.signal.throwIfAborted();
    const { remainingMs } = limit;
    const meta = remainingMs === undefined ? options.meta : { ...options.meta, deadline_ms: remainingMs };
    return await limit.race(this.#transport.call({ tool, args, meta, limit }, sink));
  }

  /**
   * Whether the server says of the tool that a repeat does no harm; `undefined` if it cannot be asked. It is asked once, when
   * a call first needs it.
   */
  async #isRepeatable(tool: string): Promise<boolean | undefined> {
    this.#repeatable ??= this.list().then(
      (tools) => new Set(tools.filter(isRepeatable).map(({ name }) => name)),
      () => (this.#repeatable = undefined),
    );
    return (await this.#repeatable)?.has(tool);
  }

  #limit(options: CallOptions): CallLimit {
    const { timeoutMs = this.#options.timeoutMs, idleTimeoutMs = this.#options.idleTimeoutMs } = options;
    return new CallLimit({
      signal: options.signal,
      timeoutMs,
      idleTimeoutMs: idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
    });
  }
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

  constructor(sink: Sink, onProgress: CallOptions["onProgress"], limit: CallLimit) {
    this.#sink = sink;
    this.#onProgress = onProgress;
    this.#limit = limit;
  }

  push(event: CallEvent): void | Promise<void> {
    this.hasEvents = true;
    if (event.kind !== "progress") return this.#sink.push(event);
    try {
      this.#onProgress?.(event.progress);
    } catch (thrown) {
      // What the caller's own function throws ends the call, with just that.
      this.#limit.abort(thrown);
    }
  }
}
