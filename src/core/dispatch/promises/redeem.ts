/**
 * The system tools `redeem` and `cancel`: what a promise token is for.
 *
 * Source: docs/spec.md 2.2, 3.5, 3.6 and A.3.
 *
 * @module
 */
import type { CallResult, FailureOutcome, PromiseOutcome } from "../../call/outcome.ts";
import { isFinal, type Jobs } from "../../../engine/jobs.ts";
import { Pending } from "../../handler/context.ts";
import type { ExternalDefinition, RemoteRunner, RemoteWait, ToolDefinition } from "../../tool/definition.ts";
import type { RedeemInput } from "../../tool/system_tools.ts";
import { readAnswers } from "../questions/asking.ts";
import { INVALID_CONTINUATION } from "../questions/continuation.ts";
import type { DispatchServices } from "../services.ts";
import type { OpenedPromise, PromiseTokens } from "./promise_tokens.ts";
import type { CallContext } from "../call_context.ts";
import { DEADLINE_SHARE, type JobWaiters } from "./job_waiters.ts";

/** Longest wait that a caller may ask for, in milliseconds: proxies cut connections at 30 s and more. */
const MAX_WAIT_MS = 25_000;

const DEFAULT_RETRY_AFTER_MS = 1_000;

type Wait = Omit<RemoteWait, "signal">;

/** Redeems promises. */
export class Redeemer {
  readonly #host: DispatchServices;
  readonly #jobs: Jobs;
  readonly #promises: PromiseTokens;
  readonly #waits: JobWaiters;

  constructor(host: DispatchServices, jobs: Jobs, promises: PromiseTokens, waits: JobWaiters) {
    this.#host = host;
    this.#jobs = jobs;
    this.#promises = promises;
    this.#waits = waits;
  }

  /** Gives how the promised work ended, what it asks, or the same promise again. */
  redeem(run: CallContext, { promise, wait_ms: waitMs }: RedeemInput): Promise<CallResult> {
    return this.#goOn(run, promise, (opened) => this.#redeem(run, opened, waitMs));
  }

  /** Cancels the promised work, if it has not ended. */
  cancel(run: CallContext, { promise }: RedeemInput): Promise<CallResult> {
    return this.#goOn(run, promise, (opened) => this.#cancel(run, opened));
  }

  /** Reads a token; what is done with it is within the middleware of the part that it is of. */
  async #goOn(
    run: CallContext,
    token: string,
    last: (opened: OpenedPromise) => Promise<CallResult>,
  ): Promise<CallResult> {
    const opened = this.#promises.open(token, run.principal);
    if ("kind" in opened) return opened;
    return await this.#host.runWithin(run, opened.definition.part?.middleware ?? [], () => last(opened));
  }

  async #redeem(run: CallContext, opened: OpenedPromise, waitMs: number | undefined): Promise<CallResult> {
    const { token } = opened;
    const allowedMs = DEADLINE_SHARE * this.#host.deadlineMs(run);
    // A stream shows that it lives: without a word of its caller it goes on until there is no more time.
    const wantedMs = waitMs === undefined && run.sink !== undefined ? allowedMs : Math.min(waitMs ?? 0, MAX_WAIT_MS);
    const mayWaitMs = Math.min(wantedMs, allowedMs);
    const { external, remote: relay } = opened.definition;
    if (relay !== undefined) {
      return await this.#askUntilOver(run, mayWaitMs, (wait) => this.#askRelay(run, opened, relay, wait));
    }
    if (external !== undefined) {
      return await this.#askUntilOver(run, mayWaitMs, () => this.#runExternal(run, opened, external.check));
    }
    if (!this.#promises.isKnowable(opened)) return this.#promises.lost();
    if (run.call.meta?.continuation === token) await this.#answer(run, opened);
    const job = await this.#waits.untilOver(run, opened.id, mayWaitMs);
    return job === undefined ? this.#promises.lost() : this.#promises.settledOf(job, token);
  }

  async #cancel(run: CallContext, opened: OpenedPromise): Promise<CallResult> {
    const { external, remote: relay } = opened.definition;
    if (relay !== undefined) return await relay.cancel(run, opened);
    if (external !== undefined) return await this.#cancelExternal(run, opened, external);
    const job = this.#promises.isKnowable(opened) ? await this.#jobs.engine.get(opened.id) : undefined;
    if (job === undefined) return this.#promises.lost();
    const state = isFinal(job) ? job.state : await this.#jobs.cancel(opened.id);
    return { kind: "answer", value: { cancelled: state === "cancelled" } };
  }

  /** Goes on with a job whose caller answers by its own call, with the promise token as continuation. */
  async join(run: CallContext, token: string): Promise<CallResult> {
    const opened = this.#promises.open(token, run.principal);
    const job = "kind" in opened || !this.#promises.isKnowable(opened)
      ? undefined
      : await this.#jobs.engine.get(opened.id);
    if (job === undefined || job.digest !== run.digest) return INVALID_CONTINUATION;
    await this.#answer(run, opened as OpenedPromise);
    return await this.#waits.untilJoinedSettled(run, job);
  }

  /** Takes the caller's answers to what the job asks. */
  async #answer(run: CallContext, { id }: OpenedPromise): Promise<void> {
    const { responses } = run.call.meta ?? {};
    if (responses !== undefined) await this.#jobs.answer(id, readAnswers(responses));
  }

  /** Asks whoever does the work elsewhere, until it is over, or there is no more time. */
  async #askUntilOver(run: CallContext, waitMs: number, ask: (wait: Wait) => Promise<CallResult>): Promise<CallResult> {
    const untilMs = this.#host.clock.elapsed() + waitMs;
    for (let isFirst = true;; isFirst = false) {
      const settled = await ask({ waitMs: Math.max(0, untilMs - this.#host.clock.elapsed()), isFirst });
      const leftMs = untilMs - this.#host.clock.elapsed();
      if (settled.kind !== "promise" || leftMs <= 0 || run.live.ended !== undefined || this.#host.isClosed) {
        return settled;
      }
      if (settled.progress !== undefined) run.live.progress(settled.progress);
      const pause = this.#waits.pause(run, Math.min(settled.retryAfterMs, leftMs));
      await pause.over;
      pause.end();
    }
  }

  /** A server that is asked to wait does so: when this one closes, the caller has its promise still. */
  async #askRelay(run: CallContext, opened: OpenedPromise, relay: RemoteRunner, wait: Wait): Promise<CallResult> {
    const leaving = new AbortController();
    const pause = this.#waits.pause(run, this.#host.deadlineMs(run));
    const asked = relay.redeem(run, opened, { ...wait, signal: leaving.signal });
    const again = pause.over.then(() => promiseAgain(opened, new Pending({}), this.#host.clock.now()));
    try {
      return await Promise.race([asked, again]);
    } finally {
      pause.end();
      leaving.abort();
    }
  }

  async #cancelExternal(run: CallContext, opened: OpenedPromise, { cancel }: ExternalDefinition): Promise<CallResult> {
    if (cancel === undefined) return notCancellable(opened.definition);
    const settled = await this.#runExternal(run, opened, cancel);
    if (settled.kind !== "answer") return settled;
    return { kind: "answer", value: { cancelled: settled.value !== false } };
  }

  async #runExternal(
    run: CallContext,
    opened: OpenedPromise,
    work: NonNullable<ExternalDefinition["cancel"]>,
  ): Promise<CallResult> {
    // The state is what was signed; what the arguments were is not known any more.
    const output = work === opened.definition.external?.check ? opened.definition.output : undefined;
    const plan: ToolDefinition = {
      ...opened.definition,
      output,
      input: undefined,
      handler: (_, ctx) => work(opened.data, ctx),
    };
    const inner = run.within(plan, opened.id);
    inner.redeemed = opened;
    return await this.#host.runTool(inner);
  }
}

/** The same promise again, with what is known of the work. */
export function promiseAgain(
  { token, expiresAtMs }: OpenedPromise,
  { options }: Pending,
  nowMs: number,
): PromiseOutcome {
  const { retryAfterMs = DEFAULT_RETRY_AFTER_MS, progress, estimatedMs = Number.NaN } = options;
  const ttlMs = Math.max(0, expiresAtMs - nowMs);
  const promise = {
    kind: "promise",
    token,
    expiresAtMs,
    ttlMs,
    retryAfterMs: retryAfterMs >= 0 ? retryAfterMs : DEFAULT_RETRY_AFTER_MS,
    progress,
  } as const;
  // What is later than the promise itself is as good as no estimate, and maybe no date.
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
