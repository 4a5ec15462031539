/** Promises of jobs: their tokens, and the results that they become. Part of the code that is loaded on demand. */
import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type Progress,
  type PromiseOutcome,
} from "../../core/call/outcome.ts";
import type { Engine, Job } from "../../core/dispatch/engine.ts";
import type { TokenKeys } from "../../core/token/token.ts";
import type { RemotePromise } from "../../core/tool/definition.ts";
import { resultKindOf } from "../../core/dispatch/questions/question_specs.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import { awaitsValue, describeWaits } from "./job_waits.ts";
import { CLOCK_SKEW_MS, PromiseTokens, RETRY_AFTER_MS } from "./promise_tokens.ts";

/** Longest such delay while a job sleeps, and while it waits for a value, which may come at any time, in milliseconds. */
const MAX_SLEEP_MS = 30_000;
const MAX_WAIT_MS = 1_000;

/** Converts jobs to what their callers get: the promise with its token, or the result, and the error for a job that the engine does not have. */
export class JobPromises extends PromiseTokens {
  readonly #services: DispatchServices;
  readonly #engine: Engine;

  constructor(services: DispatchServices, engine: Engine, keys: TokenKeys) {
    super(services, keys);
    this.#services = services;
    this.#engine = engine;
  }

  /**
   * The promise of a job, with its progress, and for a job that waits what it waits for.
   *
   * @param token The token that the caller has already; it stays the same, even if its key no longer signs.
   */
  ofJob(job: Job, token: string = this.#signJob(job)): PromiseOutcome {
    const { estimatedMs, state } = job;
    const expiresAtMs = toPromiseEnd(job);
    const ttlMs = Math.max(0, expiresAtMs - this.#services.clock.now());
    const promise = {
      kind: "promise",
      token,
      expiresAtMs,
      ttlMs,
      retryAfterMs: RETRY_AFTER_MS,
      progress: this.progressOf(job),
    } as const;
    return state === "waiting" || state === "blocked"
      ? { ...promise, retryAfterMs: this.#retryAfterMs(job) }
      : { ...promise, estimatedMs };
  }

  /** The progress that callers see: while a job waits, its message is what the job waits for. */
  progressOf(job: Job): Progress | undefined {
    const message = job.state === "waiting" ? describeWaits(job, this.#services.clock.now()) : describeBlock(job);
    return message === "" ? job.progress : { done: 0, ...job.progress, message };
  }

  /** Delay after which a caller asks again for a job that waits: before, there is nothing new. */
  #retryAfterMs(job: Job): number {
    const { wakeAtMs = 0 } = job;
    const leftMs = Math.min(wakeAtMs - this.#services.clock.now(), awaitsValue(job) ? MAX_WAIT_MS : MAX_SLEEP_MS);
    return Math.max(RETRY_AFTER_MS, Math.ceil(leftMs));
  }

  /** Whether the engine can have the job of a promise: engines of one process have only their own. */
  isKnowable({ data }: RemotePromise): boolean {
    return (data as { readonly instance?: string } | undefined)?.instance === this.#engine.processId;
  }

  /** The error for a promise whose job the engine does not have, with a remedy. */
  promiseLost(): ErrorResult {
    const { name, processId: instance } = this.#engine;
    const reason = instance === undefined
      ? `the engine ${name} has no such job, or none any more`
      : `the engine ${name} keeps jobs in one process only, until it ends; with the engines sqlite and bullmq they outlive it`;
    return errorResult("promise_lost", `This server does not know the promised work: ${reason}`, { engine: name });
  }

  /**
   * What a caller of a job gets: its result if it has ended, the failure `cancelled`, its questions, or else its promise.
   *
   * @param token The promise token, if the caller has it.
   */
  resultOf(job: Job, token?: string): CallResult {
    const { state, requests, outcome } = job;
    if (state === "cancelled") {
      return { kind: "failure", code: "cancelled", message: "The work was cancelled", data: undefined };
    }
    if (state === "asking" && requests !== undefined) {
      return { kind: resultKindOf(requests), requests, continuation: token ?? this.#signJob(job) };
    }
    return state === "done" && outcome !== undefined ? outcome : this.ofJob(job, token);
  }

  #signJob(job: Job): string {
    const { id, tool, principal } = job;
    const { processId: instance } = this.#engine;
    return this.sign(tool, principal, id, toPromiseEnd(job), instance === undefined ? undefined : { instance });
  }
}

/** When the promise of a job ends, in milliseconds since the Unix epoch. */
function toPromiseEnd({ expiresAtMs }: Job): number {
  return expiresAtMs - CLOCK_SKEW_MS;
}

/** Why a job is blocked, for its caller; empty for other jobs. */
function describeBlock({ state, outcome }: Job): string {
  return state === "blocked" && outcome !== undefined && "message" in outcome ? `Blocked: ${outcome.message}` : "";
}
