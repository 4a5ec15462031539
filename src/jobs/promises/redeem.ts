/**
 * The system tools `redeem` and `cancel`, which take promise tokens.
 *
 * Source: docs/spec.md 2.2, 3.5, 3.6 and A.3.
 */
import type { CallResult, FailureOutcome, PromiseOutcome } from "../../core/call/outcome.ts";
import type { JobFollower } from "../../core/dispatch/engine.ts";
import { isFinal } from "./job_ends.ts";
import type { Jobs } from "./jobs.ts";
import { Pending } from "../../core/handler/context.ts";
import type { RemotePromise, RemoteRunner, RemoteWait } from "../../core/tool/definition.ts";
import { digestOfRun } from "../../core/token/digest.ts";
import type { RedeemInput } from "../../core/tool/system_tools.ts";
import type { ExternalDefinition, ToolDefinition } from "../../core/tool/definition.ts";
import { CallContext } from "../../core/dispatch/call_context.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import { readAnswers } from "../../core/dispatch/questions/continuation.ts";
import { type AwaitedJob, INVALID_CONTINUATION } from "../../core/dispatch/services.ts";
import type { JobWaiters } from "./job_waiters.ts";
import type { JobPromises } from "./job_promises.ts";
import { PieceReader } from "./kept_pieces.ts";
import { DEADLINE_SHARE } from "./run_guard.ts";

/** Longest wait that a caller may request, in milliseconds: proxies close connections after 30 s or more. */
const MAX_WAIT_MS = 25_000;

const DEFAULT_RETRY_AFTER_MS = 1_000;

/** Shortest pause between two looks at external work within one redeem, in milliseconds, whatever delay the work gives. */
const MIN_PAUSE_MS = 50;

/** How long one look at the work may wait for a change. */
type RedeemWait = Omit<RemoteWait, "signal">;

/** Runs the system tools `redeem` and `cancel`: finds the work that a promise token names, and returns its result or cancels it. */
export class Redeemer {
  readonly #services: DispatchServices;
  readonly #jobs: Jobs;
  readonly #promises: JobPromises;
  readonly #waits: JobWaiters;

  constructor(services: DispatchServices, jobs: Jobs, promises: JobPromises, waits: JobWaiters) {
    this.#services = services;
    this.#jobs = jobs;
    this.#promises = promises;
    this.#waits = waits;
  }

  /** Returns the result of the promised work, its questions, or the same promise again. */
  redeem(run: CallContext, { promise, wait_ms: waitMs, after }: RedeemInput): Promise<CallResult> {
    return this.#open(run, promise, (opened) => this.#redeem(run, opened, waitMs, run.sink && after));
  }

  /** Cancels the promised work, if it has not ended. Answers `{ cancelled }`, or the failure `not_cancellable` of external work. */
  cancel(run: CallContext, { promise }: RedeemInput): Promise<CallResult> {
    return this.#open(run, promise, (opened) => this.#cancel(run, opened));
  }

  /** Reads a token, then calls `last` within the middleware of the part that the tool belongs to. */
  async #open(
    run: CallContext,
    token: string,
    last: (opened: RemotePromise) => Promise<CallResult>,
  ): Promise<CallResult> {
    const opened = this.#promises.open(token, run.request.peer);
    if ("kind" in opened) return opened;
    return await this.#services.runWithin(run, opened.definition.part?.middleware ?? [], () => last(opened));
  }

  /** @param after Number of pieces that the caller of a stream has; `undefined` if it wants none. */
  async #redeem(
    run: CallContext,
    opened: RemotePromise,
    waitMs: number | undefined,
    after: number | undefined,
  ): Promise<CallResult> {
    const { token } = opened;
    const allowedMs = DEADLINE_SHARE * this.#services.deadlineMs(run);
    // A stream sends heartbeats, so without `wait_ms` it waits as long as the deadline allows.
    const wantedMs = waitMs === undefined && run.sink !== undefined ? allowedMs : Math.min(waitMs ?? 0, MAX_WAIT_MS);
    const mayWaitMs = Math.min(wantedMs, allowedMs);
    const { external, remote } = opened.definition;
    if (remote !== undefined) {
      return await this.#pollUntilEnd(
        run,
        mayWaitMs,
        (wait) => this.#pollRemote(run, opened, remote, { ...wait, after }),
      );
    }
    if (external !== undefined) {
      return await this.#pollUntilEnd(
        run,
        mayWaitMs,
        ({ isFirst }) => this.#checkExternal(run, opened, external, isFirst),
      );
    }
    if (!this.#promises.isKnowable(opened)) return this.#promises.promiseLost();
    if (run.request.meta?.continuation === token) await this.#answer(run, opened);
    const reader = after === undefined ? undefined : new PieceReader(after);
    const job = await this.#waits.untilEnd(run, opened.id, mayWaitMs, reader);
    return job === undefined ? this.#promises.promiseLost() : this.#promises.resultOf(job, token);
  }

  async #cancel(run: CallContext, opened: RemotePromise): Promise<CallResult> {
    const { external, remote } = opened.definition;
    if (remote !== undefined) return await remote.cancel(run, opened);
    if (external !== undefined) return await this.#cancelExternal(run, opened, external);
    const job = this.#promises.isKnowable(opened) ? await this.#jobs.engine.get(opened.id) : undefined;
    if (job === undefined) return this.#promises.promiseLost();
    const state = isFinal(job) ? job.state : await this.#jobs.cancel(opened.id);
    return { kind: "answer", value: { cancelled: state === "cancelled" } };
  }

  /** Answers a job's questions by a call that has the promise token as its continuation. */
  async join(run: CallContext, token: string): Promise<CallResult> {
    const opened = this.#promises.open(token, run.request.peer);
    const job = "kind" in opened || !this.#promises.isKnowable(opened)
      ? undefined
      : await this.#jobs.engine.get(opened.id);
    if (job === undefined || job.digest !== digestOfRun(run)) return INVALID_CONTINUATION;
    await this.#answer(run, opened as RemotePromise);
    return await this.#waits.untilJoinedEnd(run, job);
  }

  /**
   * The result of a promised call that a handler has made. With a follower, a job that has not ended gives its promise again, and wakes the
   * follower at its end; other work is waited for here. If the run is ended meanwhile, the work is cancelled.
   */
  async awaitJob(run: CallContext, token: string, follower: JobFollower | undefined): Promise<AwaitedJob> {
    const opened = this.#promises.open(token, run.request.peer);
    if ("kind" in opened) return { result: opened };
    const { external, remote } = opened.definition;
    // A call that undoes what a cancelled job did has time for that.
    const { undo } = run.lease ?? {};
    const isEnded = () => run.runState.ended !== undefined && undo?.isOver !== false;
    if (follower !== undefined && external === undefined && remote === undefined) {
      const job = await this.#jobs.follow(opened.id, follower);
      const result = job === undefined ? this.#promises.promiseLost() : this.#promises.resultOf(job, token);
      return { result, job: opened.id };
    }
    for (;;) {
      const result = await this.#redeem(run, opened, isEnded() ? 0 : MAX_WAIT_MS, undefined);
      if (result.kind === "promise" && isEnded() && await this.#isOver(run)) await this.#cancel(run, opened);
      if (result.kind !== "promise" || isEnded() || this.#services.isClosed) return { result };
    }
  }

  /** Cancels the work of a promised call that a handler has made, unless it has ended. Returns its result. */
  async endJob(run: CallContext, token: string): Promise<CallResult> {
    const opened = this.#promises.open(token, run.request.peer);
    if ("kind" in opened) return opened;
    await this.#cancel(run, opened);
    return await this.#redeem(run, opened, 0, undefined);
  }

  /** Whether a run was ended from outside permanently: that of a job only if the job was cancelled, since another process may run it. */
  async #isOver({ lease, runState }: CallContext): Promise<boolean> {
    if (runState.ended === undefined || this.#services.isClosed) return false;
    return lease === undefined || (await this.#jobs.engine.get(lease.job.id))?.state === "cancelled";
  }

  /** Passes the caller's answers to the job. */
  async #answer(run: CallContext, { id }: RemotePromise): Promise<void> {
    const { responses } = run.request.meta ?? {};
    if (responses !== undefined) await this.#jobs.answer(id, readAnswers(responses));
  }

  /** Polls external work until it has ended or the time is up. */
  async #pollUntilEnd(
    run: CallContext,
    waitMs: number,
    poll: (wait: RedeemWait) => Promise<CallResult>,
  ): Promise<CallResult> {
    const untilMs = this.#services.clock.elapsed() + waitMs;
    for (let isFirst = true;; isFirst = false) {
      const result = await poll({ waitMs: Math.max(0, untilMs - this.#services.clock.elapsed()), isFirst });
      const leftMs = untilMs - this.#services.clock.elapsed();
      if (result.kind !== "promise" || leftMs <= 0 || run.runState.ended !== undefined || this.#services.isClosed) {
        return result;
      }
      if (result.progress !== undefined) run.runState.progress(result.progress);
      const pause = this.#waits.pause(run, Math.min(Math.max(result.retryAfterMs, MIN_PAUSE_MS), leftMs));
      await pause.over;
      pause.end();
    }
  }

  /** Polls a remote server, which may wait before it answers; if this server closes first, the caller gets its promise again. */
  async #pollRemote(
    run: CallContext,
    opened: RemotePromise,
    remote: RemoteRunner,
    wait: RedeemWait,
  ): Promise<CallResult> {
    const abandoned = new AbortController();
    const pause = this.#waits.pause(run, this.#services.deadlineMs(run));
    const redeemed = remote.redeem(run, opened, { ...wait, signal: abandoned.signal });
    const again = pause.over.then(() => renewPromise(opened, new Pending({}), this.#services.clock.now()));
    try {
      return await Promise.race([redeemed, again]);
    } finally {
      pause.end();
      abandoned.abort();
    }
  }

  async #cancelExternal(run: CallContext, opened: RemotePromise, { cancel }: ExternalDefinition): Promise<CallResult> {
    if (cancel === undefined) return notCancellable(opened.definition);
    const result = await this.#services.runTool(this.#externalRun(run, opened, cancel));
    if (result.kind !== "answer") return result;
    return { kind: "answer", value: { cancelled: result.value !== false } };
  }

  /** Looks at external work, which may ask. An answer reaches one look: the work keeps it, not the token. */
  async #checkExternal(
    run: CallContext,
    opened: RemotePromise,
    { check }: ExternalDefinition,
    isFirst: boolean,
  ): Promise<CallResult> {
    const { output } = opened.definition;
    const inner = this.#externalRun(run, opened, check, output);
    inner.externalToken = opened.token;
    const { continuation, responses } = run.request.meta ?? {};
    if (isFirst && continuation === opened.token) {
      inner.resume(opened.id, { answers: Object.fromEntries(readAnswers(responses)), steps: {} });
    }
    return await this.#services.runTool(inner);
  }

  #externalRun(
    run: CallContext,
    opened: RemotePromise,
    work: NonNullable<ExternalDefinition["cancel"]>,
    output?: ToolDefinition["output"],
  ): CallContext {
    const definition: ToolDefinition = {
      ...opened.definition,
      output,
      // The input is the signed state; the arguments of the call are not stored.
      input: undefined,
      handler: (_, ctx) => work(opened.data, ctx),
    };
    const inner = new CallContext(definition, { ...run.request, tool: definition.name }, run.services, run.sink);
    inner.useStateOf(run, opened.id);
    inner.redeemed = opened;
    return inner;
  }
}

/** The promise outcome of external or remote work that is still running: the same token, with delay, progress and estimate of `ctx.pending()`. */
export function renewPromise(
  { token, expiresAtMs }: RemotePromise,
  { options }: Pending,
  nowMs: number,
): PromiseOutcome {
  const { retryAfterMs = DEFAULT_RETRY_AFTER_MS, progress, estimatedMs = NaN } = options;
  const ttlMs = Math.max(0, expiresAtMs - nowMs);
  const promise = {
    kind: "promise",
    token,
    expiresAtMs,
    ttlMs,
    retryAfterMs: retryAfterMs >= 0 ? retryAfterMs : DEFAULT_RETRY_AFTER_MS,
    progress,
  } as const;
  // An estimate after the expiry of the promise is useless, and may be no valid date.
  return estimatedMs <= expiresAtMs ? { ...promise, estimatedMs } : promise;
}

function notCancellable({ name }: ToolDefinition): FailureOutcome {
  return {
    kind: "failure",
    code: "not_cancellable",
    message: `The work of ${name} cannot be cancelled`,
    data: undefined,
  };
}
