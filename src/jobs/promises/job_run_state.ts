/** State of runs on a server with an engine: their result may be stored, and promised before the work has ended. */
import type { CallResult } from "../../core/call/outcome.ts";
import type { Deadline } from "../../internal/deadlines.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { RunState } from "../../core/dispatch/run_state.ts";

/** Time limit for server middleware to process a promise outcome, in milliseconds; after that it is sent unchanged. */
const PROMISE_MIDDLEWARE_MS = 1_000;

/** Stores the result of a run with its job. Resolves with what the caller gets in its place, if that is not the same, such as the promise of a job that continues. */
type StoreResult = (result: CallResult) => Promise<CallResult | undefined>;

/** State of a run that is promised or stored; a separate object, because each field costs time in every run. */
class StoredRun {
  /** Stores the work's result with its job. */
  store: StoreResult | undefined;
  /** Resolves when the work's result has been stored; `undefined` if nothing is stored. */
  stored: Promise<CallResult | undefined> | undefined;
  /** Deadline of the middleware's processing of the promise. */
  middlewareDeadline: Deadline | undefined;
  /** Whether the call ends in a promise while the work continues. */
  isPromised = false;
  /** Settles with the work's result; made if the work is awaited by others than the call. */
  work: PromiseWithResolvers<CallResult> | undefined;
}

/** A run state that can become that of a job. */
export class JobRunState extends RunState {
  #job: StoredRun | undefined;

  /** Makes the run a job's: `store` gets the work's result, and the caller gets the result after `store` has resolved. */
  detach(store: StoreResult): void {
    this.ignoreDisconnect();
    this.#useJob().store = store;
  }

  /** The work's result, for those that observe it after the call was promised. */
  get work(): Promise<CallResult> {
    if (this.workResult !== undefined) return Promise.resolve(this.workResult);
    return (this.#useJob().work ??= Promise.withResolvers()).promise;
  }

  /** Sends the promise to the caller, through server middleware, for which it has a second; the work continues without the sink. */
  release(promise: CallResult): void {
    this.idle?.clear();
    this.sink = undefined;
    const job = this.#useJob();
    job.isPromised = true;
    if (this.notifyMiddleware === undefined) return this.answer(promise);
    this.notifyMiddleware(promise);
    job.middlewareDeadline = this.services?.deadlines.add(PROMISE_MIDDLEWARE_MS, () => this.answer(promise));
  }

  override toMiddleware(running: Promise<CallResult>): Promise<CallResult> {
    const job = this.#job;
    if (job === undefined) return super.toMiddleware(running);
    if (job.isPromised) return running;
    if (!this.isSettled && this.ended === undefined) job.stored = undefined;
    return super.toMiddleware(running);
  }

  override settle(result: CallResult): void {
    // The call has ended in a promise; the work settles by itself.
    if (this.#job?.isPromised && this.notifyMiddleware !== undefined) return this.answer(result);
    super.settle(result);
  }

  /** Stores the work's result with its job, then passes it to the middleware. */
  protected override settleWork(result: CallResult): void {
    const job = this.#job;
    if (job === undefined) return super.settleWork(result);
    if (this.workResult !== undefined) return;
    this.workResult = result;
    job.work?.resolve(result);
    if (job.store !== undefined) job.stored = job.store(result);
    const { notifyMiddleware } = this;
    if (notifyMiddleware !== undefined) whenStored(job, (instead = result) => notifyMiddleware(instead));
    if (job.isPromised) this.finish();
  }

  /** Sends the result to the caller once it is stored. */
  protected override answer(result: CallResult): void {
    const job = this.#job;
    if (job === undefined) return super.answer(result);
    job.middlewareDeadline?.clear();
    const answered = this.takeAnswer();
    if (answered === undefined) return;
    // What middleware has made of it is not replaced.
    const isOfWork = result === this.workResult;
    whenStored(job, (instead) => answered.receive(isOfWork && instead !== undefined ? instead : result));
  }

  #useJob(): StoredRun {
    return (this.#job ??= new StoredRun());
  }
}

function whenStored({ stored }: StoredRun, listener: (instead?: CallResult) => void): void {
  if (stored === undefined) listener();
  else void stored.then(listener);
}

/** The state of a run as that of a job. Valid on a server with an engine, where all run states are made as {@link JobRunState}. */
export function jobRunState({ runState }: CallContext): JobRunState {
  return runState as JobRunState;
}
