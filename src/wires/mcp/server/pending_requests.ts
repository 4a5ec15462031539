import type { Clock } from "../../../internal/time.ts";
import type { InputRequest } from "../protocol/forms.ts";
import type { ResponseMessage } from "../protocol/messages.ts";

/** What a server has asked clients, and waits for. Ids cannot be guessed: whoever knows one was asked. */
export class PendingRequests {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<string, (response: ResponseMessage | undefined) => void>();

  /** @param timeoutMs How long an answer may take, in milliseconds. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request, and gives its response; `undefined` if none comes in time, or the caller has left. */
  ask(
    { method, params }: InputRequest,
    send: (json: string) => unknown,
    left: AbortSignal | undefined,
  ): Promise<ResponseMessage | undefined> {
    return new Promise((resolve) => {
      const id = crypto.randomUUID();
      const giveUp = () => this.#waiting.get(id)?.(undefined);
      const cancel = this.#clock.after(this.#timeoutMs, giveUp);
      this.#waiting.set(id, (response) => {
        this.#waiting.delete(id);
        left?.removeEventListener("abort", giveUp);
        cancel();
        resolve(response);
      });
      left?.addEventListener("abort", giveUp);
      void send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Waits no longer: nobody will answer any more. */
  close(): void {
    for (const settle of [...this.#waiting.values()]) settle(undefined);
  }

  /** Takes a response; `false` if nobody waits for it (any more). */
  settle(response: ResponseMessage): boolean {
    const waiting = typeof response.id === "string" ? this.#waiting.get(response.id) : undefined;
    waiting?.(response);
    return waiting !== undefined;
  }
}
