/**
 * Listens for what changes in a server: by one `subscriptions/listen` where there is that, else by what it says on its own.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { Members } from "../../../internal/json.ts";
import { BACKGROUND_TIMEOUT_MS, suspendFor } from "./message_transport.ts";
import { limitFromSignal, withTimeLimit } from "../../../core/call/time_limit.ts";
import type { Connection } from "./connection.ts";
import { toErrorResult } from "./decode_reply.ts";
import type { PendingRequest } from "./incoming_router.ts";
import type { McpChange } from "./types.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

type Handler = () => void;

/** One stream of notifications. */
interface Listening {
  readonly ending: AbortController;
  /** What the server said that it will tell; `undefined` if it did not come to that. */
  readonly acknowledged: Promise<Members | undefined>;
}

/** Who wants to know of changes. */
export class Subscriptions {
  readonly #connection: Connection;
  readonly #changes = new Map<McpChange, Set<Handler>>();
  readonly #resources = new Map<string, Set<Handler>>();
  #listening: Listening | undefined = undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.router.on("notification", ({ method, params }) => this.#take(method, params));
    connection.router.on("sessionRenewed", () => void this.#renew());
  }

  /** Has `handler` called when a list changes, until what this returns is called. */
  onChange(what: McpChange, handler: Handler): Handler {
    const leave = add(this.#changes, what, handler);
    void this.#listen();
    return () => {
      leave();
      void this.#listen();
    };
  }

  /** Has `handler` called when a resource changes. */
  async subscribe(uri: string, handler: Handler, limit: ActivityMonitor): Promise<Handler | ErrorResult> {
    const era = await this.#connection.era();
    if ("kind" in era) return era;
    const isFirst = !this.#resources.has(uri);
    const leave = add(this.#resources, uri, handler);
    const refusal = era.isModern
      ? await this.#listenTo(uri)
      : isFirst
      ? await this.#ask("subscribe", uri, limit)
      : undefined;
    if (refusal !== undefined) {
      leave();
      return refusal;
    }
    return () => {
      leave();
      if (era.isModern) void this.#listen();
      else if (!this.#resources.has(uri)) void this.#askAside("unsubscribe", uri);
    };
  }

  /** Ends it. */
  close(): void {
    this.#listening?.ending.abort();
    this.#listening = undefined;
    this.#changes.clear();
    this.#resources.clear();
  }

  #take(method: string, { uri }: Members): void {
    const [, what] = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
    const handlers = what === undefined ? undefined : this.#changes.get(what as McpChange);
    const isResource = method === "notifications/resources/updated" && typeof uri === "string";
    for (const handler of handlers ?? (isResource ? this.#resources.get(uri) : undefined) ?? []) handler();
  }

  async #ask(verb: "subscribe" | "unsubscribe", uri: string, limit: ActivityMonitor): Promise<ErrorResult | undefined> {
    const reply = await this.#connection.request({ method: `resources/${verb}`, params: { uri }, limit });
    return "result" in reply ? undefined : toErrorResult(reply);
  }

  #askAside(verb: "subscribe" | "unsubscribe", uri: string): Promise<ErrorResult | undefined> {
    return withTimeLimit(BACKGROUND_TIMEOUT_MS, (limit) => this.#ask(verb, uri, limit));
  }

  /** A server that has forgotten us is asked again. */
  async #renew(): Promise<void> {
    for (const uri of this.#resources.keys()) await this.#askAside("subscribe", uri);
  }

  async #listenTo(uri: string): Promise<ErrorResult | undefined> {
    const acknowledged = await (await this.#listen())?.acknowledged;
    const { resourceSubscriptions: uris } = acknowledged ?? {};
    if (Array.isArray(uris) && uris.includes(uri)) return undefined;
    return errorResult("method_not_found", "The server does not tell when this resource changes");
  }

  /** Listens for what is wanted now. The stream before it goes on until this one is there. */
  async #listen(): Promise<Listening | undefined> {
    const era = await this.#connection.era();
    const wanted = this.#wanted();
    if ("kind" in era) {
      // Whoever has left, or closed all of it, misses nothing.
      if (Object.keys(wanted).length > 0) this.#connection.warn(`Cannot listen for changes: ${era.message}`);
      return undefined;
    }
    if (!era.isModern) return undefined;
    const before = this.#listening;
    this.#listening = Object.keys(wanted).length === 0 ? undefined : this.#open(wanted);
    await this.#listening?.acknowledged;
    before?.ending.abort();
    return this.#listening;
  }

  #wanted(): Members {
    const lists = [...this.#changes.keys()].map((what) => [`${what}ListChanged`, true] as const);
    const uris = [...this.#resources.keys()];
    return { ...Object.fromEntries(lists), ...(uris.length > 0 && { resourceSubscriptions: uris }) };
  }

  #open(notifications: Members): Listening {
    const ending = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Members | undefined>();
    void this.#keepListening(notifications, limitFromSignal(ending.signal), resolve).finally(() =>
      resolve(undefined)
    );
    return { ending, acknowledged: promise };
  }

  /** Asks for the stream whenever it has ended, more and more seldom where it is not given. */
  async #keepListening(
    notifications: Members,
    limit: ActivityMonitor,
    acknowledged: (notifications: Members) => void,
  ): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    const pending: PendingRequest = {
      onAcknowledged: (honoured: Members) => {
        pauseMs = FIRST_PAUSE_MS;
        acknowledged(honoured);
      },
    };
    const asking = { method: "subscriptions/listen", params: { notifications }, limit, pending, isEndless: true };
    do {
      const reply = await this.#connection.request(asking);
      if (limit.signal.aborted) return;
      const refusal = "result" in reply ? undefined : toErrorResult(reply);
      if (refusal !== undefined && refusal.code !== "unavailable") {
        return this.#connection.warn(`The server tells of no changes: ${refusal.message}`);
      }
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    } while (await suspendFor(pauseMs, limit));
  }
}

/** Adds to a set in a map; gives what takes it out again. */
function add<Key>(sets: Map<Key, Set<Handler>>, key: Key, handler: Handler): Handler {
  const set = sets.get(key) ?? new Set();
  // One of its own, so that whoever asks twice is told twice.
  const own = () => handler();
  sets.set(key, set.add(own));
  return () => {
    set.delete(own);
    if (set.size === 0) sets.delete(key);
  };
}
