import type { Metadata, Principal } from "../../call/call.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import type { Answer } from "../../mcp/answer.ts";
import type { Channel } from "../../mcp/exchange.ts";
import type { InputRequest } from "../../mcp/input_requests.ts";
import type { LegacyCaller, LegacyExchange, LegacyWish, TellOfTask } from "../../mcp/legacy.ts";
import type { Request, Response } from "../../mcp/message.ts";
import type { PendingRequests } from "../../mcp/pending_requests.ts";
import type { TaskNews } from "../../mcp/task_news.ts";
import type { Head } from "../wire.ts";
import { tellOfTask } from "./session_news.ts";
import type { McpSession, SessionNote, SessionStore } from "./session_store.ts";
import { rememberWish } from "./session_wish.ts";

/** Sends a message over the session's stream; a returned promise resolves when there is room for the next. */
export type Say = (json: string) => MaybePromise<void>;

/** What a request that was sent to an endpoint needs. */
export interface EndpointExchangeOptions {
  readonly head: Head;
  readonly store: SessionStore;
  readonly session: McpSession;
  readonly request: Request;
  readonly pending: PendingRequests;
  readonly news: TaskNews;
  readonly say: Say;
  /** Told what the store did not do. */
  readonly onError: (thrown: unknown) => void;
}

/** A request that was sent to an endpoint: all that is said to it goes over the session's stream, its answer too. */
export class EndpointExchange implements LegacyExchange, Channel {
  readonly caller: LegacyCaller;
  /** Aborts when the request is cancelled, or its session over. */
  readonly left: AbortSignal;
  readonly ask: (request: InputRequest) => Promise<Response | undefined>;
  readonly #options: EndpointExchangeOptions;
  readonly #cancelling = new AbortController();

  constructor(options: EndpointExchangeOptions) {
    const { session: { version, capabilities, info, logLevel }, pending } = options;
    this.#options = options;
    this.caller = { version, capabilities: capabilities ?? undefined, info, logLevel: logLevel ?? undefined };
    this.left = this.#cancelling.signal;
    this.ask = (request) => pending.ask(request, (json) => this.send(json), this.left);
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

  channel(): Channel {
    return this;
  }

  send(json: string): void | Promise<void> {
    const room = this.#options.say(json);
    return room instanceof Promise ? room.catch(this.#options.onError) : room;
  }

  readonly tellOfTask: TellOfTask = (watch) => {
    const { news, store, session: { id }, say, onError } = this.#options;
    tellOfTask(news, store, id, say, watch, onError);
  };

  remember(wish: LegacyWish): Promise<void> {
    return rememberWish(this.#options.store, this.#options.session, wish);
  }

  /** Says the answer when it is there; what the client says meanwhile is heard. One that is cancelled is not answered. */
  async follow(answer: Promise<Answer>): Promise<void> {
    const { store, session } = this.#options;
    const unsubscribe = store.subscribe(session.id, (note) => this.#hear(note));
    try {
      const { json } = await answer;
      if (!this.left.aborted) await this.send(json);
    } catch (thrown) {
      this.#options.onError(thrown);
    } finally {
      unsubscribe();
    }
  }

  #hear(note: SessionNote): void {
    const { pending, request } = this.#options;
    if (note.kind === "response") pending.settle({ result: undefined, error: undefined, ...note });
    else if (note.kind === "ended" || (note.kind === "cancelled" && note.requestId === request.id)) {
      this.#cancelling.abort();
    }
  }
}
