/**
 * A simulated replica: its clock, its lifetime, and its access to a shared engine.
 *
 * The code of a killed replica cannot be stopped within one process. It is isolated instead: its requests to the engine
 * and its replies are discarded, and its timers do not fire.
 */
import type { Engine } from "../core/dispatch/engine.ts";
import type { Clock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";

/** A simulated replica as the function that creates its server receives it: pass on its clock, and the engine that it is attached to. */
export interface Replica {
  /** Index of the replica, from 0. */
  readonly index: number;
  /** Number of the start, from 1. */
  readonly life: number;
  /** Clock of the replica, for `createServer({ clock })`. */
  readonly clock: Clock;
  /**
   * The shared engine, as this replica uses it. After a kill, its requests are discarded and its jobs are given to
   * other replicas. In a partition its requests fail, and its jobs are given to others while it runs them. Closing the
   * replica does not close the engine. A `memoryEngine()` is sufficient.
   */
  readonly attach: (engine: Engine) => Engine;
}

/** Never resolves. */
const NEVER: Promise<never> = new Promise(() => {});

/** Something that ends with the connection to the engine, or comes back with it. */
interface Link {
  cut?(): void;
  heal?(): void;
}

/** One lifetime of a simulated replica, until it is killed: its clock, and its access to the engine, which a partition cuts off. */
export class ReplicaLife implements Replica {
  readonly index: number;
  readonly life: number;
  readonly clock: Clock;
  /** Deviation of its clock, in milliseconds. */
  skewMs: number;
  readonly #onKill = new Set<() => void>();
  readonly #links = new Set<Link>();
  #isKilled = false;
  #isPartitioned = false;

  readonly attach = (engine: Engine): Engine => {
    const say = <Value>(work: () => MaybePromise<Value>) => this.#say(work);
    return {
      name: engine.name,
      // Shared with other processes, from the point of view of the server.
      processId: undefined,
      insert: (...args) => say(() => engine.insert(...args)),
      get: (...args) => say(() => engine.get(...args)),
      replace: (...args) => say(() => engine.replace(...args)),
      appendLedger: (...args) => say(() => engine.appendLedger(...args)),
      readLedger: (...args) => say(() => engine.readLedger(...args)),
      remove: (...args) => say(() => engine.remove(...args)),
      schedule: (...args) => say(() => engine.schedule(...args)),
      subscribe: (id, onChange) => {
        const unsubscribe = engine.subscribe(id, () => this.#isPartitioned || onChange());
        // Changes may have been missed.
        const unlink = this.#link({ heal: onChange });
        const forget = this.#whenKilled(unsubscribe);
        return () => {
          unlink();
          forget();
          unsubscribe();
        };
      },
      lease: (id) => say(() => this.#hold(engine, id)),
      work: (run, options) => this.#work(engine, run, options),
      ...(engine.list && { list: (...args) => say(() => engine.list!(...args)) }),
      close: () => {},
    };
  };

  constructor(index: number, life: number, skewMs: number, clock: Clock) {
    this.index = index;
    this.life = life;
    this.skewMs = skewMs;
    this.clock = {
      now: () => clock.now() + this.skewMs,
      elapsed: () => clock.elapsed(),
      after: (delayMs, callback) => clock.after(delayMs, () => this.#isKilled || callback()),
      ...(clock.isPerRequest !== undefined && { isPerRequest: clock.isPerRequest }),
    };
  }

  /** Cuts the replica off from the engine: its requests fail, nothing is delivered to it, and other replicas get its jobs. */
  partition(): void {
    if (this.#isPartitioned) return;
    this.#isPartitioned = true;
    for (const link of [...this.#links]) link.cut?.();
  }

  /** Ends a partition. */
  heal(): void {
    if (this.#isKilled || !this.#isPartitioned) return;
    this.#isPartitioned = false;
    for (const link of [...this.#links]) link.heal?.();
  }

  /** Kills the replica permanently: its requests to the engine and its replies are discarded, and its timers do not fire. */
  kill(): void {
    this.partition();
    this.#isKilled = true;
    for (const tell of this.#onKill) tell();
    this.#onKill.clear();
  }

  /** Returns the result of `work`, or `undefined` once the replica is killed. */
  async untilKilled<Value>(work: () => MaybePromise<Value>): Promise<Value | undefined> {
    const killed = Promise.withResolvers<undefined>();
    const forget = this.#whenKilled(() => killed.resolve(undefined));
    try {
      return await Promise.race([work(), killed.promise]);
    } finally {
      forget();
    }
  }

  async #say<Value>(work: () => MaybePromise<Value>): Promise<Value> {
    if (this.#isPartitioned) return await this.#fail();
    const result = await work();
    return this.#isPartitioned ? await this.#fail() : result;
  }

  #fail(): Promise<never> {
    return this.#isKilled ? NEVER : Promise.reject(new Error("The replica cannot reach the engine: it is partitioned"));
  }

  async #hold(engine: Engine, id: string): Promise<() => MaybePromise<void>> {
    const release = await engine.lease(id);
    const unlink = this.#untilCut(() => void passOn(engine, id, release));
    // A lease that has lapsed needs no release.
    return () => unlink() ? this.#say(release) : undefined;
  }

  #work(engine: Engine, ...[run, options]: Parameters<Engine["work"]>): ReturnType<Engine["work"]> {
    const runUntilCut = async (id: string): Promise<void> => {
      const cut = Promise.withResolvers<void>();
      const unlink = this.#untilCut(() => {
        void passOn(engine, id, cut.resolve);
      });
      try {
        await Promise.race([run(id), cut.promise]);
      } finally {
        unlink();
      }
    };
    const open = () => engine.work(runUntilCut, options);
    let worker = this.#isPartitioned ? undefined : open();
    const unlink = this.#link({ cut: () => void worker?.stop(), heal: () => void (worker = open()) });
    return {
      stop: async () => {
        unlink();
        if (this.#isKilled) await NEVER;
        await worker?.stop();
      },
    };
  }

  /** Returns a function that removes the link, and returns whether there was one. */
  #link(link: Link): () => boolean {
    this.#links.add(link);
    return () => this.#links.delete(link);
  }

  /** Calls `lapse` once the replica is cut off, immediately if it already is. Returns a function like that of {@link #link}. */
  #untilCut(lapse: () => void): () => boolean {
    const unlink = this.#link({ cut: () => void (unlink() && lapse()) });
    if (this.#isPartitioned && unlink()) lapse();
    return unlink;
  }

  /**
   * Calls `tell` when the replica is killed, immediately if it already was. The returned function removes the listener.
   */
  #whenKilled(tell: () => void): () => void {
    if (this.#isKilled) tell();
    else this.#onKill.add(tell);
    return () => void this.#onKill.delete(tell);
  }
}

/** Makes the job of a lease that has lapsed due again, as an engine does. */
async function passOn(engine: Engine, id: string, release: () => MaybePromise<void>): Promise<void> {
  await engine.schedule(id, 0);
  await release();
}
