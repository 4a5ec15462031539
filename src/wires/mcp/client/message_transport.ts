import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { Members } from "../../../internal/json.ts";
import type { OneWayMessage, RpcError, RpcRequest, ServerMessage } from "../protocol/messages.ts";
import type { ActivityMonitor } from "../../../core/call/transport.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";

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
export interface Sending {
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
export type Receive = (
  incoming: Exclude<ServerMessage, { readonly kind: "reply" }>,
  during: RequestId | undefined,
) => void;

/** How messages get to a server and back: HTTP, or the pipes of a process. Total. */
export interface Carrier {
  /** Whether headers travel beside messages, and with them the rules of headers. */
  readonly hasHeaders: boolean;
  /** Another number after the server has forgotten what was said: when its process, or its stream, was begun anew. */
  readonly epoch: number;
  /** Where what the server says on its own goes; set by who uses it. */
  receive: Receive;
  /** Sends a request and waits for its answer. */
  request(message: RpcRequest, sending: Sending): Promise<Replied>;
  /** Sends what is not answered. */
  post(message: OneWayMessage, sending: Sending): Promise<ErrorResult | undefined>;
  /** Opens a stream for what the server says while nothing is asked of it, and keeps it open. Resolves when it is, or cannot be. */
  listen?(sending: Sending): Promise<void>;
  /** Tells the server that the session is over. */
  leave?(headers: Readonly<Record<string, string>>): void;
  /** Ends everything. */
  close(): void;
}

/** An answer, and, where headers travel, the session that it came with. */
export type Replied = RpcReply & { readonly session?: string | undefined };

/** Does something within so many milliseconds; what is not done then is aborted. No timer stays behind: it would keep a process alive. */
export async function within<Value>(
  timeoutMs: number,
  work: (limit: ActivityMonitor) => Promise<Value>,
): Promise<Value> {
  const ending = new AbortController();
  const end = () => ending.abort(new ToolError("deadline_exceeded", `Not done after ${timeoutMs} ms`));
  const timer = setTimeout(end, Math.min(timeoutMs, 2_147_483_647));
  try {
    return await work(limitOf(ending.signal));
  } finally {
    clearTimeout(timer);
  }
}

/** How long something may take that nobody waits for, in milliseconds. */
export const UNWATCHED_MS = 10_000;

/** What does not limit: for what belongs to no call. */
export function limitOf(signal: AbortSignal): ActivityMonitor {
  return { signal, markActive() {}, suspend() {} };
}
