import type { Deadlines } from "../../../../internal/deadlines.ts";
import { acceptsEventStream } from "../../../../internal/http.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { Answer } from "../../server/answer.ts";
import type { Reply, WireHost } from "../../../wire.ts";
import { ACCEPTED, toAnsweredReply } from "../server/exchange.ts";
import { SessionRequest, type SessionRequestOptions } from "./request.ts";
import { canResume, howToResume, SessionReader } from "./stream.ts";

/** What a request in a session needs that is answered where it was sent. */
export interface SessionExchangeOptions extends SessionRequestOptions {
  readonly host: WireHost;
  readonly heartbeats: Deadlines;
  /** How long a client waits until it comes again, in milliseconds. */
  readonly retryMs: number;
  /** How long a connection stays open while its request goes on, in milliseconds; `undefined` for as long as that takes. */
  readonly pollAfterMs: number | undefined;
  /** Told what the store did not do. */
  readonly onError: (thrown: unknown) => Reply;
}

/**
 * A request in a session that is answered where it was sent. What is said before its answer goes through the session's store,
 * so that it is not lost when the connection is.
 */
export class SessionExchange extends SessionRequest<SessionExchangeOptions> {
  readonly #stream: string = crypto.randomUUID();
  #reader: SessionReader | undefined = undefined;
  #hasSpoken = false;

  constructor(options: SessionExchangeOptions) {
    super(options, acceptsEventStream(options.head.metadata.get("accept")));
  }

  protected override say(json: string): MaybePromise<void> {
    return this.#append(json, false);
  }

  /** The reply: at once where the answer is there, else a stream that can be taken up again. */
  reply(answer: MaybePromise<Answer>): MaybePromise<Reply> {
    if (!(answer instanceof Promise) && !this.#hasSpoken) return this.#toReply(answer);
    const { head, store, session, heartbeats, retryMs, onError } = this.options;
    head.disableIdleTimeout();
    const unsubscribe = this.listen();
    const cancelled = new Promise<Reply>((resolve) => {
      this.left.addEventListener("abort", () => {
        resolve(ACCEPTED);
        this.#reader?.close();
      }, { once: true });
    });
    const ended = Promise.resolve(answer).then((later) => this.#finish(later)).catch((thrown) => {
      this.#reader?.close();
      return onError(thrown);
    }).finally(unsubscribe);
    if (!this.isHeard) return Promise.race([ended, cancelled]);
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
    const { pollAfterMs, heartbeats } = this.options;
    if (pollAfterMs !== undefined) heartbeats.add(pollAfterMs, () => reader.close());
  }

  #toReply(answer: Answer): Reply {
    return toAnsweredReply(answer, this.options.head, this.options.host);
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
    const { store, session: { id } } = this.options;
    this.#hasSpoken = true;
    return store.append(id, this.#stream, json, isLast);
  }
}
