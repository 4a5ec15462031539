import {
  type CallEvent,
  type CallResult,
  type LogLine,
  PieceCollector,
  type PromiseOutcome,
  type Sink,
} from "../../../core/call/outcome.ts";
import type { Channel } from "./exchange.ts";
import { LOG_LEVELS } from "../protocol/constants.ts";

/** What a caller wants to hear of a call while it runs. */
export interface CallSinkOptions {
  /** Where it hears it; `undefined` if it does not listen. */
  readonly channel: Channel | undefined;
  /** What its progress goes by; `undefined` for none. */
  readonly progressToken: string | number | undefined;
  /** From which level on it wants log lines; `undefined` for none. */
  readonly logLevel: string | undefined;
  /** What logs. */
  readonly logger: string;
  /** Told once there is a promise of the call. */
  readonly onPromise?: ((promise: PromiseOutcome) => void) | undefined;
}

const MCP_LEVELS: Readonly<Record<LogLine["level"], string>> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};

/** Lines that wait for a caller who does not keep up. */
const MAX_WAITING_LINES = 64;

/** Turns what happens while a call runs into notifications. MCP has no pieces of an answer: they are kept for the whole. */
export class CallSink implements Sink {
  readonly closed?: AbortSignal;
  readonly keepsPieces = true;
  readonly #options: CallSinkOptions;
  readonly #pieces = new PieceCollector();
  #lastDone = Number.NEGATIVE_INFINITY;
  #waitingLines = 0;

  constructor(options: CallSinkOptions) {
    this.#options = options;
    if (options.channel?.left !== undefined) this.closed = options.channel.left;
  }

  push(event: CallEvent): void | Promise<void> {
    const { progressToken, channel, onPromise } = this.#options;
    if (event.kind === "partial") return this.#pieces.push(event);
    if (event.kind === "deferred") return onPromise?.(event.promise);
    const { done: progress, total, message } = event.progress;
    // It has to grow, or it is none.
    if (progressToken === undefined || channel === undefined || progress <= this.#lastDone) return;
    this.#lastDone = progress;
    return channel.send(notification("notifications/progress", { progressToken, progress, total, message }));
  }

  log({ level, message, fields }: LogLine): void {
    const { logLevel, channel, logger } = this.#options;
    const name = MCP_LEVELS[level];
    // Whoever does not keep up misses lines: a handler does not wait for its log.
    if (
      this.#waitingLines >= MAX_WAITING_LINES || logLevel === undefined ||
      LOG_LEVELS.indexOf(name) < LOG_LEVELS.indexOf(logLevel)
    ) return;
    const data = fields === undefined ? message : { message, ...fields };
    try {
      const room = channel?.send(notification("notifications/message", { level: name, logger, data }));
      if (room !== undefined) void this.#waitFor(room);
    } catch {
      // A line that cannot be written as JSON must not break the call that it is about.
    }
  }

  async #waitFor(room: Promise<void>): Promise<void> {
    this.#waitingLines++;
    await room;
    this.#waitingLines--;
  }

  /** How the call ended; an answer without a value is its pieces, joined. */
  join(settled: CallResult): CallResult {
    return this.#pieces.join(settled) as CallResult;
  }
}

/** A notification, as text. */
export function notification(method: string, params?: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}
