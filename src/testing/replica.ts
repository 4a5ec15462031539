/**
 * A simulated replica: its clock, its lifetime, and its access to a shared engine.
 *
 * The code of a killed replica cannot be stopped within one process. It is isolated instead: its requests to the engine
 * and its replies are discarded, and its timers do not fire.
 */
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";

/** Arguments for creating the server of a replica. */
export interface Replica {
  /** Index of the replica, from 0. */
  readonly index: number;
  /** Number of the start, from 1. */
  readonly life: number;
  /** Clock of the replica, for `createServer({ clock })`. */
  readonly clock: Clock;
  /**
   * The shared engine, as this replica uses it. After a kill, its requests are discarded and its jobs are given to
   * other replicas. Closing the replica does not close the engine. A `memoryEngine()` is sufficient.
   */
  readonly attach: (engine: Engine) => Engine;
}

/** Never resolves. */
const NEVER: Promise<never> = new Promise(() => {});

/** One lifetime of a replica. */
export class ReplicaLife implements Replica {
  readonly index: number;
  readonly life: number;
  readonly clock: Clock;
  /** Deviation of its clock, in milliseconds. */
  skewMs: number;
  readonly #onKill = new Set<() => void>();
  #isKilled = false;

  readonly attach = (engine: Engine): Engine => {
    const say = <Value>(work: () => MaybePromise<Value>) => this.#say(work);
    return {
      name: engine.name,
      // Shared with other processes, from the point of view of the server.
      processId: undefined,
      insert: (...args) => say(() => engine.insert(...args)),
      get: (...args) => say(() => engine.get(...args)),
      replace: (...args) => say(() => engine.replace(...args)),
      remove: (...args) => say(() => engine.remove(...args)),
      schedule: (...args) => say(() => engine.schedule(...args)),
      subscribe: (id, onChange) => {
        const unsubscribe = engine.subscribe(id, onChange);
        const forget = this.#whenKilled(unsubscribe);
        return () => {
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

  /** Isolates the replica. */
  kill(): void {
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
    if (this.#isKilled) return await NEVER;
    const result = await work();
    return this.#isKilled ? await NEVER : result;
  }

  async #hold(engine: Engine, id: string): Promise<() => MaybePromise<void>> {
    const letGo = await engine.lease(id);
    const forget = this.#whenKilled(() => void passOn(engine, id, letGo));
    return () => {
      forget();
      return this.#say(letGo);
    };
  }

  #work(engine: Engine, ...[run, options]: Parameters<Engine["work"]>): ReturnType<Engine["work"]> {
    const runUntilKilled = async (id: string): Promise<void> => {
      const forget = this.#whenKilled(() => void passOn(engine, id, () => {}));
      try {
        await this.untilKilled(() => run(id));
      } finally {
        forget();
      }
    };
    const worker = engine.work(runUntilKilled, options);
    this.#whenKilled(() => void worker.stop());
    return { stop: () => this.#say(() => worker.stop()) };
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

/** Makes the job of a dead process due again, as an engine does. */
async function passOn(engine: Engine, id: string, letGo: () => MaybePromise<void>): Promise<void> {
  await engine.schedule(id, 0);
  await letGo();
}
