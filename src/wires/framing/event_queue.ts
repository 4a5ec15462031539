/** The events of one call over a connection that others share, passed on in their order while the receiver may ask to wait. */
import { type CallEvent, type ErrorResult, errorResult, type Sink } from "../../core/call/outcome.ts";
import type { ActivityMonitor } from "../../core/call/transport.ts";

/** Passes the events of one call to its sink in order. If too many wait, `onOverflow` is called with `result_too_large`. */
export class EventQueue {
  readonly #sink: Sink;
  readonly #limit: ActivityMonitor;
  readonly #maxChars: number;
  readonly #onOverflow: (error: ErrorResult) => void;
  #waiting: (readonly [event: CallEvent, size: number])[] = [];
  #chars = 0;
  #onEnd: (() => void) | undefined;
  /** Whether the receiver has not taken the last event yet. */
  isFull = false;

  /** @param maxChars Maximum size of the events that wait, in UTF-16 code units of their JSON. */
  constructor(sink: Sink, limit: ActivityMonitor, maxChars: number, onOverflow: (error: ErrorResult) => void) {
    this.#sink = sink;
    this.#limit = limit;
    this.#maxChars = maxChars;
    this.#onOverflow = onOverflow;
  }

  /** Passes an event on, or keeps it while the receiver is busy. @param size Its size, or a function that measures an event which waits. */
  push(event: CallEvent, size: number | (() => number)): void {
    if (!this.isFull) return this.#deliver(event);
    const chars = typeof size === "number" ? size : size();
    this.#waiting.push([event, chars]);
    this.#chars += chars;
    if (this.#chars <= this.#maxChars) return;
    this.#waiting = [];
    this.#onOverflow(
      errorResult("result_too_large", `More than ${this.#maxChars} characters of the stream were not read`),
    );
  }

  /** Calls `onEnd` after all events were passed on. */
  end(onEnd: () => void): void {
    if (this.isFull) this.#onEnd = onEnd;
    else onEnd();
  }

  #deliver(event: CallEvent): void {
    this.#limit.markActive();
    const taken = this.#sink.push(event);
    if (taken === undefined) return;
    this.isFull = true;
    this.#limit.suspend();
    const resume = (): void => this.#resume();
    taken.then(resume, resume);
  }

  #resume(): void {
    this.isFull = false;
    this.#limit.markActive();
    while (!this.isFull) {
      const next = this.#waiting.shift();
      if (next === undefined) return this.#onEnd?.();
      this.#chars -= next[1];
      this.#deliver(next[0]);
    }
  }
}
