/**
 * What a job means, and who may change it and when: the same for every engine.
 *
 * The first word counts: what is done stays done, what is cancelled stays cancelled, and a run that was taken for dead
 * (its epoch is over) can change nothing any more.
 *
 * @module
 */
import { askedAgain, type CallResult, NO_ANSWER, type Progress, type Question } from "../core/call/outcome.ts";
import type { Json } from "../internal/json.ts";
import type { AskAnswer, Engine, Job, JobState, Memo } from "./engine.ts";

/** How often a change is tried again that others were faster than. */
const MAX_TRIES = 100;

/** A job that is over runs no more: its arguments may be large, and their digest is kept; its config may hold secrets. */
const OVER: Pick<Job, "args" | "config" | "memo"> = { args: null, config: undefined, memo: { answers: {}, steps: {} } };

/** Whether nothing can happen to the job any more. */
export function isFinal({ state }: Job): boolean {
  return state === "done" || state === "cancelled";
}

/** The jobs of one engine. */
export class Jobs {
  /** Where they are kept. */
  readonly engine: Engine;
  /** Looks that are under way: whoever wants to know the same meanwhile shares them. */
  readonly #looks = new Map<string, Promise<Job | undefined>>();

  /** @param engine Where they are kept. */
  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Begins a run of a job that is due; `undefined` if there is nothing to run. */
  claim(id: string): Promise<Job | undefined> {
    return this.#change(id, (job) => {
      // A running one is due because whoever ran it has died.
      if (job.state !== "queued" && job.state !== "running") return undefined;
      return { ...job, state: "running", epoch: job.epoch + 1, attempt: job.attempt + 1 };
    });
  }

  /** A run tells how far it has come. */
  progress(run: Job, progress: Progress, estimatedMs: number | undefined): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => {
      return { ...job, progress, ...(estimatedMs !== undefined && { estimatedMs }) };
    });
  }

  /** A run keeps the result of a step. */
  saveStep(run: Job, key: string, value: Json): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => {
      return { ...job, memo: { ...job.memo, steps: { ...job.memo.steps, [key]: value } } };
    });
  }

  /** A run has ended. What only runs need is kept no longer. */
  finish(run: Job, outcome: CallResult): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => ({ ...job, ...OVER, state: "done", outcome }));
  }

  /** Another call waits for the job, too. The job as it then is; `undefined` if there is none. */
  async join(id: string): Promise<Job | undefined> {
    return await this.#change(id, (job) => (isFinal(job) ? undefined : { ...job, isJoined: true })) ??
      await this.engine.get(id);
  }

  /** A run has ended without anything to keep. `false` if others wait for the job: then it is not forgotten. */
  async forget(run: Job): Promise<boolean> {
    // Looked at first: whoever tries again, having heard nothing, may find what somebody else began under the id since.
    const forgotten = await this.#change(run.id, (job) => {
      if (job.state !== "running" || job.epoch !== run.epoch || job.expiresAtMs !== run.expiresAtMs) return undefined;
      // It has expired at once, and its id is free. To remove it, too, would be to remove what somebody else began under it.
      return job.isJoined ? job : { ...job, state: "cancelled", expiresAtMs: 0 };
    });
    return forgotten?.state !== "running";
  }

  /** A run has stopped to ask. */
  ask(run: Job, requests: Readonly<Record<string, Question>>, memo: Memo): Promise<Job | undefined> {
    return this.#changeRun(run, (job) => ({ ...job, state: "asking", requests, memo }));
  }

  /** A run has failed and may succeed later. */
  retry(run: Job, delayMs: number): Promise<void> {
    return this.#requeue(run, run.attempt, delayMs);
  }

  /** A run is left to another process, and no attempt is spent. */
  handOver(run: Job, delayMs: number): Promise<void> {
    return this.#requeue(run, run.attempt - 1, delayMs);
  }

  /**
   * The caller answers. Of each key the first answer counts; what was not asked is ignored, and what is no answer is asked
   * again. The job goes on once nothing is open.
   */
  async answer(id: string, answers: ReadonlyMap<string, AskAnswer>): Promise<void> {
    const answered = await this.#change(id, (job) => {
      // Answered before, by someone who may not have come to schedule it.
      if (job.state === "queued" && [...answers.keys()].some((key) => Object.hasOwn(job.memo.answers, key))) return job;
      if (job.state !== "asking") return undefined;
      const { requests = {}, ...rest } = job;
      const asked = [...answers].filter(([key]) => Object.hasOwn(requests, key));
      if (asked.length === 0) return undefined;
      const good = asked.filter(([, { action }]) => action !== "malformed");
      const memo = { ...job.memo, answers: { ...job.memo.answers, ...Object.fromEntries(good) } };
      const open = Object.entries(requests).filter(([key]) => !Object.hasOwn(memo.answers, key))
        // It takes no run to see what is no answer.
        .map(([key, one]) => [key, answers.has(key) ? askedAgain(key, one, NO_ANSWER) : one] as const);
      if (open.length > 0) return { ...job, memo, requests: Object.fromEntries(open) };
      // An answered question is not a spent attempt.
      return { ...rest, state: "queued", memo, attempt: job.attempt - 1 };
    });
    if (answered?.state === "queued") await this.engine.schedule(id, 0);
  }

  /** Cancels a job for good, unless it has ended. Tells its state; `undefined` if there is none. */
  async cancel(id: string): Promise<JobState | undefined> {
    const cancelled = await this.#change(id, (job) => {
      return isFinal(job) ? undefined : { ...job, ...OVER, state: "cancelled" };
    });
    return (cancelled ?? await this.engine.get(id))?.state;
  }

  /** Whether the run still has the right to speak. */
  async isCurrent(run: Job): Promise<boolean> {
    const job = await this.look(run.id);
    return job?.state === "running" && job.epoch === run.epoch;
  }

  /**
   * Waits until `isEnough`, or `ended`, and gives the job as it then is; `undefined` if there is none (any more).
   *
   * @param ended Resolves when there is no more time.
   * @param onChange Told of each state that is not enough.
   */
  async wait(
    id: string,
    isEnough: (job: Job) => boolean,
    ended: Promise<void>,
    onChange?: (job: Job) => void,
  ): Promise<Job | undefined> {
    // One promise for whatever wakes it: thousands may wait, and each promise is kept for as long as they do.
    let wake = (): void => {};
    let isOver = false;
    const unsubscribe = this.engine.subscribe(id, () => wake());
    void ended.then(() => {
      isOver = true;
      wake();
    });
    try {
      for (;;) {
        // Before the look, so that no change falls between.
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const job = await this.look(id);
        if (job === undefined || isEnough(job) || isOver) return job;
        onChange?.(job);
        await woken;
      }
    } finally {
      unsubscribe();
    }
  }

  async #requeue(run: Job, attempt: number, delayMs: number): Promise<void> {
    const queued = await this.#changeRun(run, (job) => ({ ...job, state: "queued", attempt }));
    if (queued !== undefined) await this.engine.schedule(run.id, delayMs);
  }

  /** The job as it is now. One look for all who are told of the same change: a job may be large. */
  look(id: string): Promise<Job | undefined> {
    let look = this.#looks.get(id);
    if (look === undefined) {
      // After this turn, in which all are told.
      look = Promise.resolve().then(() => {
        this.#looks.delete(id);
        return this.engine.get(id);
      });
      this.#looks.set(id, look);
    }
    return look;
  }

  /** Mostly nobody else has changed the job since the run knew it: then the engine is asked once. */
  async #changeRun(run: Job, change: (job: Job) => Job): Promise<Job | undefined> {
    const next = { ...change(run), version: run.version + 1 };
    if (await this.engine.replace(next, run.version)) return next;
    return await this.#change(run.id, (job) => {
      return job.state === "running" && job.epoch === run.epoch ? change(job) : undefined;
    });
  }

  /** The job after the change; `undefined` if there is none, or it may not be changed so. */
  async #change(id: string, change: (job: Job) => Job | undefined): Promise<Job | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const job = await this.engine.get(id);
      const changed = job && change(job);
      if (job === undefined || changed === undefined) return undefined;
      const next = { ...changed, version: job.version + 1 };
      if (await this.engine.replace(next, job.version)) return next;
    }
    throw new Error(`Cannot change job ${id}: others were faster ${MAX_TRIES} times`);
  }
}
