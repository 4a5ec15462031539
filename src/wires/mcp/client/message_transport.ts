import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { Members } from "../../../internal/json.ts";
import type { OneWayMessage, RpcError, RpcRequest, ServerMessage } from "../protocol/messages.ts";
import { delay } from "../../../internal/time.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";

/** The reply to a request; or, if the request could not be sent, the reason. */
export type RpcReply =
  | { readonly result: Members }
  | {
    readonly error: RpcError;
    /** Status of the HTTP response, if it is an error. */
    readonly status?: number | undefined;
    /** Headers of the HTTP response, if its status is an error. */
    readonly headers?: Headers;
  }
  | {
    readonly refusal: ErrorResult;
    /** Status of an HTTP response without a message. */
    readonly status?: number | undefined;
  };

/** How one message travels. */
export interface SendOptions {
  /** Ends it. */
  readonly limit: ActivityMonitor;
  /** Where headers travel: what they say. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether an answer that breaks off can be asked for again. */
  readonly isResumable?: boolean;
  /** Whether the answer goes on for as long as somebody wants it. */
  readonly isEndless?: boolean;
}

/** What a server says on its own, and, where that is known, while which request was answered. */
export type ReceiveMessage = (
  incoming: Exclude<ServerMessage, { readonly kind: "reply" }>,
  during: RequestId | undefined,
) => void;

/** How messages get to a server and back: HTTP, or the pipes of a process. Total. */
export interface MessageTransport {
  /** Whether headers travel beside messages, and with them the rules of headers. */
  readonly hasHeaders: boolean;
  /** Another number after the server has forgotten what was said: when its process, or its stream, was begun anew. */
  readonly epoch: number;
  /** Where what the server says on its own goes; set by who uses it. */
  receive: ReceiveMessage;
  /** Sends a request and waits for its answer. */
  request(message: RpcRequest, sending: SendOptions): Promise<TransportReply>;
  /** Sends what is not answered. */
  post(message: OneWayMessage, sending: SendOptions): Promise<ErrorResult | undefined>;
  /** Opens a stream for what the server says while nothing is asked of it, and keeps it open. Resolves when it is, or cannot be. */
  listen?(sending: SendOptions): Promise<void>;
  /** Tells the server that the session is over. */
  endSession?(headers: Readonly<Record<string, string>>): void;
  /** Ends everything. */
  close(): void;
}

/** An answer, and, where headers travel, the session that it came with. */
export type TransportReply = RpcReply & { readonly session?: string | undefined };

/** How long something may take that nobody waits for, in milliseconds. */
export const BACKGROUND_TIMEOUT_MS = 10_000;

/** Waits for `delayMs`; the wait is not counted as inactivity. Returns `false` if the signal of the limit aborts meanwhile. */
export async function suspendFor(delayMs: number, limit: ActivityMonitor): Promise<boolean> {
  limit.suspend();
  const isOver = await delay(delayMs, limit.signal);
  if (isOver) limit.markActive();
  return isOver;
}
