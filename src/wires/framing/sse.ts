/**
 * Server-Sent Events of a server: the encoder, and the body of a stream with heartbeats.
 *
 * The stream opens at its first block, so that an error before it can have its own HTTP status.
 * Grammar: {@link https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream | WHATWG HTML 9.2.5}.
 */
import type { Deadline, Deadlines } from "../../internal/deadlines.ts";
import { PushStream } from "./push_stream.ts";

/** Default interval of heartbeats of an event stream in milliseconds. Bun closes a connection that is quiet for 10 s. */
const HEARTBEAT_MS = 8_000;

/** Shortest interval of heartbeats in milliseconds: a caller that wants more of them gets this one. */
const MIN_HEARTBEAT_MS = 500;

/** Interval of heartbeats in milliseconds for a caller that wants `heartbeatMs`. */
export function heartbeatInterval(heartbeatMs: number | undefined): number {
  if (heartbeatMs === undefined) return HEARTBEAT_MS;
  return Math.min(HEARTBEAT_MS, Math.max(MIN_HEARTBEAT_MS, heartbeatMs));
}

const encoder = new TextEncoder();

/** HTTP headers of an event stream. They disable buffering: `x-accel-buffering` that of nginx, the others that of other proxies. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * Encodes one Server-Sent Event: its name, its data, and the empty line that ends it.
 *
 * @param json JSON text as `JSON.stringify` writes it. It has no line break, so the block has one `data` line.
 */
export function encodeSseEvent(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** Options of an {@link SseBody}. */
export interface SseBodyOptions {
  readonly heartbeats: Deadlines;
  /** Block that is sent as a heartbeat. */
  readonly heartbeat: string;
  /** Interval of heartbeats that the caller wants, in milliseconds. Default: {@link HEARTBEAT_MS}. */
  readonly heartbeatMs?: number | undefined;
  /** Called once with the body, when the stream opens. */
  readonly onOpen: (body: ReadableStream<Uint8Array>) => void;
}

/** Body of an event stream: a {@link PushStream} of encoded events, which sends heartbeats until it ends. */
export class SseBody extends PushStream<string, string> {
  readonly #options: SseBodyOptions;
  #heartbeatMs: number;
  #heartbeat: Deadline;

  constructor(options: SseBodyOptions) {
    super({ encode, merge, encodeHeld: encode, onOpen: options.onOpen });
    this.#options = options;
    this.#heartbeatMs = heartbeatInterval(options.heartbeatMs);
    this.#heartbeat = this.#armHeartbeat();
  }

  override finish(): void {
    super.finish();
    this.#heartbeat.clear();
  }

  /** Shortens the interval of heartbeats for a caller that wants `heartbeatMs`. */
  beatWithin(heartbeatMs: number): void {
    const intervalMs = heartbeatInterval(heartbeatMs);
    if (intervalMs >= this.#heartbeatMs || this.isEnded) return;
    this.#heartbeatMs = intervalMs;
    this.#heartbeat.clear();
    this.#heartbeat = this.#armHeartbeat();
  }

  #armHeartbeat(): Deadline {
    return this.#options.heartbeats.add(this.#heartbeatMs, () => {
      this.#heartbeat = this.#armHeartbeat();
      if (!this.hasHeld) void this.write(this.#options.heartbeat);
    });
  }
}

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

function merge(held: string | undefined, block: string): string {
  return held === undefined ? block : held + block;
}
