import {
  type CallEvent,
  type CallResult,
  type LogLine,
  PieceCollector,
  type PromiseOutcome,
  type Sink,
} from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { promiseToJson } from "../../framing/result/encode.ts";
import { LOG_LEVELS, PIECE_NOTIFICATION, PIECES_SENT, PROMISE_NOTIFICATION } from "../protocol/constants.ts";
import { encodeMessage } from "../protocol/messages.ts";
import type { Channel } from "./exchange.ts";

/** Options of {@link CallSink}: the notifications that a caller has requested for a call. */
export interface CallSinkOptions {
  /** Destination of the notifications; `undefined` if the caller does not accept any. */
  readonly channel: Channel | undefined;
  /** Token of progress notifications; `undefined` if the caller wants none. */
  readonly progressToken: string | number | undefined;
  /** Whether the caller takes pieces of the answer. It needs a progress token. */
  readonly takesPieces?: boolean | undefined;
  /** Minimum level of log messages; `undefined` if the caller wants none. */
  readonly logLevel: string | undefined;
  /** Name of the logger of lines for which the handler gives none; `undefined` to send them without. */
  readonly logger: string | undefined;
  /** Called with the promise when the call is deferred. */
  readonly onPromise?: ((promise: PromiseOutcome) => void) | undefined;
}

const MCP_LEVELS: Readonly<Record<LogLine["level"], string>> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};

/** The members of data that is sent with fields. Members of the data take precedence over fields, and come first. */
function toMembers(data: unknown): Members {
  return typeof data === "string" ? { message: data } : isJsonObject(data) ? data : { data };
}

/** Maximum number of log messages that wait for a slow reader. Further messages are dropped. */
const MAX_WAITING_LINES = 64;

/**
 * Sends progress and log messages of a running call as notifications. MCP has no partial results: they are collected for the result, and
 * sent to clients of this SDK as they arrive.
 */
export class CallSink implements Sink {
  readonly closed?: AbortSignal;
  readonly keepsPieces = true;
  readonly #options: CallSinkOptions;
  readonly #pieces = new PieceCollector();
  #lastProgress = -Infinity;
  #waitingLines = 0;
  /** Number of pieces that were sent to the caller. */
  sentPieces = 0;

  constructor(options: CallSinkOptions) {
    this.#options = options;
    if (options.channel?.closed !== undefined) this.closed = options.channel.closed;
  }

  push(event: CallEvent): void | Promise<void> {
    const { progressToken, channel, onPromise } = this.#options;
    if (event.kind === "partial") {
      this.#pieces.push(event);
      return this.#sendPiece(event.value);
    }
    if (event.kind === "deferred") {
      onPromise?.(event.promise);
      return this.#sendPromise(event.promise);
    }
    // A result has the whole, whatever pieces were dropped.
    if (event.kind === "dropped") return;
    const { done: progress, total, message } = event.progress;
    // MCP requires that progress increases.
    if (progressToken === undefined || channel === undefined || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    const params = { progressToken, progress, total, message };
    // Written out: the spread of encodeMessage() costs more than the rest of a streamed event.
    return channel.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  }

  #sendPiece(piece: unknown): void | Promise<void> {
    const { takesPieces, progressToken, channel } = this.#options;
    if (takesPieces !== true || channel === undefined || piece === undefined) return;
    this.sentPieces++;
    return channel.send(
      JSON.stringify({ jsonrpc: "2.0", method: PIECE_NOTIFICATION, params: { progressToken, piece } }),
    );
  }

  /** Without the token, a caller whose call continues for the pieces could not cancel its work. */
  #sendPromise(promise: PromiseOutcome): void | Promise<void> {
    const { takesPieces, progressToken, channel, onPromise } = this.#options;
    if (takesPieces !== true || channel === undefined || onPromise !== undefined) return;
    const params = { progressToken, promise: promiseToJson(promise) };
    return channel.send(JSON.stringify({ jsonrpc: "2.0", method: PROMISE_NOTIFICATION, params }));
  }

  log({ level, mcpLevel, data: given, fields, logger = this.#options.logger }: LogLine): void {
    const { logLevel, channel } = this.#options;
    const name = mcpLevel ?? MCP_LEVELS[level];
    // A handler does not wait for its log: a slow reader misses messages.
    if (
      this.#waitingLines >= MAX_WAITING_LINES || logLevel === undefined ||
      LOG_LEVELS.indexOf(name) < LOG_LEVELS.indexOf(logLevel)
    ) return;
    try {
      const data = fields === undefined ? given : { ...toMembers(given), ...fields, ...toMembers(given) };
      const params = { level: name, logger, data };
      const room = channel?.send(encodeMessage({ method: "notifications/message", params }));
      if (room !== undefined) void this.#waitFor(room);
    } catch {
      // A log message that cannot be encoded as JSON must not fail the call.
    }
  }

  async #waitFor(room: Promise<void>): Promise<void> {
    this.#waitingLines++;
    await room;
    this.#waitingLines--;
  }

  /** Completes the final result of the call. An answer without a value gets the joined partial results. */
  join(result: CallResult): CallResult {
    const joined = this.#pieces.join(result) as CallResult;
    if (this.#options.takesPieces !== true || joined.kind !== "answer") return joined;
    return { ...joined, meta: { ...joined.meta, [PIECES_SENT]: this.sentPieces } };
  }
}
