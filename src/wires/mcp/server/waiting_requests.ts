import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { RequestMessage } from "../protocol/messages.ts";

interface WaitingRequest {
  readonly request: RequestMessage;
  /** Size in UTF-16 code units. */
  readonly size: number;
}

/** Requests of one connection that are not started yet, in the order of their arrival. Their total size is limited. */
export class WaitingRequests {
  readonly #maxSize: number;
  readonly #waiting = new Map<RequestId, WaitingRequest>();
  #size = 0;
  #room: PromiseWithResolvers<void> | undefined;

  /** @param maxSize Size in UTF-16 code units at which the client has to wait, too. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves when there is room for the next message; `undefined` if there is. */
  get room(): Promise<void> | undefined {
    return this.#size < this.#maxSize ? undefined : (this.#room ??= Promise.withResolvers<void>()).promise;
  }

  has(id: RequestId): boolean {
    return this.#waiting.has(id);
  }

  add(request: RequestMessage, size: number): void {
    this.#waiting.set(request.id, { request, size });
    this.#size += size;
  }

  /** Removes a request, by default the first one. */
  take(id?: RequestId): RequestMessage | undefined {
    const [taken] = id === undefined ? this.#waiting.values() : [this.#waiting.get(id)];
    if (taken === undefined) return undefined;
    this.#waiting.delete(taken.request.id);
    this.#release(taken.size);
    return taken.request;
  }

  /** Removes all requests. */
  clear(): void {
    this.#waiting.clear();
    this.#release(this.#size);
  }

  #release(size: number): void {
    this.#size -= size;
    if (this.#size >= this.#maxSize) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
