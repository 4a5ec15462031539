import type { Metadata, Principal } from "../../../../core/call/call.ts";
import type { RequestId } from "../../../framing/json_rpc/decode.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { Channel } from "../../server/exchange.ts";
import type { LegacyCaller, LegacyExchange, LegacyWish, TellOfTask } from "../../server/legacy.ts";
import type { PendingRequests } from "../../server/pending_requests.ts";
import type { TaskNews } from "../../server/task_notifications.ts";
import type { Head } from "../../../wire.ts";
import { tellOfTask } from "./notifications.ts";
import type { McpSession, SessionEvent, SessionStore } from "./store.ts";
import { rememberWish } from "./preferences.ts";

/** Sends a message; a returned promise resolves when there is room for the next. */
export type Say = (json: string) => MaybePromise<void>;

/** What every request in a session needs. */
export interface SessionRequestOptions {
  readonly head: Head;
  readonly store: SessionStore;
  readonly session: McpSession;
  /** Ids of the requests; of a batch there are several. */
  readonly requestIds: readonly RequestId[];
  readonly pending: PendingRequests;
  readonly news: TaskNews;
  /** Says what belongs to no request. */
  readonly sayNews: Say;
  /** Told what the store did not do. */
  readonly onError: (thrown: unknown) => unknown;
}

/** A request in a session, whichever way it is answered: it goes on without its connection, until it is cancelled. */
export abstract class SessionRequest<Options extends SessionRequestOptions> implements LegacyExchange, Channel {
  readonly caller: LegacyCaller;
  /** Aborts when the request is cancelled, or its session over: a client that has gone comes back. */
  readonly left: AbortSignal;
  readonly ask: LegacyExchange["ask"];
  protected readonly options: Options;
  /** Whether the client takes messages before the answer. */
  protected readonly isHeard: boolean;
  readonly #cancelling = new AbortController();

  constructor(options: Options, isHeard: boolean) {
    const { session: { version, capabilities, info, logLevel }, pending } = options;
    this.options = options;
    this.isHeard = isHeard;
    this.caller = { version, capabilities: capabilities ?? undefined, info, logLevel: logLevel ?? undefined };
    this.left = this.#cancelling.signal;
    this.ask = isHeard ? (request) => pending.ask(request, (json) => this.send(json), this.left) : undefined;
  }

  get metadata(): Metadata {
    return this.options.head.metadata;
  }

  get principal(): Principal | undefined {
    return this.options.head.principal;
  }

  signal(): AbortSignal {
    return this.left;
  }

  channel(): Channel | undefined {
    return this.isHeard ? this : undefined;
  }

  /** Says something to the request. */
  protected abstract say(json: string): MaybePromise<void>;

  send(json: string): void | Promise<void> {
    // The call goes on without what could not be said.
    const onError = (thrown: unknown) => void this.options.onError(thrown);
    try {
      return this.say(json)?.catch(onError);
    } catch (thrown) {
      onError(thrown);
    }
  }

  readonly tellOfTask: TellOfTask = (watch) => {
    const { news, store, session: { id }, sayNews, onError } = this.options;
    tellOfTask(news, store, id, sayNews, watch, (thrown) => void onError(thrown));
  };

  remember(wish: LegacyWish): Promise<void> {
    return rememberWish(this.options.store, this.options.session, wish);
  }

  /** Hears what the client says, in whichever process, until what this returns is called. */
  protected listen(): () => void {
    const { store, session, pending, requestIds } = this.options;
    return store.subscribe(session.id, (note: SessionEvent) => {
      if (note.kind === "response") pending.settle({ result: undefined, error: undefined, ...note });
      else if (note.kind === "ended" || (note.kind === "cancelled" && requestIds.includes(note.requestId))) {
        this.#cancelling.abort();
      }
    });
  }
}
