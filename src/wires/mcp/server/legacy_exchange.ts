/**
 * Contract between the methods of the revisions with a handshake and their transports, and the preferences of their callers.
 *
 * Transports keep what has to last from one request to the next, possibly in a store that is read with every request. The sizes
 * are therefore limited.
 *
 * @module
 */
import type { MaybePromise } from "../../../internal/async.ts";
import type { Members } from "../../../internal/json.ts";
import type { LegacyVersion } from "../protocol/constants.ts";
import type { InputRequest } from "../protocol/forms.ts";
import type { ResponseMessage } from "../protocol/messages.ts";
import type { McpExchange } from "./exchange.ts";

/** State of a caller from one request to the next. */
export interface LegacyCaller {
  /** The negotiated protocol version. */
  readonly version: LegacyVersion;
  /** Capabilities of the client; `undefined` if they are unknown. */
  readonly capabilities: unknown;
  /** Name and version of the client. */
  readonly info: unknown;
  /** Minimum level of log messages; `undefined` if the client has not set it. */
  readonly logLevel: string | undefined;
}

/** One request of a revision with a handshake. */
export interface LegacyExchange extends McpExchange {
  readonly caller: LegacyCaller;
  /**
   * Sends a request to the client; `undefined` if the client cannot receive one. Never rejects. Resolves with `undefined` if there
   * is no response in time.
   */
  readonly sendRequest: ((request: InputRequest) => Promise<ResponseMessage | undefined>) | undefined;
  /** Reports the status of a task to the client; `undefined` if it cannot be reached between its requests. */
  readonly reportTask?: ((watch: WatchTask) => void) | undefined;
  /** Stores a preference, if the transport stores any. */
  savePreference(change: PreferenceChange): MaybePromise<void>;
}

/** Watches a task and reports its status, until `ended` aborts. The watch can outlast the request. Never rejects. */
export type WatchTask = (report: (task: Members) => void, ended: AbortSignal) => Promise<void>;

/** A change of a caller's preferences. */
export type PreferenceChange =
  | { readonly logLevel: string }
  | { readonly subscribe: string }
  | { readonly unsubscribe: string };

/** Preferences of a caller. */
export interface Preferences {
  /** Minimum level of log messages. */
  readonly logLevel: string | null | undefined;
  /** URIs of resources whose changes the caller is notified of. */
  readonly subscriptions: readonly string[];
}

/** Maximum length of the URI of a subscription, in UTF-16 code units. */
export const MAX_URI_LENGTH = 2_048;

/** Maximum number of subscriptions of one caller. When it is exceeded, the oldest are dropped. */
const MAX_SUBSCRIPTIONS = 1_000;

/** Maximum length of all their URIs, in UTF-16 code units. */
const MAX_LENGTH = 131_072;

/** Applies a change. Returns the same object if nothing changes. */
export function withPreference<Kept extends Preferences>(preferences: Kept, change: PreferenceChange): Kept {
  const { subscriptions } = preferences;
  if ("logLevel" in change) return { ...preferences, logLevel: change.logLevel };
  if ("unsubscribe" in change) {
    return { ...preferences, subscriptions: subscriptions.filter((uri) => uri !== change.unsubscribe) };
  }
  if (subscriptions.includes(change.subscribe)) return preferences;
  const all = [...subscriptions, change.subscribe];
  let length = all.reduce((sum, uri) => sum + uri.length, 0);
  let first = 0;
  for (; all.length - first > MAX_SUBSCRIPTIONS || length > MAX_LENGTH; first++) length -= all[first]?.length ?? 0;
  return { ...preferences, subscriptions: all.slice(first) };
}
