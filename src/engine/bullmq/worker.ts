import type { DeliveryWorker } from "./backend.ts";
import { delay, within } from "../../internal/time.ts";
import type { EngineWorker } from "../engine.ts";

/** How long to wait before the store is tried again, in milliseconds. */
const RETRY_MS = 1_000;

/** Options of {@link BullmqWorker}. */
export interface BullmqWorkerOptions {
  /** Begins to take deliveries; tried again until it succeeds. */
  readonly open: () => Promise<DeliveryWorker>;
  /** How long the store may take to answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of errors. */
  readonly onError: (error: unknown) => void;
  /** Told when it has stopped. */
  readonly onStop: () => void;
}

/** A worker that begins as soon as the store can be reached. */
export class BullmqWorker implements EngineWorker {
  readonly #options: BullmqWorkerOptions;
  readonly #closing = new AbortController();
  #isStopping = false;
  #worker: DeliveryWorker | undefined = undefined;
  #runs = new Set<Promise<unknown>>();

  constructor(options: BullmqWorkerOptions) {
    this.#options = options;
    void this.#begin();
  }

  /** Whether it takes no more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Does something that {@link stop} has to wait for. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#runs.add(work);
    try {
      return await work;
    } finally {
      this.#runs.delete(work);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#closing.abort();
    const worker = this.#worker;
    const closing = worker?.close();
    closing?.catch(this.#options.onError);
    while (this.#runs.size > 0) await Promise.allSettled(this.#runs);
    // A store that is down does not keep a process from ending: what it was not told of, it delivers again.
    const { timeoutMs, onError, onStop } = this.#options;
    if (worker !== undefined && closing !== undefined) {
      await within(timeoutMs, closing).catch(() => within(timeoutMs, worker.abort())).catch(onError);
    }
    onStop();
  }

  /** Ends at once. What is under way is delivered again. */
  async abort(): Promise<void> {
    this.#isStopping = true;
    this.#closing.abort();
    await this.#worker?.abort();
  }

  async #begin(): Promise<void> {
    while (!this.#isStopping && this.#worker === undefined) {
      try {
        this.#worker = await this.#options.open();
      } catch (error) {
        if (this.#isStopping) return;
        this.#options.onError(error);
        await delay(RETRY_MS, this.#closing.signal);
      }
    }
    // It came to be while it was stopped.
    if (this.#isStopping) await this.#worker?.abort();
  }
}
