/**
 * HTTP client for authorization servers. Their URLs are untrusted: only https, limited response size and time, no redirects.
 */
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  customFetch,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { FetchFunction } from "./bearer_fetch.ts";
import { fetchWhole } from "../../http_client/fetch_whole.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { asObject, isJsonObject } from "../../internal/json.ts";
import { isConfidential, isLoopback } from "../../internal/http.ts";

/** Maximum size of a response in bytes. */
const MAX_BYTES = 262_144;

/** Time limit of a request in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Options of the functions of `oauth4webapi`. */
interface AuthServerRequestOptions {
  readonly [customFetch]: (url: string, init: RequestInit) => Promise<Response>;
  /** Addresses are checked by {@link AuthServerClient.parse} instead. */
  readonly [allowInsecureRequests]: true;
}

/** Sends requests to authorization servers. Responses have 262,144 bytes and 30 seconds. URLs must be https, or on this machine if `server` is. */
export class AuthServerClient {
  readonly #send: FetchFunction;
  readonly #allowsLoopback: boolean;

  /** @param server URL of the resource server. Only a server on this machine may name authorization servers on this machine. */
  constructor(send: FetchFunction, server: URL) {
    this.#send = send;
    this.#allowsLoopback = isLoopback(server);
  }

  /** Options for the functions of `oauth4webapi`. */
  get options(): AuthServerRequestOptions {
    return { [customFetch]: (url, init) => this.fetch(url, init), [allowInsecureRequests]: true };
  }

  /** Parses and checks an untrusted URL. @throws {ToolError} If it is invalid, or neither https nor, where allowed, on this machine. */
  parse(address: unknown): URL {
    const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined) {
      throw new ToolError("unauthenticated", "An address of the authorization server is not a URL");
    }
    if (isConfidential(url) && (this.#allowsLoopback || !isLoopback(url))) return url;
    const hint = isLoopback(url) ? ", and not an address on this machine" : "";
    const message = `Cannot request tokens from ${url.protocol}//${url.host}: the URL must be https${hint}`;
    throw new ToolError("unauthenticated", message);
  }

  /** Sends a request and reads the whole response. @throws {ToolError} If the URL is refused, there is no response, or its status is 429 or 5xx. */
  async fetch(address: string, init: RequestInit): Promise<Response> {
    const url = this.parse(address);
    const response = await fetchWhole(url, init, { send: this.#send, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
    const { status } = response;
    if (status >= 500 || status === 429) throw new ToolError("unavailable", `${url.origin} answered ${status}`);
    return response;
  }

  /** Fetches a JSON object; `undefined` if the response is anything else, such as an HTML page. */
  async readObject(address: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const response = await this.fetch(address, { method: "GET", headers: { accept: "application/json" } });
    return response.status === 200 ? await readJsonObject(response) : undefined;
  }
}

/** Parses the body of a response as a JSON object; `undefined` if it is not one. */
export async function readJsonObject(response: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const value: unknown = await response.json();
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Error codes of temporary failures. */
const TRANSIENT: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"]);

/**
 * Converts an exception of `oauth4webapi` to `unavailable` for a temporary OAuth error code, otherwise to `unauthenticated`. A `ToolError` is
 * returned unchanged. Only the error code of an untrusted response is quoted; the rest is in the `cause`.
 */
export function toAuthError(thrown: unknown, issuer: string): ToolError {
  if (thrown instanceof ToolError) return thrown;
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError) {
    return authServerError(issuer, thrown.error, thrown);
  }
  if (thrown instanceof WWWAuthenticateChallengeError) {
    // Another status than 401 comes from a firewall.
    return authServerError(issuer, thrown.status === 401 ? "invalid_client" : "server_error", thrown);
  }
  const message = `The response of ${issuer} is not valid OAuth`;
  // Without the cause of the library's error, which contains the response with its tokens: errors are logged.
  const cause = thrown instanceof Error ? new Error(thrown.message) : thrown;
  return new ToolError("unauthenticated", message, { cause });
}

/** Creates the error for an OAuth error code: `unavailable` if it is a temporary one, such as `slow_down`, else `unauthenticated`. */
export function authServerError(issuer: string, error: unknown, cause?: unknown): ToolError {
  const code = typeof error === "string" && /^[\w.-]{1,64}$/.test(error) ? error : "an error";
  return new ToolError(
    TRANSIENT.has(code) ? "unavailable" : "unauthenticated",
    `The authorization server ${issuer} rejected the request: ${code}`,
    { details: { error: code }, cause },
  );
}

/** Whether an exception is a `ToolError` with one of these OAuth error codes in `details.error`. */
export function hasAuthErrorCode(thrown: unknown, ...codes: readonly string[]): thrown is ToolError {
  return thrown instanceof ToolError && codes.includes(String(asObject(thrown.details)["error"]));
}
