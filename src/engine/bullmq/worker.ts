import { Pause, within } from "../../internal/time.ts";
import type { EngineWorker } from "../engine.ts";
import type { DeliveryWorker } from "./backend.ts";

/** Delay before the next try to open the worker, in milliseconds. */
const RETRY_MS = 1_000;

/** Options of {@link BullmqWorker}. */
export interface BullmqWorkerOptions {
  /** Opens the worker; retried until it succeeds. */
  readonly open: () => Promise<DeliveryWorker>;
  /** Time limit of a reply in milliseconds. */
  readonly timeoutMs: number;
  /** Called with errors of the background. */
  readonly onError: (error: unknown) => void;
  /** Called after {@link BullmqWorker.stop}. */
  readonly onStop: () => void;
}

/** A worker that starts as soon as the store can be reached. */
export class BullmqWorker implements EngineWorker {
  readonly #options: BullmqWorkerOptions;
  readonly #stopping = new Pause();
  readonly #runs = new Set<Promise<unknown>>();
  #isStopping = false;
  #worker: DeliveryWorker | undefined = undefined;

  constructor(options: BullmqWorkerOptions) {
    this.#options = options;
    void this.#open();
  }

  /** Whether it accepts no further deliveries. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Has {@link stop} wait for `work`. */
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
    this.#stopping.end();
    const worker = this.#worker;
    const closing = worker?.close();
    closing?.catch(this.#options.onError);
    while (this.#runs.size > 0) await Promise.allSettled(this.#runs);
    // With a time limit, so that a store that is down does not block the end of the process. Unconfirmed deliveries are repeated.
    const { timeoutMs, onError, onStop } = this.#options;
    if (worker !== undefined && closing !== undefined) {
      await within(timeoutMs, closing).catch(() => within(timeoutMs, worker.abort())).catch(onError);
    }
    onStop();
  }

  /** Closes the connections at once. Deliveries in progress are delivered again. */
  async abort(): Promise<void> {
    this.#isStopping = true;
    this.#stopping.end();
    await this.#worker?.abort();
  }

  async #open(): Promise<void> {
    while (!this.#isStopping && this.#worker === undefined) {
      try {
        this.#worker = await this.#options.open();
      } catch (error) {
        if (this.#isStopping) return;
        this.#options.onError(error);
        await this.#stopping.wait(RETRY_MS);
      }
    }
    // It was opened while it was being stopped.
    if (this.#isStopping) await this.#worker?.abort();
  }
}
