import type { Metadata, Principal } from "../../call/call.ts";
import type { RequestId } from "../../codec/jsonrpc/decode.ts";
import type { Deadlines } from "../../internal/deadlines.ts";
import { acceptsEventStream } from "../../internal/media_type.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import type { Answer } from "../../mcp/answer.ts";
import type { Channel } from "../../mcp/exchange.ts";
import type { InputRequest } from "../../mcp/input_requests.ts";
import type { LegacyCaller, LegacyExchange, LegacyWish, TellOfTask } from "../../mcp/legacy.ts";
import type { Response } from "../../mcp/message.ts";
import type { PendingRequests } from "../../mcp/pending_requests.ts";
import type { TaskNews } from "../../mcp/task_news.ts";
import type { Head, Reply, WireHost } from "../wire.ts";
import { ACCEPTED, toAnsweredReply } from "./exchange.ts";
import { canResume, howToResume, SessionReader } from "./session_stream.ts";
import { sayNews, tellOfTask } from "./session_news.ts";
import type { McpSession, SessionNote, SessionStore } from "./session_store.ts";
import { rememberWish } from "./session_wish.ts";

/** What a request in a session needs. */
export interface SessionExchangeOptions {
  readonly host: WireHost;
  readonly head: Head;
  readonly store: SessionStore;
  readonly session: McpSession;
  readonly heartbeats: Deadlines;
  readonly pending: PendingRequests;
  readonly news: TaskNews;
  /** How long a client waits until it comes again, in milliseconds. */
  readonly retryMs: number;
  /** How long a connection stays open while its request goes on, in milliseconds; `undefined` for as long as that takes. */
  readonly pollAfterMs: number | undefined;
  /** Ids of the requests; of a batch there are several. */
  readonly requestIds: readonly RequestId[];
  /** Told what the store did not do. */
  readonly onError: (thrown: unknown) => Reply;
}

/**
 * A request in a session. What is said before its answer goes through the session's store, so that it is not lost when the
 * connection is; and the request goes on without its connection, until it is cancelled.
 */
export class SessionExchange implements LegacyExchange, Channel {
  readonly caller: LegacyCaller;
  /** A client that has gone comes back. */
  readonly left: AbortSignal;
  readonly ask: ((request: InputRequest) => Promise<Response | undefined>) | undefined;
  readonly #options: SessionExchangeOptions;
  readonly #stream: string = crypto.randomUUID();
  readonly #cancelling = new AbortController();
  readonly #isHeard: boolean;
  #reader: SessionReader | undefined = undefined;
  #hasSpoken = false;

  constructor(options: SessionExchangeOptions) {
    const { session: { version, capabilities, info, logLevel }, head, pending } = options;
    this.#options = options;
    this.caller = { version, capabilities, info, logLevel: logLevel ?? undefined };
    this.left = this.#cancelling.signal;
    this.#isHeard = acceptsEventStream(head.metadata.get("accept"));
    this.ask = this.#isHeard ? (request) => pending.ask(request, (json) => this.send(json), this.left) : undefined;
  }

  get metadata(): Metadata {
    return this.#options.head.metadata;
  }

  get principal(): Principal | undefined {
    return this.#options.head.principal;
  }

  signal(): AbortSignal {
    return this.left;
  }

  channel(): Channel | undefined {
    return this.#isHeard ? this : undefined;
  }

  send(json: string): void | Promise<void> {
    // The call goes on without what could not be kept.
    const onError = (thrown: unknown) => void this.#options.onError(thrown);
    try {
      return this.#append(json, false)?.catch(onError);
    } catch (thrown) {
      onError(thrown);
    }
  }

  readonly tellOfTask: TellOfTask = (watch) => {
    const { news, store, session: { id }, onError } = this.#options;
    tellOfTask(news, store, id, (json) => sayNews(store, id, json), watch, (thrown) => void onError(thrown));
  };

  remember(wish: LegacyWish): Promise<void> {
    return rememberWish(this.#options.store, this.#options.session, wish);
  }

  /** The reply: at once where the answer is there, else a stream that can be taken up again. */
  reply(answer: MaybePromise<Answer>): MaybePromise<Reply> {
    if (!(answer instanceof Promise) && !this.#hasSpoken) return this.#toReply(answer);
    const { head, store, session, heartbeats, retryMs, onError } = this.#options;
    head.keepOpen();
    const unsubscribe = store.subscribe(session.id, (note) => this.#hear(note));
    const cancelled = new Promise<Reply>((resolve) => {
      this.left.addEventListener("abort", () => resolve(ACCEPTED), { once: true });
    });
    const ended = Promise.resolve(answer).then((later) => this.#finish(later)).catch((thrown) => {
      this.#reader?.close();
      return onError(thrown);
    }).finally(unsubscribe);
    if (!this.#isHeard) return Promise.race([ended, cancelled]);
    const stream = this.#stream;
    const reader = this.#reader = new SessionReader({
      store,
      session,
      stream,
      after: 0,
      heartbeats,
      onError,
      onEnd: () => {},
    });
    // Those who can come back are told at once how.
    if (canResume(session)) {
      reader.open(howToResume(stream, 0, retryMs));
      this.#closeEarly(reader);
    }
    reader.read();
    return Promise.race([reader.opened, ended, cancelled]);
  }

  #closeEarly(reader: SessionReader): void {
    const { pollAfterMs, heartbeats } = this.#options;
    if (pollAfterMs !== undefined) heartbeats.add(pollAfterMs, () => reader.close());
  }

  #toReply(answer: Answer): Reply {
    return toAnsweredReply(answer, this.#options.head, this.#options.host);
  }

  async #finish(answer: Answer): Promise<Reply> {
    const reader = this.#reader;
    if (reader?.isOpen !== true && !this.#hasSpoken) {
      reader?.close();
      return this.#toReply(answer);
    }
    // A cancelled request is not answered.
    if (!this.left.aborted) await this.#append(answer.json, true);
    return await (reader as SessionReader).opened;
  }

  /** At once, where the store is. */
  #append(json: string, isLast: boolean): void | Promise<void> {
    const { store, session: { id } } = this.#options;
    this.#hasSpoken = true;
    return store.append(id, this.#stream, json, isLast);
  }

  #hear(note: SessionNote): void {
    const { pending, requestIds } = this.#options;
    if (note.kind === "response") pending.settle({ result: undefined, error: undefined, ...note });
    else if (note.kind === "ended" || (note.kind === "cancelled" && requestIds.includes(note.requestId))) {
      this.#cancelling.abort();
      this.#reader?.close();
    }
  }
}
