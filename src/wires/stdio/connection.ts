/**
 * MCP over two pipes: one message a line, one caller.
 *
 * The first message tells the era, and the process stays with it.
 * Source: MCP, "stdio", revisions 2025-03-26 to 2026-07-28.
 *
 * @module
 */
import type { Metadata } from "../../call/call.ts";
import type { Refusal } from "../../call/outcome.ts";
import { parseJson, type RequestId } from "../../codec/jsonrpc/decode.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import { type Answer, errorAnswer, refusalAnswer, unknownMethod } from "../../mcp/answer.ts";
import { notification } from "../../mcp/call_sink.ts";
import { Core } from "../../mcp/core.ts";
import { checkEnvelope, checkVersion, claimOf, missingEnvelope, unsupportedVersion } from "../../mcp/envelope.ts";
import type { Channel, Exchange } from "../../mcp/exchange.ts";
import type { InputRequest } from "../../mcp/input_requests.ts";
import { Legacy, type LegacyCaller, type LegacyExchange, type LegacyWish } from "../../mcp/legacy.ts";
import { newsOf } from "../../mcp/listens.ts";
import { decodeMessage, type Message, type Notification, type Request, type Response } from "../../mcp/message.ts";
import { Modern } from "../../mcp/modern.ts";
import type { ProtocolOptions } from "../../mcp/options.ts";
import { PendingRequests } from "../../mcp/pending_requests.ts";
import { LEGACY_VERSIONS } from "../../mcp/words.ts";
import type { WireHost } from "../wire.ts";

/** Writes a line; a returned promise means that the pipe is full. */
export type WriteLine = (line: string) => void | Promise<void>;

const NO_METADATA: Metadata = { get: () => null };

/** Who has not begun: a client of an older revision that skips the handshake. */
const STRANGER: LegacyCaller = {
  version: LEGACY_VERSIONS[0],
  capabilities: undefined,
  info: undefined,
  logLevel: undefined,
};

/** One caller at the other end of two pipes. */
export class StdioConnection {
  readonly #host: WireHost;
  readonly #core: Core;
  readonly #modern: Modern;
  readonly #legacy: Legacy;
  readonly #pending: PendingRequests;
  readonly #write: WriteLine;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #subscriptions = new Set<string>();
  #era: "modern" | "legacy" | undefined = undefined;
  #caller: LegacyCaller = STRANGER;
  #unfollow: (() => void) | undefined = undefined;
  #idle: PromiseWithResolvers<void> | undefined = undefined;

  /**
   * @throws {RangeError} If an option is not what it should be.
   * @throws {TypeError} If a tool breaks the rules of MCP.
   */
  constructor(host: WireHost, options: ProtocolOptions, write: WriteLine) {
    this.#host = host;
    this.#core = new Core(host, options);
    this.#modern = new Modern(this.#core);
    this.#legacy = new Legacy(this.#core, true);
    this.#pending = new PendingRequests(host.clock, this.#core.settings.askTimeoutMs);
    this.#write = write;
  }

  /** Takes one line, or why there is none. What is no JSON is passed over. */
  receive(line: string | Refusal): void {
    if (typeof line !== "string") return void this.#write(refusalAnswer(null, line).json);
    if (line.trim() === "") return;
    const parsed = parseJson(line, this.#host.limits.depth);
    if ("refusal" in parsed) {
      if (parsed.refusal.code !== "parse_error") void this.#write(refusalAnswer(null, parsed.refusal).json);
      return;
    }
    const { value } = parsed;
    if (Array.isArray(value)) return this.#receiveBatch(value);
    const message = decodeMessage(value);
    if (message.kind === "malformed") {
      const refusal = { kind: "error", code: "invalid_request", message: message.message } as const;
      void this.#write(refusalAnswer(message.id, refusal).json);
    } else this.#take(message);
  }

  /** Nothing more comes: resolves when what came has been answered. */
  async end(): Promise<void> {
    this.#unfollow?.();
    this.#core.close();
    if (this.#running.size === 0) return;
    this.#idle = Promise.withResolvers();
    await this.#idle.promise;
  }

  /** Ends what is under way. */
  abort(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  /** Several at once are of 2025-03-26; nobody else sends them. */
  #receiveBatch(batch: readonly unknown[]): void {
    if (this.#era !== "legacy" || this.#caller.version !== "2025-03-26") return;
    for (const one of batch) {
      const message = decodeMessage(one);
      if (message.kind !== "malformed") this.#take(message);
    }
  }

  #take(message: Message): void {
    if (message.kind === "response") this.#pending.settle(message);
    else if (message.kind === "notification") this.#hear(message);
    else this.#answer(message);
  }

  #hear({ method, params: { requestId } }: Notification): void {
    if (method !== "notifications/cancelled") return;
    if (typeof requestId === "string" || typeof requestId === "number") this.#running.get(requestId)?.abort();
  }

  #answer(request: Request): void {
    const { id } = request;
    if (this.#running.has(id)) {
      return void this.#write(
        refusalAnswer(id, {
          kind: "error",
          code: "invalid_request",
          message: "A request with this id is under way",
        }).json,
      );
    }
    const exchange = new StdioExchange(this.#write, this.#pending, this.#caller, (wish) => this.#remember(wish));
    const answer = this.#route(request, exchange);
    if (!(answer instanceof Promise)) return void this.#write(answer.json);
    this.#running.set(id, exchange.controller);
    void answer.then((later) => {
      this.#running.delete(id);
      // A cancelled request is not answered; only a stream of news is, by whoever ended it.
      if (!exchange.controller.signal.aborted) void this.#write(later.json);
      if (this.#running.size === 0) this.#idle?.resolve();
    });
  }

  #route(request: Request, exchange: StdioExchange): MaybePromise<Answer> {
    const { id, method, params } = request;
    const claim = claimOf(params);
    const isDiscovery = method === "server/discover";
    if (this.#era !== "legacy" && claim !== undefined) {
      const problem = checkEnvelope(claim) ?? checkVersion(claim);
      if (problem !== undefined) return errorAnswer(id, problem);
      // Who only asks what there is may still begin as older clients do.
      if (!isDiscovery) this.#era = "modern";
      return this.#modern.answer(request, claim, exchange);
    }
    if (this.#era === "modern") {
      return errorAnswer(
        id,
        method === "initialize" ? unsupportedVersion(params["protocolVersion"]) : missingEnvelope(),
      );
    }
    if (isDiscovery) return this.#era === "legacy" ? unknownMethod(request) : errorAnswer(id, missingEnvelope());
    this.#era = "legacy";
    if (method === "initialize") this.#begin(this.#legacy.readCaller(params));
    exchange.caller = this.#caller;
    return this.#legacy.answer(request, exchange);
  }

  #begin(caller: LegacyCaller): void {
    this.#caller = caller;
    this.#unfollow ??= this.#host.changes.subscribe((change) => {
      const news = newsOf(change, {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [...this.#subscriptions],
      });
      if (news !== undefined) void this.#write(notification(...news));
    });
  }

  #remember(wish: LegacyWish): void {
    if ("logLevel" in wish) this.#caller = { ...this.#caller, logLevel: wish.logLevel };
    else if ("subscribe" in wish) this.#subscriptions.add(wish.subscribe);
    else this.#subscriptions.delete(wish.unsubscribe);
  }
}

/** One request over pipes. */
class StdioExchange implements LegacyExchange, Exchange, Channel {
  readonly metadata = NO_METADATA;
  readonly principal = undefined;
  readonly controller: AbortController = new AbortController();
  readonly ask: (request: InputRequest) => Promise<Response | undefined>;
  readonly remember: (wish: LegacyWish) => void;
  caller: LegacyCaller;
  readonly #write: WriteLine;

  constructor(
    write: WriteLine,
    pending: PendingRequests,
    caller: LegacyCaller,
    remember: (wish: LegacyWish) => void,
  ) {
    this.#write = write;
    this.ask = (request) => pending.ask(request, (json) => this.send(json), this.left);
    this.caller = caller;
    this.remember = remember;
  }

  get left(): AbortSignal {
    return this.controller.signal;
  }

  signal(): AbortSignal {
    return this.controller.signal;
  }

  channel(): Channel {
    return this;
  }

  send(json: string): void | Promise<void> {
    if (!this.controller.signal.aborted) return this.#write(json);
  }
}
