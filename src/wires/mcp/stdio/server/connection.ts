/**
 * MCP over two pipes: one message a line, one caller.
 *
 * The first message tells the era, and the process stays with it.
 * Source: MCP, "stdio", revisions 2024-11-05 to 2026-07-28.
 *
 * @module
 */
import type { Metadata } from "../../../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { parseJson, type RequestId } from "../../../framing/json_rpc/decode.ts";
import { isJsonObject } from "../../../../internal/json.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { type Answer, errorAnswer, refusalAnswer, unknownMethod } from "../../server/answer.ts";
import { notification } from "../../server/call_sink.ts";
import { Core } from "../../server/mcp_server.ts";
import { checkEnvelope, checkVersion, claimOf, missingEnvelope, unsupportedVersion } from "../../server/envelope.ts";
import type { Channel, Exchange } from "../../server/exchange.ts";
import type { InputRequest } from "../../protocol/forms.ts";
import {
  Legacy,
  type LegacyCaller,
  type LegacyExchange,
  type LegacyWish,
  type TellOfTask,
} from "../../server/legacy.ts";
import { newsOf } from "../../server/change_streams.ts";
import {
  decodeMessage,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from "../../protocol/messages.ts";
import { Modern } from "../../server/modern.ts";
import type { ProtocolOptions } from "../../server/options.ts";
import { PendingRequests } from "../../server/pending_requests.ts";
import { TaskNews } from "../../server/task_notifications.ts";
import { withSubscription } from "../../server/subscriptions.ts";
import { LEGACY_VERSIONS } from "../../protocol/constants.ts";
import type { WireHost } from "../../../wire.ts";

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
  readonly #news: TaskNews;
  readonly #write: WriteLine;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #ending = new AbortController();
  #subscriptions: readonly string[] = [];
  #era: "modern" | "legacy" | undefined = undefined;
  #caller: LegacyCaller = STRANGER;
  #unfollow: (() => void) | undefined = undefined;
  #idle: PromiseWithResolvers<void> | undefined = undefined;

  /** @throws {TypeError} If a tool breaks the rules of MCP. */
  constructor(host: WireHost, options: ProtocolOptions, write: WriteLine) {
    this.#host = host;
    this.#core = new Core(host, options);
    this.#modern = new Modern(this.#core);
    this.#legacy = new Legacy(this.#core, true);
    this.#pending = new PendingRequests(host.clock, this.#core.settings.askTimeoutMs);
    this.#news = new TaskNews(host.clock);
    this.#write = write;
  }

  /** Takes one line, or why there is none. One that cannot be read is told so, without an id; an empty one is passed over. */
  receive(line: string | ErrorResult): void {
    if (typeof line !== "string") return this.refuse(line);
    if (line.trim() === "") return;
    const parsed = parseJson(line, this.#host.limits.depth);
    if ("refusal" in parsed) return this.refuse(parsed.refusal);
    const { value } = parsed;
    if (Array.isArray(value)) return this.#receiveBatch(value);
    const message = decodeMessage(value);
    if (message.kind !== "malformed") this.#take(message);
    // Two ends that answer each other's answers would never end.
    else if (!isAnswer(value)) this.refuse(errorResult("invalid_request", message.message), message.id);
  }

  /** Says why something that came is not answered otherwise. */
  refuse(refusal: ErrorResult, id: RequestId | null = null): void {
    void this.#write(refusalAnswer(id, refusal).json);
  }

  /** Nothing more comes: resolves when what came has been answered. */
  async end(): Promise<void> {
    this.#unfollow?.();
    this.#ending.abort();
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
    if (this.#era !== "legacy" || this.#caller.version !== "2025-03-26") {
      return this.refuse(errorResult("invalid_request", "Send one message at a time"));
    }
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

  #hear({ method, params: { requestId } }: NotificationMessage): void {
    if (method !== "notifications/cancelled") return;
    if (typeof requestId === "string" || typeof requestId === "number") this.#running.get(requestId)?.abort();
  }

  #answer(request: RequestMessage): void {
    const { id } = request;
    if (this.#running.has(id)) {
      return this.refuse(errorResult("invalid_request", "A request with this id is under way"), id);
    }
    const exchange = new StdioExchange({
      write: this.#write,
      pending: this.#pending,
      news: this.#news,
      caller: this.#caller,
      over: this.#ending.signal,
      remember: (wish) => this.#remember(wish),
    });
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

  #route(request: RequestMessage, exchange: StdioExchange): MaybePromise<Answer> {
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
    if (method === "initialize") {
      const caller = this.#legacy.readCaller(params);
      if ("kind" in caller) return refusalAnswer(id, caller);
      this.#begin(caller);
    }
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
        resourceSubscriptions: this.#subscriptions,
      });
      if (news !== undefined) void this.#write(notification(...news));
    });
  }

  #remember(wish: LegacyWish): void {
    if ("logLevel" in wish) this.#caller = { ...this.#caller, logLevel: wish.logLevel };
    else if ("subscribe" in wish) this.#subscriptions = withSubscription(this.#subscriptions, wish.subscribe);
    else this.#subscriptions = this.#subscriptions.filter((uri) => uri !== wish.unsubscribe);
  }
}

/** Whether something is, or was meant to be, the answer to a request. */
function isAnswer(value: unknown): boolean {
  return isJsonObject(value) && !("method" in value) && ("error" in value || "result" in value);
}

interface StdioExchangeOptions {
  readonly write: WriteLine;
  readonly pending: PendingRequests;
  readonly news: TaskNews;
  readonly caller: LegacyCaller;
  /** Aborts when nothing more comes. */
  readonly over: AbortSignal;
  readonly remember: (wish: LegacyWish) => void;
}

/** One request over pipes. */
class StdioExchange implements LegacyExchange, Exchange, Channel {
  readonly metadata = NO_METADATA;
  readonly principal = undefined;
  readonly controller: AbortController = new AbortController();
  readonly ask: (request: InputRequest) => Promise<ResponseMessage | undefined>;
  readonly tellOfTask: TellOfTask;
  readonly remember: (wish: LegacyWish) => void;
  caller: LegacyCaller;
  readonly #write: WriteLine;

  constructor({ write, pending, news, caller, over, remember }: StdioExchangeOptions) {
    this.#write = write;
    this.ask = (request) => pending.ask(request, (json) => this.send(json), this.left);
    this.tellOfTask = (watch) => news.follow(watch, write, over);
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
