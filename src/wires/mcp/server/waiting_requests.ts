import type { RequestId } from "../../framing/json_rpc/decode.ts";
import type { RequestMessage } from "../protocol/messages.ts";

/** A request that waits until fewer calls are under way. */
interface WaitingRequest {
  readonly request: RequestMessage;
  /** Size in UTF-16 code units. */
  readonly size: number;
}

/** Requests of one connection that are not started yet, in the order of their arrival. The caller checks `isFull` before it adds one. */
export class WaitingRequests {
  readonly #maxSize: number;
  readonly #waiting = new Map<RequestId, WaitingRequest>();
  #size = 0;

  /** @param maxSize Size in UTF-16 code units at which no more requests can be added. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  get isFull(): boolean {
    return this.#size >= this.#maxSize;
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
    this.#size -= taken.size;
    return taken.request;
  }

  /** Removes all requests. */
  clear(): void {
    this.#waiting.clear();
    this.#size = 0;
  }
}
