/**
 * The contract of session stores, for older MCP revisions: what is kept of a caller between its requests, and what it has not
 * read yet.
 *
 * @module
 */
import type { Principal } from "../../../../core/call/call.ts";
import type { Json } from "../../../../internal/json.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { isLegacyVersion, type LegacyVersion } from "../../protocol/constants.ts";

/** One session: plain JSON. */
export interface McpSession {
  /** Known to its caller alone. */
  readonly id: string;
  /** The revision that was agreed on. */
  readonly version: LegacyVersion;
  /** What the caller says that it can. */
  readonly capabilities: Json;
  /** What the caller calls itself. */
  readonly info: Json;
  /** Id of who calls; `""` for nobody in particular. */
  readonly principal: string;
  /** From which level on the caller wants log lines; `null` if it did not say. */
  readonly logLevel: string | null;
  /** URIs of resources whose changes the caller wants to know of. */
  readonly subscriptions: readonly string[];
}

/** A message of a stream. */
export interface StoredMessage {
  /** Grows from message to message of a session. */
  readonly number: number;
  /** The message, as text. */
  readonly json: string;
  /** Whether it is the stream's last. */
  readonly isLast: boolean;
}

/** What a client has said to whoever runs a request of its session, in whichever process. */
export type ClientEvent =
  /** It has answered what it was asked. */
  | { readonly kind: "response"; readonly id: string; readonly result?: Json; readonly error?: Json }
  /** It has cancelled a request. */
  | { readonly kind: "cancelled"; readonly requestId: string | number };

/** What those are told who listen to a session. */
export type SessionEvent =
  | ClientEvent
  /** A stream has a new message. */
  | { readonly kind: "message"; readonly stream: string }
  /** The session is over. */
  | { readonly kind: "ended" };

/** Whether a store gave a session that this process can serve: others, of other versions of the server, may have written it. */
function isServable({ id, version, principal, logLevel, subscriptions }: McpSession): boolean {
  return typeof id === "string" && isLegacyVersion(version) && typeof principal === "string" &&
    (logLevel === null || typeof logLevel === "string") &&
    Array.isArray(subscriptions) && subscriptions.every((uri) => typeof uri === "string");
}

/** The session of that id, if this process can serve it and it is this caller's. */
export async function findSession(
  store: SessionStore,
  id: string,
  principal: Principal | undefined,
): Promise<McpSession | undefined> {
  const session = await store.get(id);
  return session !== undefined && isServable(session) && session.principal === principalId(principal)
    ? session
    : undefined;
}

/** What a session keeps of who calls. */
export function principalId(principal: Principal | undefined): string {
  return principal?.id ?? "";
}

/** Where sessions are kept. With one that processes share, any of them can serve any session. */
export interface SessionStore {
  /**
   * Keeps a session, or what has changed of it.
   *
   * @param before What `get` gave, for a change: two processes may make one at once.
   * @returns `false` if the session is not what it was before: then nothing is kept, and the change is made anew.
   */
  put(session: McpSession, before?: McpSession): MaybePromise<boolean>;
  /** The session of that id, whose time then begins anew; `undefined` if there is none (any more). */
  get(id: string): MaybePromise<McpSession | undefined>;
  /** Forgets a session and its streams, and tells those who listen to it that it is over. */
  delete(id: string): MaybePromise<void>;
  /** Adds a message to a stream of a session, and tells those who listen to it. At least the last 1,024 of each stream are kept. */
  append(id: string, stream: string, json: string, isLast: boolean): MaybePromise<void>;
  /** The messages of a stream after a number, in order. */
  read(id: string, stream: string, after: number): MaybePromise<readonly StoredMessage[]>;
  /**
   * Told that nobody reads the messages of a stream up to a number again, though at least as many would be kept. A store need not
   * have this: they go with their session.
   */
  drop?(id: string, stream: string, upTo: number): MaybePromise<void>;
  /**
   * Tells everyone who listens to a session what its client has said. Nobody says it again: a listener whose connection was broken
   * meanwhile is told later.
   */
  publish(id: string, note: ClientEvent): MaybePromise<void>;
  /**
   * Listens to a session from the last `get` of it on, whichever process it is told in. To be told twice does no harm.
   *
   * @param listener Never throws.
   * @returns Ends the listening.
   */
  subscribe(id: string, listener: (note: SessionEvent) => void): () => void;
}
