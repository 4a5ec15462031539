import { delay, within } from "../../../internal/time.ts";
import type { EngineWorker } from "../../../core/dispatch/engine.ts";
import { MissingPackageError } from "../store_errors.ts";
import type { BullmqSettings, DeliveryWorker } from "./backend.ts";

/** Delay before the next try to open the worker, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * A worker that starts as soon as the store can be reached: it tries to open once a second until then, and reports each failure. It stops if a
 * package is missing, which another try does not change.
 */
export class BullmqWorker implements EngineWorker {
  readonly #open: () => Promise<DeliveryWorker>;
  readonly #settings: BullmqSettings;
  readonly #onStop: () => void;
  readonly #closing = new AbortController();
  readonly #runs = new Set<Promise<unknown>>();
  #worker: DeliveryWorker | undefined;

  /**
   * @param open Opens the worker; retried until it succeeds.
   * @param onStop Called after {@link stop}.
   */
  constructor(open: () => Promise<DeliveryWorker>, settings: BullmqSettings, onStop: () => void) {
    this.#open = open;
    this.#settings = settings;
    this.#onStop = onStop;
    void this.#start();
  }

  /** Whether it accepts no further deliveries. */
  get isStopping(): boolean {
    return this.#closing.signal.aborted;
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
    this.#closing.abort();
    const { timeoutMs, errors } = this.#settings;
    const worker = this.#worker;
    const closing = worker?.close();
    closing?.catch(errors.report);
    while (this.#runs.size > 0) await Promise.allSettled(this.#runs);
    // With a time limit, so that a store that is down does not block the end of the process. Unconfirmed deliveries are repeated.
    if (worker !== undefined && closing !== undefined) {
      await within(timeoutMs, closing).catch(() => within(timeoutMs, worker.abort())).catch(errors.report);
    }
    this.#onStop();
  }

  /** Closes the connections at once. Deliveries in progress are delivered again. */
  async abort(): Promise<void> {
    this.#closing.abort();
    await this.#worker?.abort();
  }

  async #start(): Promise<void> {
    while (!this.isStopping && this.#worker === undefined) {
      try {
        this.#worker = await this.#open();
      } catch (error) {
        if (this.isStopping) return;
        this.#settings.errors.report(error);
        if (error instanceof MissingPackageError) return this.#closing.abort();
        await delay(RETRY_MS, this.#closing.signal);
      }
    }
    // It was opened while it was being stopped.
    if (this.isStopping) await this.#worker?.abort();
  }
}
