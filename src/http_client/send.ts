/**
 * The HTTP client of all transports: sends a request by `fetch` and reads a bounded response. Failures are error results.
 *
 * Redirects are not followed, so that credentials are sent to one origin only.
 */
import { type ErrorResult, errorResultWithCause } from "../core/call/outcome.ts";
import type { ActivityMonitor, OutgoingCall } from "../core/call/transport.ts";
import type { MaybePromise } from "../internal/async.ts";
import { brokenConnection, connectionError } from "./connection_errors.ts";
import { cancelBody, isRedirect, readChunks, type TextChunks } from "./read.ts";

/** Values that `new Headers()` accepts. A header whose value is `undefined` (or `null`) is not sent: `{ authorization: token && `Bearer ${token}` }`. */
export type HeaderValues =
  | readonly (readonly [name: string, value: string | undefined])[]
  | Readonly<Record<string, string | undefined>>
  | Headers;

/** Returns the headers of a request to a server, such as the credentials of the principal that it is sent for. `undefined`: without headers. */
export type HeadersFunction = (call: OutgoingCall) => MaybePromise<HeaderValues | undefined>;

/** HTTP options of a transport. */
export interface HttpClientOptions {
  /**
   * Headers of every request, such as `authorization`; or a function that returns them, called for each request with the tool, the signal and,
   * behind a `gateway`, the principal that calls.
   */
  readonly headers?: HeaderValues | HeadersFunction | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Maximum size of a response in bytes; of an endless stream, maximum size of one event. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
}

/** Default of {@link HttpClientOptions.maxResponseBytes}. */
export const DEFAULT_MAX_RESPONSE_BYTES = 67_108_864;

/** A request, before the headers and limits of the client's options are added. */
export interface HttpRequest {
  /** `GET`, `POST`, … */
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Headers of this request. They replace headers of the same name in {@link HttpClientOptions.headers}. */
  readonly headers: Readonly<Record<string, string>> | Headers;
  /** Body. Default: none. */
  readonly body?: RequestInit["body"] | undefined;
  /** Whether a redirect is returned as it is. Default: it is an error. */
  readonly returnsRedirect?: boolean;
  /** Message of the error if there is no response. Default: `Cannot reach the server`. */
  readonly unreachableMessage?: string;
}

/**
 * Sends a request and returns the result of `read` for its response. Exceptions of `fetch` and `read` are error results.
 *
 * Rejects only if the common headers are invalid, or the caller's function for them throws.
 *
 * @param read Gets the body as text, in chunks that end the connection if they are not read to their end.
 */
export async function exchange<Result>(
  { method, url, headers, body = null, returnsRedirect = false, unreachableMessage }: HttpRequest,
  { headers: common, fetch: send = fetch, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES }: HttpClientOptions,
  monitor: ActivityMonitor,
  read: (response: Response, chunks: TextChunks) => MaybePromise<Result>,
): Promise<Result | ErrorResult> {
  const shared = typeof common === "function" ? await headersFor(common, monitor) : common;
  // The last entry of a name is used.
  const allHeaders = shared ? Object.fromEntries([...toHeaders(shared), ...new Headers(headers)]) : headers;
  const label = `${method} ${url}`;
  let hasBegun = false;
  try {
    const init: RequestInit = { method, headers: allHeaders, body, signal: monitor.signal, redirect: "manual" };
    const response = await send(url, init);
    monitor.markActive();
    hasBegun = true;
    if (returnsRedirect || !isRedirect(response)) {
      return await read(response, readChunks(response, monitor, maxResponseBytes));
    }
    cancelBody(response);
    return redirectError(label, response.headers.get("location"));
  } catch (thrown) {
    return hasBegun ? brokenConnection(thrown, label) : connectionError(thrown, label, unreachableMessage);
  }
}

/** Calls the caller's function for headers. It receives no more than it may use. */
export function headersFor(headers: HeadersFunction, call: OutgoingCall): MaybePromise<HeaderValues | undefined> {
  const { tool, principal, signal } = call;
  return headers({ tool, principal, signal });
}

/** Converts to the headers that are sent. `new Headers()` alone would send the texts "undefined" and "null". @throws {TypeError} If one is invalid. */
export function toHeaders(values: HeaderValues = []): Headers {
  if (values instanceof Headers) return new Headers(values);
  // The Headers of another library are not instances of this class, but have entries.
  const entries = Symbol.iterator in values ? [...values] : Object.entries(values);
  return new Headers(entries.filter((entry): entry is [string, string] => (entry[1] ?? undefined) !== undefined));
}

/** Sends a request and returns the response, its body unread. Otherwise like {@link exchange}. */
export function sendRequest(
  request: HttpRequest,
  options: HttpClientOptions,
  monitor: ActivityMonitor,
): Promise<Response | ErrorResult> {
  return exchange(request, options, monitor, (response) => response);
}

/** Makes the error result `invalid_request` for a response that redirects. Only its cause names the URLs. */
export function redirectError(request: string, location: string | null | undefined): ErrorResult {
  const particulars = `${request} redirects to ${location}`;
  return errorResultWithCause("invalid_request", "Redirects are not followed: use the final URL", particulars);
}
