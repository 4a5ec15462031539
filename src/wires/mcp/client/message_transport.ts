import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { Members } from "../../../internal/json.ts";
import { delay } from "../../../internal/time.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { NotificationMessage, OneWayMessage, RequestMessage, RpcError, RpcRequest } from "../protocol/messages.ts";

/** Timeout of an MCP client's requests and notifications that no caller waits for, in milliseconds. */
export const BACKGROUND_TIMEOUT_MS = 10_000;

/** Why a request has no result: an error of the server, or of the transport. */
export type FailedReply =
  | {
    readonly error: RpcError;
    /** Status of the HTTP response, if it is an error. */
    readonly status?: number | undefined;
    /** Headers of the HTTP response, if its status is an error. */
    readonly headers?: Headers;
  }
  | {
    /** The reason why there is no response of JSON-RPC. */
    readonly transportError: ErrorResult;
    /** Status of an HTTP response without a message. */
    readonly status?: number | undefined;
  };

/** Outcome of a request: a result, an error of the server, or an error of the transport. */
export type RpcReply = { readonly result: Members } | FailedReply;

/** A reply, with the session id of the HTTP response if there is one. */
export type TransportReply = RpcReply & { readonly session?: string | undefined };

/** Options of one request over any transport of MCP. */
export interface SendOptions {
  /** Aborts the request. */
  readonly limit: ActivityMonitor;
  /** HTTP headers. Other transports ignore them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether an interrupted response stream can be resumed. */
  readonly isResumable?: boolean;
  /** Whether the response is a stream without an end. */
  readonly isEndless?: boolean;
}

/** Receives requests and notifications of the server, with the id of the request whose response stream contained them, if known. */
export type ReceiveMessage = (incoming: RequestMessage | NotificationMessage, during: RequestId | undefined) => void;

/** Sends messages to a server over HTTP or the pipes of a process. Failures are return values; only the user's functions can throw. */
export interface MessageTransport {
  /** Whether messages have HTTP headers; a message of the server then arrives in the response to the request that it belongs to. */
  readonly hasHeaders: boolean;
  /** A number that changes when the connection was closed: a server behind a new one does not have the session. */
  readonly epoch: number;
  /** Receives requests and notifications of the server. Set by the connection. */
  receive: ReceiveMessage;
  /** Called with the id of a reply that no request waits for. Set by the connection; called where all requests share one stream. */
  onLateReply?: (id: RequestId) => void;
  /** Sends a request and waits for the reply. */
  request(message: RpcRequest, options: SendOptions): Promise<TransportReply>;
  /** Sends a notification or a response. */
  post(message: OneWayMessage, options: SendOptions): Promise<ErrorResult | undefined>;
  /** Opens a stream for messages that belong to no request and keeps it open. Resolves when it is open or the server rejects it. */
  listen?(options: SendOptions): Promise<void>;
  /** Asks the server to end the session. */
  endSession?(headers: Readonly<Record<string, string>>): void;
  close(): void;
}

/** Waits for `delayMs`; the wait is not counted as inactivity. Returns `false` if the signal of the limit aborts meanwhile. */
export async function suspendFor(delayMs: number, limit: ActivityMonitor): Promise<boolean> {
  limit.suspend();
  const isOver = await delay(delayMs, limit.signal);
  if (isOver) limit.markActive();
  return isOver;
}
