/**
 * Client transport of MCP-lite over WebSocket: all calls share one socket, which is opened at the first call, and again after it was
 * lost. Uses the `WebSocket` of the runtime, also in browsers.
 */
import type { Principal } from "../../../../core/call/call.ts";
import type { OutgoingCall, Transport } from "../../../../core/call/transport.ts";
import { separatePrincipals } from "../../../../http_client/per_principal.ts";
import {
  type HeadersFunction,
  type HeaderValues,
  type HttpClientOptions,
  toHeaders,
} from "../../../../http_client/send.ts";
import { parseHttpUrl } from "../../../../internal/http.ts";
import { encodeBase64 } from "../../../../internal/encoding.ts";
import {
  checkOptions,
  FUNCTION,
  HEADERS,
  type OptionRules,
  POSITIVE,
  rule,
  wholeNumber,
} from "../../../../internal/options.ts";
import { systemClock } from "../../../../internal/time.ts";
import { BEARER_SUBPROTOCOL, LITE_SUBPROTOCOL, SOCKET_PATH } from "../../messages/socket_protocol.ts";
import { SocketClient } from "./socket_client.ts";
import { findRefusal } from "./refusal.ts";
import type { ClientSocket } from "./client_socket.ts";

/** Options of {@link webSocketTransport}. */
export interface WebSocketClientOptions {
  /**
   * Bearer token, or a function that returns one for each connection. Behind a `gateway` each principal then has its own connection, and the
   * function receives the principal. In browsers the token is sent as a subprotocol, never in the URL.
   */
  readonly token?: string | ((connection: OutgoingCall) => string | Promise<string>) | undefined;
  /**
   * Headers of the request that opens the socket, or a function that returns them for each connection, as for `token`: a socket has no headers
   * for a single call. Not in browsers.
   */
  readonly headers?: HeaderValues | HeadersFunction | undefined;
  /** Maximum size of a response or event, in UTF-16 code units; of a stream, of what was not read yet. Default: 67,108,864 (64 Mi). */
  readonly maxResponseChars?: number | undefined;
  /** Maximum number of calls that are sent and not answered. Further ones wait. Default: 128. */
  readonly maxInFlight?: number | undefined;
  /** Time without calls after which the socket is closed, in milliseconds. The next call opens another. Default: 60,000. */
  readonly idleMs?: number | undefined;
  /** Replaces the global `fetch`, which asks why a socket was not accepted. */
  readonly fetch?: HttpClientOptions["fetch"] | undefined;
  /** Replaces the global `WebSocket`. */
  readonly open?: OpenSocket | undefined;
}

/** Opens a socket. The result is a `WebSocket` that is connecting, of the runtime or of a library. */
export type OpenSocket = (
  url: string,
  protocols: readonly string[],
  headers: Readonly<Record<string, string>>,
) => ClientSocket;

/** A transport whose socket can be closed. */
export interface WebSocketTransport extends Transport {
  /** Closes the socket. Calls under way end with `unavailable`; a later call opens another socket. */
  close(): void;
}

const RULES: OptionRules<WebSocketClientOptions> = {
  token: rule(
    "a text, or a function that gives it",
    (value) => (typeof value === "string" && value !== "") || FUNCTION.fits(value),
  ),
  headers: HEADERS,
  maxResponseChars: POSITIVE,
  maxInFlight: wholeNumber(1),
  idleMs: rule("a number above 0", (value) => typeof value === "number" && value > 0),
  fetch: FUNCTION,
  open: FUNCTION,
};

/**
 * Creates a transport to a server of MCP-lite over WebSocket, for `createClient(webSocketTransport(url))`.
 *
 * Calls that are under way when the socket is lost end with `unavailable`. The client then repeats those that are safe to repeat, and
 * redeems promises, over another socket.
 *
 * @param url URL with `ws:`, `wss:`, `http:` or `https:`. The default path is `/mcp-lite/v1`.
 * @throws {TypeError} If the URL is invalid, an option is unknown or of the wrong type, or the runtime cannot send `headers`.
 * @throws {RangeError} If a number is not above 0.
 */
export function webSocketTransport(url: string | URL, options: WebSocketClientOptions = {}): WebSocketTransport {
  checkOptions("open a WebSocket", options, RULES);
  const target = socketUrl(url);
  const { open = openNative, maxInFlight = 128, maxResponseChars = 67_108_864, idleMs = 60_000, token, headers } =
    options;
  if (headers !== undefined && options.open === undefined && !SENDS_HEADERS) {
    throw new TypeError("Cannot open a WebSocket: headers cannot be sent from here; pass the token as token");
  }
  const fetcher = options.fetch === undefined ? {} : { fetch: options.fetch };
  const canRenew = typeof token === "function" || typeof headers === "function";
  const create = (principal?: () => Principal): SocketClient =>
    new SocketClient({
      url: target,
      maxChars: maxResponseChars,
      maxInFlight,
      idleMs,
      clock: systemClock,
      canRenew,
      async prepare(signal) {
        const connection = { principal: principal?.(), signal };
        const common = typeof headers === "function" ? await headers(connection) : headers;
        const bearer = typeof token === "function" ? await token(connection) : token;
        const sent = Object.fromEntries(toHeaders(common));
        const protocols = [LITE_SUBPROTOCOL];
        const authorization = bearer === undefined ? sent : { ...sent, authorization: `Bearer ${bearer}` };
        const canSend = SENDS_HEADERS || options.open !== undefined;
        if (bearer !== undefined && !canSend) protocols.push(BEARER_SUBPROTOCOL + encodeToken(bearer));
        return {
          open: () => open(target, protocols, canSend ? authorization : sent),
          explain: (reason, limit) => findRefusal(target, { headers: authorization, ...fetcher }, limit, reason),
        };
      },
    });
  return canRenew ? separatePrincipals(create) : create();
}

/** Whether the `WebSocket` of this runtime takes headers: those of Bun, Deno and Node do. */
const SENDS_HEADERS = /^(Bun|Deno|Node)/.test(globalThis.navigator?.userAgent ?? "");

/** Opens a `WebSocket` of the runtime. @throws {TypeError} If the runtime has none. */
export const openNative: OpenSocket = (url, protocols, headers) => {
  if (typeof WebSocket !== "function") {
    throw new TypeError("this runtime has no WebSocket: pass the option open");
  }
  const hasHeaders = Object.keys(headers).length > 0;
  const Socket = WebSocket as unknown as new (url: string, options: unknown) => ClientSocket;
  return new Socket(url, hasHeaders ? { protocols, headers } : protocols);
};

function socketUrl(input: string | URL): string {
  const text = `${input}`.replace(/^ws(s?):/i, "http$1:");
  const expected = 'a URL that begins with "ws://" or "wss://"';
  const url = parseHttpUrl("open a WebSocket", input, expected, text);
  if (url.pathname === "/") url.pathname = SOCKET_PATH;
  url.hash = "";
  return url.href.replace(/^http/, "ws");
}

function encodeToken(token: string): string {
  return encodeBase64(new TextEncoder().encode(token)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
