/**
 * The contract of session stores. A store keeps the state of clients between their requests, and messages that they have not read
 * yet, for the revisions with a handshake.
 */
import { callerKey } from "../../../../internal/caller_key.ts";
import type { Principal } from "../../../../core/call/call.ts";
import type { Json } from "../../../../internal/json.ts";
import { guardEnd, type MaybePromise } from "../../../../internal/async.ts";
import { isLegacyVersion, type LegacyVersion } from "../../protocol/constants.ts";

/** What a {@link SessionStore} keeps of one client between its requests, without the messages of its streams: plain JSON. */
export interface McpSession {
  /** Id of the session. Secret: only its client knows it. */
  readonly id: string;
  /** The negotiated protocol version. */
  readonly version: LegacyVersion;
  /** Capabilities of the client; `null` before `initialize`. */
  readonly capabilities: Json;
  /** Name and version of the client. */
  readonly info: Json;
  /** Key of the authenticated caller: the id, with the tenant if there is one; `""` if the caller is anonymous. */
  readonly principal: string;
  /** Minimum level of log messages; `null` if the client has not set it. */
  readonly logLevel: string | null;
  /** URIs of resources whose changes the client is notified of. */
  readonly subscriptions: readonly string[];
}

/** A message from the server in a stream of a session, kept until the client has read it or the store drops it. */
export interface StoredMessage {
  /** Number of the message; it increases within a session. */
  readonly number: number;
  /** The message, as JSON text. */
  readonly json: string;
  /** Whether it is the last message of the stream. */
  readonly isLast: boolean;
}

/** An event from the client, for the process that runs a request of the session. */
export type ClientEvent =
  /** The client has responded to a request of the server. */
  | {
    readonly kind: "response";
    readonly id: string;
    readonly result?: Json | undefined;
    readonly error?: Json | undefined;
  }
  /** The client has cancelled a request. */
  | { readonly kind: "cancelled"; readonly requestId: string | number };

/** An event that a {@link SessionStore} passes to the subscribers of a session, in all processes. */
export type SessionEvent =
  | ClientEvent
  /** A stream has a new message. */
  | { readonly kind: "message"; readonly stream: string }
  /** The session has ended. */
  | { readonly kind: "ended" };

/** Storage of MCP sessions, of their streams and events. With a store that processes share, each of them can serve any session. */
export interface SessionStore {
  /**
   * Stores a new session, or a change of one.
   *
   * @param before For a change: the session that `get` returned. Two processes may change a session at the same time.
   * @returns `false` if the stored session is not `before`. Then nothing is stored, and the caller tries again.
   */
  put(session: McpSession, before?: McpSession): MaybePromise<boolean>;
  /** Returns a session and restarts its time to live; `undefined` if it does not exist. */
  get(id: string): MaybePromise<McpSession | undefined>;
  /** Deletes a session with its streams, and notifies its subscribers that it has ended. */
  delete(id: string): MaybePromise<void>;
  /** Adds a message to a stream and notifies the session's subscribers. At least the last 1,024 messages of a stream are kept. */
  append(id: string, stream: string, json: string, isLast: boolean): MaybePromise<void>;
  /** Returns the kept messages of a stream with a higher number than `after`, in order; 0 for all. */
  read(id: string, stream: string, after: number): MaybePromise<readonly StoredMessage[]>;
  /**
   * Deletes the messages of a stream up to a number, which will not be read again. Optional: they are deleted with their session.
   */
  drop?(id: string, stream: string, upTo: number): MaybePromise<void>;
  /**
   * Notifies all subscribers of a session of an event from its client. The event is not published again: a subscriber whose
   * connection was broken has to receive it later.
   */
  publish(id: string, event: ClientEvent): MaybePromise<void>;
  /**
   * Subscribes to the events of a session, in any process, since the last `get` of the session in this process. An event may be
   * delivered more than once.
   *
   * @param listener Never throws.
   * @returns Ends the subscription.
   */
  subscribe(id: string, listener: (event: SessionEvent) => void): () => void;
  /** Closes what the store keeps open, such as connections. Called when the last server that has the store is closed. */
  close?(): MaybePromise<void>;
}

/** A store whose subscriptions end without an exception: `report` gets it. */
export function withQuietEnds(store: SessionStore, report: (thrown: unknown) => void): SessionStore {
  return {
    put: (session, before) => store.put(session, before),
    get: (id) => store.get(id),
    delete: (id) => store.delete(id),
    append: (id, stream, json, isLast) => store.append(id, stream, json, isLast),
    read: (id, stream, after) => store.read(id, stream, after),
    ...(store.drop && { drop: (id, stream, upTo) => store.drop!(id, stream, upTo) }),
    publish: (id, event) => store.publish(id, event),
    subscribe: (id, listener) => guardEnd(store.subscribe(id, listener), report),
  };
}

/** The session of that id; `undefined` if it is absent, belongs to another caller, or this process cannot read its version. */
export async function findSession(
  store: SessionStore,
  id: string,
  principal: Principal | undefined,
): Promise<McpSession | undefined> {
  const session = await store.get(id);
  return session !== undefined && isServable(session) && session.principal === callerKey(principal)
    ? session
    : undefined;
}

/** Whether a stored session is valid. Another version of the server may have written it. */
function isServable({ id, version, principal, logLevel, subscriptions }: McpSession): boolean {
  return typeof id === "string" && isLegacyVersion(version) && typeof principal === "string" &&
    (logLevel === null || typeof logLevel === "string") &&
    Array.isArray(subscriptions) && subscriptions.every((uri) => typeof uri === "string");
}
