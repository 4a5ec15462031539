/**
 * Subscriptions to changes of a server: by one `subscriptions/listen` stream in the era without sessions, otherwise by
 * `resources/subscribe` and the notifications of the session.
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import { monitorFromSignal, withTimeLimit } from "../../../core/call/time_limit.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import { Listeners } from "../../../internal/async.ts";
import type { Members } from "../../../internal/json.ts";
import { Throttle } from "../../../internal/throttle.ts";
import type { Connection } from "./connection.ts";
import { decodeFailedReply } from "./decode_reply.ts";
import type { PendingRequest } from "./incoming_router.ts";
import { BACKGROUND_TIMEOUT_MS, suspendFor } from "./message_transport.ts";
import type { McpChange } from "./types.ts";

/** Half of the delay before the first reconnection, in milliseconds; doubled each time. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

type Handler = () => void;

/** The stream over which a server sends the notifications that were subscribed to. */
interface NotificationStream {
  /** Closes the stream. */
  readonly closing: AbortController;
  /** The notifications that the server agrees to send; `undefined` if the stream could not be opened. */
  readonly acknowledged: Promise<Members | undefined>;
}

/** Maximum number of times a second that handlers are called for changes of one list. */
const MAX_CHANGES = 10;

/** Handlers of changed lists and resources of a server, and the requests or the stream that they need. */
export class Subscriptions {
  readonly #connection: Connection;
  readonly #changes = new Map<McpChange, Listeners>();
  /** What calls the handlers of each list: each handler lists again, as often as the server announces changes. */
  readonly #throttles = new Map<McpChange, Throttle>();
  readonly #resources = new Map<string, Listeners>();
  /** Requests of subscriptions in the era with a handshake, by URI: pending, or agreed by the server. */
  readonly #subscribed = new Map<string, Promise<ErrorResult | undefined>>();
  #stream: NotificationStream | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.router.on("notification", ({ method, params }) => this.#notify(method, params));
    connection.router.on("sessionRenewed", () => void this.#resubscribe());
  }

  /** Calls `handler` when a list changes, until the returned function is called. A failed subscription is only logged. */
  onChange(list: McpChange, handler: Handler): Handler {
    const remove = addHandler(this.#changes, list, handler);
    void this.#updateStream();
    return () => {
      remove();
      void this.#updateStream();
    };
  }

  /** Calls `handler` when a resource changes, until the returned function is called. Returns an error if the server does not agree. */
  async subscribe(uri: string, handler: Handler, limit: ActivityMonitor): Promise<Handler | ErrorResult> {
    const era = await this.#connection.era();
    if ("kind" in era) return era;
    const remove = addHandler(this.#resources, uri, handler);
    const error = era.isModern ? await this.#streamResource(uri) : await this.#subscribeOnce(uri, limit);
    if (error !== undefined) {
      remove();
      return error;
    }
    return () => {
      remove();
      if (era.isModern) void this.#updateStream();
      else if (!this.#resources.has(uri) && this.#subscribed.delete(uri)) {
        void this.#requestInBackground("unsubscribe", uri);
      }
    };
  }

  /** Subscribes in the era with a handshake. Callers at once share a request; if it fails, the next one sends its own. */
  async #subscribeOnce(uri: string, limit: ActivityMonitor): Promise<ErrorResult | undefined> {
    for (let other = this.#subscribed.get(uri); other !== undefined; other = this.#subscribed.get(uri)) {
      if (await other === undefined) return undefined;
    }
    const request = this.#request("subscribe", uri, limit);
    this.#subscribed.set(uri, request);
    const error = await request;
    if (error !== undefined && this.#subscribed.get(uri) === request) this.#subscribed.delete(uri);
    return error;
  }

  /** Removes all handlers and closes the stream. */
  close(): void {
    this.#stream?.closing.abort();
    this.#stream = undefined;
    for (const throttle of this.#throttles.values()) throttle.stop();
    this.#changes.clear();
    this.#resources.clear();
    this.#subscribed.clear();
  }

  #notify(method: string, { uri }: Members): void {
    const [, list] = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
    if (list !== undefined) this.#announce(list as McpChange);
    if (method === "notifications/resources/updated") this.#resources.get(uri as string)?.notify();
  }

  #announce(list: McpChange): void {
    if (!this.#changes.has(list)) return;
    const throttle = this.#throttles.get(list) ?? new Throttle(() => this.#changes.get(list)?.notify(), MAX_CHANGES);
    this.#throttles.set(list, throttle);
    throttle.request();
  }

  async #request(
    verb: "subscribe" | "unsubscribe",
    uri: string,
    limit: ActivityMonitor,
  ): Promise<ErrorResult | undefined> {
    const reply = await this.#connection.request({ method: `resources/${verb}`, params: { uri }, limit });
    return "result" in reply ? undefined : decodeFailedReply(reply);
  }

  #requestInBackground(verb: "subscribe" | "unsubscribe", uri: string): Promise<ErrorResult | undefined> {
    return withTimeLimit(BACKGROUND_TIMEOUT_MS, (limit) => this.#request(verb, uri, limit));
  }

  /** The server has lost the subscriptions with the session. */
  async #resubscribe(): Promise<void> {
    for (const uri of this.#resources.keys()) await this.#requestInBackground("subscribe", uri);
  }

  async #streamResource(uri: string): Promise<ErrorResult | undefined> {
    let stream = await this.#updateStream();
    let acknowledged = await stream?.acknowledged;
    // Another call has replaced the stream meanwhile, by one that has this resource as well.
    while (this.#stream !== undefined && this.#stream !== stream) {
      stream = this.#stream;
      acknowledged = await stream.acknowledged;
    }
    const { resourceSubscriptions: uris } = acknowledged ?? {};
    if (Array.isArray(uris) && uris.includes(uri)) return undefined;
    return errorResult("method_not_found", "The server does not send notifications of changes of this resource");
  }

  /** Opens a stream for the current handlers. The previous stream is closed after that, so that no notification is lost. */
  async #updateStream(): Promise<NotificationStream | undefined> {
    const era = await this.#connection.era();
    const wanted = this.#wantedNotifications();
    if ("kind" in era) {
      // Without handlers, as after close(), nothing is lost.
      if (Object.keys(wanted).length > 0) {
        this.#connection.logger.warn(`Cannot subscribe to changes: ${era.message}`);
      }
      return undefined;
    }
    if (!era.isModern) return undefined;
    const previous = this.#stream;
    this.#stream = Object.keys(wanted).length === 0 ? undefined : this.#open(wanted);
    await this.#stream?.acknowledged;
    previous?.closing.abort();
    return this.#stream;
  }

  #wantedNotifications(): Members {
    const lists = [...this.#changes.keys()].map((list) => [`${list}ListChanged`, true] as const);
    const uris = [...this.#resources.keys()];
    return { ...Object.fromEntries(lists), ...(uris.length > 0 && { resourceSubscriptions: uris }) };
  }

  #open(notifications: Members): NotificationStream {
    const closing = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Members | undefined>();
    const ended = this.#keepOpen(notifications, monitorFromSignal(closing.signal), resolve);
    void ended.finally(() => resolve(undefined));
    return { closing, acknowledged: promise };
  }

  /** Opens the stream again whenever it ends, with increasing delays if that fails. */
  async #keepOpen(
    notifications: Members,
    limit: ActivityMonitor,
    acknowledge: (notifications: Members) => void,
  ): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    const pending: PendingRequest = {
      onAcknowledged: (agreed) => {
        delayMs = FIRST_DELAY_MS;
        acknowledge(agreed);
      },
    };
    const request = { method: "subscriptions/listen", params: { notifications }, limit, pending, isEndless: true };
    do {
      const reply = await this.#connection.request(request);
      if (limit.signal.aborted) return;
      const error = "result" in reply ? undefined : decodeFailedReply(reply);
      if (error !== undefined && error.code !== "unavailable") {
        return this.#connection.logger.warn(`The server does not send notifications of changes: ${error.message}`);
      }
      delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs);
    } while (await suspendFor(delayMs, limit));
  }
}

/** Adds a handler. Returns a function that removes it. */
function addHandler<Key>(handlers: Map<Key, Listeners>, key: Key, handler: Handler): Handler {
  const listeners = handlers.get(key) ?? new Listeners(() => handlers.delete(key));
  handlers.set(key, listeners);
  return listeners.add(handler);
}
