/**
 * One replica of a simulation: its clock, its life, and its hold on an engine that it shares with others.
 *
 * A process that is killed says nothing more. Here its code cannot be stopped, so it is cut off instead: nothing it says to
 * the engine or to its callers arrives, and none of its timers fires.
 *
 * @module
 */
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../internal/time.ts";
import type { MaybePromise } from "../internal/async.ts";

/** What a server of a simulation is made for. */
export interface Replica {
  /** Which one it is, from 0. */
  readonly index: number;
  /** Which of its lives this is, from 1: one more with each start. */
  readonly life: number;
  /** The replica's own clock; for `createServer({ clock })`. */
  readonly clock: Clock;
  /**
   * The engine, as this replica uses it: as if it were outside of all of them. When the replica is killed, nothing more that
   * it says arrives, and its jobs are given to others; when it is closed, the engine stays open. A `memoryEngine()` will do.
   */
  readonly attach: (engine: Engine) => Engine;
}

/** What never comes. */
const NEVER: Promise<never> = new Promise(() => {});

/** One life of a replica, from its start to its end. */
export class ReplicaLife implements Replica {
  readonly index: number;
  readonly life: number;
  readonly clock: Clock;
  /** How far its clock is ahead, in milliseconds. */
  skewMs: number;
  readonly #onKill = new Set<() => void>();
  #isKilled = false;

  readonly attach = (engine: Engine): Engine => {
    const say = <Value>(work: () => MaybePromise<Value>) => this.#say(work);
    return {
      name: engine.name,
      // It is none of this process alone, since others go on with it.
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

  /** Cuts it off. */
  kill(): void {
    this.#isKilled = true;
    for (const tell of this.#onKill) tell();
    this.#onKill.clear();
  }

  /** Gives what `work` gives, or `undefined` as soon as the replica is killed. */
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
    const said = await work();
    return this.#isKilled ? await NEVER : said;
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

  /** Calls `tell` when the replica is killed, or at once if it was. The returned function takes it back. */
  #whenKilled(tell: () => void): () => void {
    if (this.#isKilled) tell();
    else this.#onKill.add(tell);
    return () => void this.#onKill.delete(tell);
  }
}

/** What an engine does when it finds that a process has died: its job is due again. */
async function passOn(engine: Engine, id: string, letGo: () => MaybePromise<void>): Promise<void> {
  await engine.schedule(id, 0);
  await letGo();
}
