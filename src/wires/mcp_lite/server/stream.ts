/**
 * The events of a streamed answer.
 *
 * @module
 */
import { encodeSseEvent, SseBody, type SseBodyOptions } from "../../framing/sse.ts";
import type { CallEvent, Sink } from "../../../core/call/outcome.ts";
import { encodeEvent } from "./encode.ts";

/** What a stream needs. */
export type EventStreamOptions = Omit<SseBodyOptions, "heartbeat">;

/** One streamed answer. */
export class EventStream implements Sink {
  readonly #body: SseBody;

  constructor(options: EventStreamOptions) {
    this.#body = new SseBody({ ...options, heartbeat: HEARTBEAT });
  }

  /** Aborts when nobody reads any more. */
  get closed(): AbortSignal {
    return this.#body.closed;
  }

  /** Whether anything was sent. */
  get isOpen(): boolean {
    return this.#body.isOpen;
  }

  push(event: CallEvent): void | Promise<void> {
    return this.#body.write(encodeSseEvent("message", encodeEvent(event)));
  }

  /** Sends the last event and closes the stream. */
  end(event: "done" | "error", json: string): void {
    this.#body.end(encodeSseEvent(event, json));
  }

  /** Ends without a word, for a stream that never opened. */
  discard(): void {
    this.#body.discard();
  }
}

const HEARTBEAT: string = encodeSseEvent("heartbeat", "{}");
