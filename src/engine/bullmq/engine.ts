import { ToolError } from "../../core/errors/tool_error.ts";
import type { Backend, BullmqLease, Delivery, DeliveryQueue } from "./backend.ts";
import type { ErrorThrottle } from "../redis/error_throttle.ts";
import { Lazy } from "../../internal/async.ts";
import { within } from "../../internal/time.ts";
import { BullmqLeases } from "./leases.ts";
import { MissingPackageError } from "../redis/packages.ts";
import { BullmqSubscriptions } from "./subscriptions.ts";
import { BullmqWorker } from "./worker.ts";
import type { Engine, EngineWorker, Job, WorkOptions } from "../engine.ts";

/** A delivery of a job that somebody runs comes again after this, twice this, and so on, in milliseconds. */
const FIRST_WAIT_MS = 20;

/** What callers are told to do about it. */
const RETRY = { retry_after_ms: 1_000 };

/** Options of {@link BullmqEngine}. */
export interface BullmqEngineSettings {
  /** How long a process is taken to live after its last sign, in milliseconds. */
  readonly leaseMs: number;
  /** How long the store may take to answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told when the store fails, and when it does not. */
  readonly failures: ErrorThrottle;
}

/** The engine over records and a queue. */
export class BullmqEngine implements Engine {
  readonly name = "bullmq";
  readonly processId = undefined;
  readonly #backend: Backend;
  readonly #options: BullmqEngineSettings;
  readonly #leases: BullmqLeases;
  readonly #queue: Lazy<DeliveryQueue>;
  readonly #subscriptions = new BullmqSubscriptions();
  readonly #workers = new Set<BullmqWorker>();
  #isListening = false;
  #closed: Promise<void> | undefined = undefined;

  constructor(backend: Backend, options: BullmqEngineSettings) {
    this.#backend = backend;
    this.#options = options;
    this.#leases = new BullmqLeases(backend.records, { leaseMs: options.leaseMs, onError: options.failures.report });
    this.#queue = new Lazy(() => backend.openQueue());
  }

  insert(job: Job, dueInMs?: number): Promise<boolean> {
    return this.#ask(() => dueInMs === undefined ? this.#insert(job) : this.#insertDue(job, dueInMs));
  }

  get(id: string): Promise<Job | undefined> {
    return this.#ask(() => this.#backend.records.get(id));
  }

  replace(job: Job, version: number): Promise<boolean> {
    return this.#ask(() => this.#backend.records.replace(job, version));
  }

  remove(id: string): Promise<void> {
    return this.#ask(() => this.#backend.records.remove(id));
  }

  subscribe(id: string, onChange: () => void): () => void {
    const unsubscribe = this.#subscriptions.add(id, onChange);
    if (!this.#isListening && this.#closed === undefined) {
      this.#isListening = true;
      this.#backend.listen((changed) => this.#subscriptions.tell(changed));
    }
    return unsubscribe;
  }

  schedule(id: string, delayMs: number): Promise<void> {
    return this.#ask(async () => {
      const delivery = await this.#deliveryOf(id, false);
      if (delivery !== undefined) await (await this.#queue.get()).add(delivery, delayMs);
    });
  }

  async lease(id: string): Promise<() => Promise<void>> {
    const { leaseMs } = this.#options;
    let isGivenUp = false;
    try {
      return await this.#ask(async () => {
        const delivery = await this.#deliveryOf(id, true);
        if (delivery === undefined) return async () => {};
        // First, so that there is no moment in which the job would be lost with this process.
        await (await this.#queue.get()).add(delivery, leaseMs);
        const lease = newLease(delivery);
        const taken = await this.#backend.records.acquire({ ...delivery, isRecovery: false }, lease, leaseMs);
        // Another process has it, which then is the one that must not die; or it came too late: nobody would let go of it.
        if (taken !== "ours" || isGivenUp) return async () => {};
        this.#leases.keep(lease);
        return () => this.#letGo(lease);
      });
    } finally {
      isGivenUp = true;
    }
  }

  work(run: (id: string) => Promise<void>, { concurrency }: WorkOptions): EngineWorker {
    const { leaseMs, timeoutMs } = this.#options;
    const worker: BullmqWorker = new BullmqWorker({
      open: () => {
        const deliver = (delivery: Delivery, begun: number) => this.#deliver(worker, run, delivery, begun);
        return this.#backend.openWorker(deliver, { concurrency, leaseMs });
      },
      timeoutMs,
      onError: this.#options.failures.report,
      onStop: () => this.#workers.delete(worker),
    });
    this.#workers.add(worker);
    return worker;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    // Not given back: their runs may go on. They lapse, and others are told then.
    this.#leases.forget();
    const { timeoutMs, failures } = this.#options;
    failures.end();
    const queue = this.#queue.opened?.then((queue) => queue.close());
    const ends = [...this.#workers].map((worker) => worker.abort()).concat(queue ?? []);
    await within(timeoutMs, Promise.allSettled(ends)).catch(failures.report);
    await within(timeoutMs, this.#backend.close()).catch(failures.report);
  }

  /** Asks the store something for which a caller waits. */
  async #ask<Value>(ask: () => Promise<Value>): Promise<Value> {
    if (this.#closed !== undefined) throw new ToolError("unavailable", "The job engine is closed", { details: RETRY });
    try {
      const value = await within(this.#options.timeoutMs, ask());
      this.#options.failures.succeed();
      return value;
    } catch (cause) {
      if (cause instanceof MissingPackageError) throw cause;
      this.#options.failures.report(cause);
      throw new ToolError("unavailable", "The job engine cannot reach its store: try again later", {
        details: RETRY,
        cause,
      });
    }
  }

  #insert(job: Job, recordId: string = crypto.randomUUID()): Promise<boolean> {
    return this.#backend.records.insert(job, recordId);
  }

  /**
   * The delivery first: without its job, it does nothing. It is late enough not to come before the job, and hastened once that
   * is there; if this process dies in between, it is late.
   */
  async #insertDue(job: Job, dueInMs: number): Promise<boolean> {
    const { timeoutMs, failures } = this.#options;
    const delivery = newDelivery(job.id, crypto.randomUUID(), false);
    const queue = await this.#queue.get();
    const reschedule = await queue.add(delivery, Math.max(dueInMs, timeoutMs));
    const isInserted = await this.#insert(job, delivery.recordId);
    if (!isInserted) void queue.remove(delivery.id).catch(failures.report);
    else if (dueInMs < timeoutMs) await reschedule(dueInMs).catch(failures.report);
    return isInserted;
  }

  /** A new delivery of a job; `undefined` if there is no such job. */
  async #deliveryOf(id: string, isRecovery: boolean): Promise<Delivery | undefined> {
    const recordId = await this.#backend.records.recordId(id);
    return recordId === undefined ? undefined : newDelivery(id, recordId, isRecovery);
  }

  async #letGo(lease: BullmqLease): Promise<void> {
    try {
      await this.#leases.release(lease);
      // Without a lease that names it, it would do nothing; but nobody has to find that out.
      await (await this.#queue.get()).remove(lease.delivery);
    } catch (error) {
      this.#options.failures.report(error);
    }
  }

  async #deliver(
    worker: BullmqWorker,
    run: (id: string) => Promise<void>,
    delivery: Delivery,
    begun: number,
  ): Promise<number | undefined> {
    // Another one takes it: this one was fetched while the worker was told to take no more.
    if (worker.isStopping) return 0;
    const lease = newLease(delivery);
    const taken = await this.#backend.records.acquire(delivery, lease, this.#options.leaseMs);
    if (taken === "gone") return undefined;
    if (taken !== "ours") return waitMs(delivery, taken.busyMs, begun);
    this.#leases.keep(lease);
    await worker.during(this.#run(run, lease));
    return undefined;
  }

  async #run(run: (id: string) => Promise<void>, lease: BullmqLease): Promise<void> {
    try {
      await run(lease.job);
    } finally {
      await this.#leases.release(lease).catch(this.#options.failures.report);
    }
  }
}

function newDelivery(job: string, recordId: string, isRecovery: boolean): Delivery {
  return { id: crypto.randomUUID(), job, recordId, isRecovery };
}

function newLease({ id, job }: Delivery): BullmqLease {
  return { job, delivery: id, claim: crypto.randomUUID() };
}

function waitMs({ isRecovery }: Delivery, busyMs: number, begun: number): number {
  // Its holder lives; whether it still does is to be seen when its lease is over, and no sooner.
  return isRecovery ? busyMs : Math.min(busyMs, FIRST_WAIT_MS * 2 ** Math.min(begun - 1, 20));
}
