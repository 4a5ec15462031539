/** One end of a duplex connection in memory. The test is the client. */
import type { ErrorResult } from "../../src/core/call/outcome.ts";
import type { DuplexWire, MessageConnection, WireHost } from "../../src/wires/wire.ts";

/** A connection without pipes or frames: messages are function calls. */
export class MemoryConnection implements MessageConnection {
  readonly #aborting = new AbortController();
  readonly signal: AbortSignal = this.#aborting.signal;
  readonly send: MessageConnection["send"];
  #receive: (message: string | ErrorResult, start?: string) => void = () => {};
  #close: () => void = () => {};
  /** Resolves after the connection was closed and every message was processed. */
  readonly closed: Promise<void>;

  /** @param send Receives the messages of the server. */
  constructor(wire: DuplexWire, host: WireHost, send: MessageConnection["send"]) {
    this.send = send;
    this.closed = wire.mount(host).connect(this);
  }

  onMessage(listener: (message: string | ErrorResult, start?: string) => void): void {
    this.#receive = listener;
  }

  onClose(listener: () => void): void {
    this.#close = listener;
  }

  /** Sends a message to the server. */
  receive(message: string | ErrorResult, start?: string): void {
    this.#receive(message, start);
  }

  /** Closes the connection. */
  end(): Promise<void> {
    this.#close();
    return this.closed;
  }

  /** Cancels the running calls. */
  abort(): void {
    this.#aborting.abort();
  }
}
