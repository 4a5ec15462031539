import type { Metadata, Principal, RequestHost } from "../../../../core/call/call.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { isPending, type MaybeFuture } from "../../../../internal/future.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import { acceptsEventStream } from "../../../../internal/http.ts";
import type { RequestId } from "../../../framing/json_rpc/decode.ts";
import type { Head, Reply, WireHost } from "../../../wire.ts";
import type { Channel } from "../../server/exchange.ts";
import {
  type LegacyCaller,
  type LegacyExchange,
  type PendingRequests,
  type PreferenceChange,
  withPreference,
} from "../../server/legacy_exchange.ts";
import type { TaskNotifications } from "../../server/legacy_tasks.ts";
import type { RpcResponse } from "../../server/response.ts";
import { ACCEPTED, toChallengedReply, withLegacyStatus } from "../server/exchange.ts";
import type { McpSession, SessionEvent, SessionStore } from "./store.ts";
import { canResume, resumeBlock, SessionStreamReader } from "./stream.ts";

/** Maximum number of attempts to change a session that other processes change at the same time. */
const MAX_ATTEMPTS = 100;

/** Options of {@link SessionRequest}. */
export interface SessionRequestOptions {
  readonly head: Head;
  readonly store: SessionStore;
  readonly session: McpSession;
  /** Ids of the requests; a batch has several. */
  readonly requestIds: readonly RequestId[];
  readonly pending: PendingRequests;
  readonly taskNotifications: TaskNotifications;
  /** Sends a message that belongs to no request. A returned promise resolves when there is room for the next one. */
  readonly notify: (json: string) => MaybePromise<void>;
  /** Called with errors of the store. Returns the reply for them. */
  readonly onError: (thrown: unknown) => Reply;
}

/** A request in a session. It continues without its connection until it is cancelled or the session ends. */
export abstract class SessionRequest<Options extends SessionRequestOptions> implements LegacyExchange, Channel {
  readonly caller: LegacyCaller;
  /** Aborts when the request is cancelled or its session has ended. Clients that disconnect may resume. */
  readonly closed: AbortSignal;
  readonly sendRequest: LegacyExchange["sendRequest"];
  protected readonly options: Options;
  /** Whether the client accepts messages before the response. */
  protected readonly hasChannel: boolean;
  readonly #cancelling = new AbortController();

  constructor(options: Options, hasChannel: boolean) {
    const { session: { version, capabilities, info, logLevel }, pending } = options;
    this.options = options;
    this.hasChannel = hasChannel;
    this.caller = { version, capabilities: capabilities ?? undefined, info, logLevel: logLevel ?? undefined };
    this.closed = this.#cancelling.signal;
    this.sendRequest = hasChannel
      ? (request) => pending.request(request, (json) => this.send(json), this.closed, options.session.id)
      : undefined;
  }

  get metadata(): Metadata {
    return this.options.head.metadata;
  }

  get principal(): Principal | undefined {
    return this.options.head.principal;
  }

  get host(): RequestHost | undefined {
    return this.options.head.host;
  }

  get sessionId(): string {
    return this.options.session.id;
  }

  signal(): AbortSignal {
    return this.closed;
  }

  channel(): Channel | undefined {
    return this.hasChannel ? this : undefined;
  }

  /** Writes a message to the stream of the request. */
  protected abstract write(json: string): MaybePromise<void>;

  send(json: string): void | Promise<void> {
    // The call continues if a message cannot be stored.
    const onError = (thrown: unknown) => void this.options.onError(thrown);
    try {
      return this.write(json)?.catch(onError);
    } catch (thrown) {
      onError(thrown);
    }
  }

  readonly reportTask: LegacyExchange["reportTask"] = (watch) => {
    const { taskNotifications, store, session: { id }, notify, onError } = this.options;
    const ending = new AbortController();
    const unsubscribe = store.subscribe(id, ({ kind }) => kind === "ended" && ending.abort());
    const send = async (json: string) => {
      try {
        await notify(json);
      } catch (thrown) {
        onError(thrown);
      }
    };
    taskNotifications.follow(watch, send, ending.signal, unsubscribe);
  };

  async savePreference(change: PreferenceChange): Promise<void> {
    const { store, session: { id } } = this.options;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = await store.get(id);
      // The session may have ended. It is not created again.
      if (stored === undefined || await store.put(withPreference(stored, change), stored)) return;
    }
    throw new Error(`Cannot change a session: ${MAX_ATTEMPTS} attempts conflicted with other changes`);
  }

  /** Processes events from the client, received by any process, until the returned function is called. */
  protected listen(): () => void {
    const { store, session, pending, requestIds } = this.options;
    return store.subscribe(session.id, (event: SessionEvent) => {
      if (event.kind === "response") pending.resolve({ result: undefined, error: undefined, ...event }, session.id);
      else if (event.kind === "ended" || (event.kind === "cancelled" && requestIds.includes(event.requestId))) {
        this.#cancelling.abort();
      }
    });
  }
}

/** Maximum number of messages of a stream that are stored and not sent while its connection is open. */
const MAX_UNSENT = 256;

/** Options of {@link SessionExchange}. */
export interface SessionExchangeOptions extends SessionRequestOptions {
  readonly host: WireHost;
  readonly heartbeats: Deadlines;
  /** Delay before a client resumes a stream, in milliseconds. */
  readonly retryMs: number;
  /** Time after which the connection of a running request is closed, in milliseconds; `undefined` for never. */
  readonly pollAfterMs: number | undefined;
}

/**
 * A request in a session that the reply to its POST answers. Messages before the response go through the session store, so that they are
 * not lost if the connection breaks.
 */
export class SessionExchange extends SessionRequest<SessionExchangeOptions> {
  readonly #stream: string = crypto.randomUUID();
  #reader: SessionStreamReader | undefined;
  #heartbeatMs: number | undefined;
  #hasMessages = false;
  #count = 0;

  constructor(options: SessionExchangeOptions) {
    super(options, acceptsEventStream(options.head.metadata.get("accept")));
  }

  beatWithin(heartbeatMs: number): void {
    this.#heartbeatMs = heartbeatMs;
  }

  /** A handler waits for a slow reader: the store drops messages beyond those that it keeps. */
  protected override write(json: string): MaybePromise<void> {
    const stored = this.#append(json, false);
    const needed = ++this.#count - MAX_UNSENT;
    return stored === undefined ? this.#reader?.untilSent(needed) : stored.then(() => this.#reader?.untilSent(needed));
  }

  /** The reply: JSON if the response is there or the client takes no stream, otherwise a stream. 202 without a body if it is cancelled. */
  reply(response: MaybeFuture<RpcResponse>): MaybeFuture<Reply> {
    if (!isPending(response) && !this.#hasMessages) return this.#toReply(response);
    const { head, onError } = this.options;
    head.disableIdleTimeout();
    const unsubscribe = this.listen();
    const cancelled = new Promise<Reply>((resolve) => {
      this.closed.addEventListener("abort", () => {
        resolve(ACCEPTED);
        this.#reader?.close();
      }, { once: true });
    });
    const ended = Promise.resolve(response).then((later) => this.#finish(later)).catch((thrown) => {
      const broken = onError(thrown);
      this.#reader?.close();
      return broken;
    }).finally(unsubscribe);
    if (!this.hasChannel) return Promise.race([ended, cancelled]);
    // A connection that ends before there is a message: the store failed, or the response is the first message.
    const opened = this.#openStream().then((reply) => reply ?? ended);
    return Promise.race([opened, ended, cancelled]);
  }

  /** Resolves with the reply once the stream has a message. Clients that can resume get the event id first, at once. */
  #openStream(): Promise<Reply | undefined> {
    const { store, session, heartbeats, retryMs, pollAfterMs, onError } = this.options;
    const stream = this.#stream;
    const onEnd = () => {};
    const heartbeatMs = this.#heartbeatMs;
    const reader = new SessionStreamReader({
      store,
      session,
      stream,
      after: 0,
      heartbeats,
      heartbeatMs,
      onError,
      onEnd,
    });
    this.#reader = reader;
    reader.follow();
    if (canResume(session)) {
      reader.open(resumeBlock(stream, 0, retryMs));
      if (pollAfterMs !== undefined) heartbeats.add(pollAfterMs, () => reader.close());
    }
    reader.read();
    return reader.opened;
  }

  #toReply(response: RpcResponse): Reply {
    return toChallengedReply(withLegacyStatus(response), this.options.head, this.options.host);
  }

  async #finish(response: RpcResponse): Promise<Reply> {
    const reader = this.#reader;
    if (reader?.isOpen !== true && !this.#hasMessages) {
      reader?.close();
      return this.#toReply(response);
    }
    // A cancelled request has no response.
    if (!this.closed.aborted) await this.#append(response.json, true);
    return await reader?.opened ?? this.#toReply(response);
  }

  /** Synchronous, if the store is synchronous. */
  #append(json: string, isLast: boolean): void | Promise<void> {
    const { store, session: { id } } = this.options;
    this.#hasMessages = true;
    return store.append(id, this.#stream, json, isLast);
  }
}
