import type { FramePort } from "../../../wire.ts";

/** A WebSocket of the runtime whose methods never throw: an exception of a timer, or of an event, would end the process. */
export class GuardedPort implements FramePort {
  readonly closesSilent: boolean;
  readonly #port: FramePort;
  readonly #onError: (thrown: unknown) => void;

  /** @param onError Called with each exception. The socket cannot be used any more. */
  constructor(port: FramePort, onError: (thrown: unknown) => void) {
    this.closesSilent = port.closesSilent === true;
    this.#port = port;
    this.#onError = onError;
  }

  send(text: string): boolean {
    try {
      return this.#port.send(text);
    } catch (thrown) {
      this.#onError(thrown);
      return false;
    }
  }

  buffered(): number {
    try {
      return this.#port.buffered();
    } catch (thrown) {
      this.#onError(thrown);
      return 0;
    }
  }

  ping(): void {
    this.#try(() => this.#port.ping?.());
  }

  close(code: number, reason: string): void {
    this.#try(() => this.#port.close(code, reason));
  }

  terminate(): void {
    this.#try(() => this.#port.terminate());
  }

  #try(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#onError(thrown);
    }
  }
}
