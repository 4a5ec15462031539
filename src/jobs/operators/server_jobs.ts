/** The jobs of a server, read and changed by its operators. */
import { createRedactor, type Redactor } from "../../core/redaction/redact.ts";
import type { JobControl, WaitResolution } from "../../core/dispatch/deferral.ts";
import type { AskAnswer, Job, JobState } from "../../core/dispatch/engine.ts";
import { toToolError } from "../../core/call/outcome.ts";
import { omitUndefined } from "../../internal/json.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { assertAnswer, assertContent, assertWait } from "./assert_answers.ts";
import {
  checkListOptions,
  checkPurgeOptions,
  filterOf,
  hasTags,
  type ListedJobs,
  type ListJobsOptions,
  type PurgeJobsOptions,
  refused,
  statesOf,
} from "./job_conditions.ts";
import { mapInBatches } from "./map_in_batches.ts";
import { describe, failedKeys, retriedMemo, undoneMessage } from "./retried_job.ts";
import { canRetry, detailOf, type JobDetail, type JobSummary, summaryOf } from "./job_views.ts";

const ENDED: readonly JobState[] = ["done", "cancelled"];

/** A page of jobs. */
export interface JobList {
  /** The jobs, the latest first. There may be fewer than the limit, or none, although there are further pages. */
  readonly jobs: readonly JobSummary[];
  /** Position for the next page. Absent on the last page. */
  readonly cursor?: string;
}

/** Result of {@link ServerJobs.purge}. */
export interface PurgedJobs {
  /** Number of deleted jobs. */
  readonly purged: number;
  /** Whether all jobs were searched. If not, purge again with `cursor`. */
  readonly isComplete: boolean;
  /** Position to continue at. Absent if the purge is complete. */
  readonly cursor?: string;
}

/** The jobs of a server, for its operators. It gives access to the jobs of all callers. */
export interface ServerJobs {
  /**
   * Lists jobs, the latest first.
   *
   * @throws {ToolError} `invalid_request` if the engine has no list, or an option is invalid; `unavailable` if the engine does not answer.
   */
  list(options?: ListJobsOptions): Promise<JobList>;
  /**
   * Shows one job.
   *
   * @param options With `values`, arguments, results of steps and the result are part of it, without secrets. Default: without.
   * @throws {ToolError} `invalid_request` if there is no such job.
   */
  inspect(id: string, options?: { readonly values?: boolean | undefined }): Promise<JobDetail>;
  /**
   * Begins a job again whose attempts were used up, from the step that failed, with the results of the others: its promise then has a
   * result again. A job whose handler ran steps after that failure is refused, since they may have undone what was done before.
   *
   * @throws {ToolError} `invalid_request` if there is no such job, or it cannot begin again.
   */
  retry(id: string): Promise<JobSummary>;
  /**
   * Creates a new job with the arguments and the caller of another one, whose arguments are kept: one that has not ended, or whose
   * attempts are used up. The caller does not get its result.
   *
   * @throws {ToolError} `invalid_request` if there is no such job, its arguments are not kept, or it has config.
   */
  rerun(id: string): Promise<JobSummary>;
  /**
   * Answers questions of a job that asks, in place of its caller. The first answer to each key counts.
   *
   * @param answers Answers by key, with the action `accept`, `decline` or `cancel`.
   * @throws {ToolError} `invalid_request` if there is no such job, it does not ask under one of these keys, an action is another one, or
   * the content of an accepted question does not fit its schema.
   */
  answer(id: string, answers: Readonly<Record<string, AskAnswer>>): Promise<JobSummary>;
  /**
   * Gives a value to a wait of a job (`ctx.waitFor`) by its key, in place of the service or the person that has its token. The first value
   * counts.
   *
   * @throws {ToolError} `invalid_request` if there is no such job, it does not wait under this key, or the value does not fit.
   */
  resolve(id: string, key: string, value: unknown): Promise<JobSummary>;
  /**
   * Declines a wait of a job by its key.
   *
   * @throws {ToolError} `invalid_request` if there is no such job, or it does not wait under this key.
   */
  decline(id: string, key: string, reason?: string): Promise<JobSummary>;
  /**
   * Cancels a job. One that has ended remains as it is.
   *
   * @throws {ToolError} `invalid_request` if there is no such job.
   */
  cancel(id: string): Promise<JobSummary>;
  /**
   * Deletes ended jobs; a redeem of their promises then gives `promise_lost`, and a call with the idempotency key of one runs again.
   * Cancelled jobs whose handlers are undoing what they did remain until they have.
   * Calls of schedules remain until they expire: without their record a replica could make them again. Deletes at most 10,000 at
   * once.
   *
   * @param options Conditions, or `all: true`. The states are `done` and `cancelled`, unless one of them is named.
   * @throws {ToolError} `invalid_request` if another state is named (cancel such jobs first), a condition is unknown, or there is no condition.
   */
  purge(options: PurgeJobsOptions): Promise<PurgedJobs>;
}

const MAX_LIMIT = 100;
/** Pages of the engine that one page, and one purge, is made of. */
const MAX_PAGES = 20;
const MAX_PURGE_PAGES = 100;
const MAX_TRIES = 10;
/** Delay after which a job that begins again is delivered if the engine fails before its delivery is scheduled, in milliseconds. */
const RETRY_AGAIN_MS = 5_000;

/** Implements {@link ServerJobs} with the job control of a server's dispatcher. */
export class OperatedJobs implements ServerJobs {
  readonly #control: () => JobControl | undefined;
  readonly #redactor: Redactor = createRedactor();
  readonly #tenant: string | undefined;

  /**
   * @param control Read at each call, which starts a worker.
   * @param tenant The only tenant whose jobs there are for this operator. Default: all jobs.
   */
  constructor(control: () => JobControl | undefined, tenant?: string) {
    this.#control = control;
    this.#tenant = tenant;
  }

  async list(options: ListJobsOptions = {}): Promise<JobList> {
    checkListOptions(options);
    const { cursor, limit = 50, tags, ...listed } = options;
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw refused(`Cannot list jobs: limit must be a whole number from 1 to ${MAX_LIMIT}, not ${limit}`);
    }
    const states = statesOf(listed);
    const jobs: JobSummary[] = [];
    let at = cursor;
    // Engines do not know tags: each job is read.
    const [reads, pages] = tags === undefined ? [1, MAX_PAGES] : [MAX_PAGES, 1];
    for (let read = 0; read < reads && jobs.length < limit; read++) {
      const { ids, next } = await this.#ids(listed, limit - jobs.length, at, pages);
      const found = await mapInBatches(ids, async (id) => {
        const job = await this.#engine.get(id);
        // The state may have changed since.
        const isListed = job !== undefined && states?.includes(job.state) !== false && this.#isOwn(job);
        return isListed && hasTags(job, tags) ? [summaryOf(job, this.#redactor)] : [];
      });
      jobs.push(...found.flat());
      at = next;
      if (at === undefined) break;
    }
    return { jobs, ...(at !== undefined && { cursor: at }) };
  }

  async inspect(id: string, { values = false }: { readonly values?: boolean } = {}): Promise<JobDetail> {
    const job = await this.#get(id);
    const ledger = await this.#jobs.readLedger(id);
    return detailOf(job, ledger, { tool: this.#jobs.toolOf(job.tool), redactor: this.#redactor, hasValues: values });
  }

  async retry(id: string): Promise<JobSummary> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { outcome, isNotified: _, wakeAtMs: __, blockedSinceMs: ___, ...job } = await this.#get(id);
      const isBlocked = job.state === "blocked";
      const { failed, undos, ...memo } = job.memo;
      const ledger = await this.#jobs.readLedger(id);
      if (undos !== undefined && !isBlocked) throw refused(undoneMessage(id, failedKeys(ledger, failed), undos));
      if (!canRetry(job, outcome)) {
        throw refused(
          `Cannot retry job ${id}: it is ${job.state}${
            outcome === undefined ? "" : ` with ${describe(outcome)}`
          }; only ` +
            "a job whose attempts are used up can begin again, if its tool has .promise({ keepFailed: true }) and its call had no config",
        );
      }
      const next: Job = {
        ...job,
        state: "queued",
        attempt: 0,
        version: job.version + 1,
        memo: isBlocked ? job.memo : retriedMemo(memo, ledger.length),
      };
      // Before the change: a queued job without a delivery would never run.
      await this.#engine.schedule(id, RETRY_AGAIN_MS);
      if (!await this.#engine.replace(next, job.version)) continue;
      await this.#engine.schedule(id, 0);
      return summaryOf(next, this.#redactor);
    }
    throw new ToolError("unavailable", `Cannot retry job ${id}: other processes change it at the same time; try again`);
  }

  async rerun(id: string): Promise<JobSummary> {
    const job = await this.#get(id);
    if (job.args === null) {
      throw refused(`Cannot run job ${id} again: it is ${job.state}, and its arguments are no longer kept`);
    }
    if (job.config !== undefined) throw refused(`Cannot run job ${id} again: its config belongs to that call alone`);
    const nowMs = this.#jobs.clock.now();
    const { tool, revision, args, digest, principal, context, maxAttempts, keepsFailed, undoMs, tags } = job;
    const next: Job = {
      ...{
        id: crypto.randomUUID(),
        version: 1,
        epoch: 0,
        state: "queued",
        attempt: 0,
        tool,
        args,
        digest,
        maxAttempts,
      },
      ...omitUndefined({ revision, principal, context, keepsFailed, undoMs, tags }),
      createdAtMs: nowMs,
      expiresAtMs: nowMs + (job.expiresAtMs - job.createdAtMs),
      memo: { answers: {}, steps: {} },
    };
    await this.#engine.insert(next, 0);
    return summaryOf(next, this.#redactor);
  }

  async answer(id: string, answers: Readonly<Record<string, AskAnswer>>): Promise<JobSummary> {
    const { state, requests = {} } = await this.#get(id);
    for (const [key, answer] of Object.entries(answers)) assertAnswer(id, key, answer);
    const unknown = Object.keys(answers).find((key) => !Object.hasOwn(requests, key));
    if (state !== "asking" || unknown !== undefined) {
      const keys = Object.keys(requests).join(", ");
      throw refused(
        state === "asking"
          ? `Cannot answer job ${id}: it does not ask under the key "${unknown}", but under ${keys}`
          : `Cannot answer job ${id}: it is ${state}, and asks nothing`,
      );
    }
    for (const [key, answer] of Object.entries(answers)) assertContent(id, key, answer, requests[key]?.schema);
    await this.#jobs.answer(id, new Map(Object.entries(answers)));
    return summaryOf(await this.#get(id), this.#redactor);
  }

  async resolve(id: string, key: string, value: unknown): Promise<JobSummary> {
    assertWait(await this.#get(id), key, { content: value });
    return await this.#settleWait(id, key, { done: "accept", content: value });
  }

  async decline(id: string, key: string, reason?: string): Promise<JobSummary> {
    assertWait(await this.#get(id), key);
    return await this.#settleWait(id, key, { done: "decline", reason });
  }

  async #settleWait(id: string, key: string, resolution: WaitResolution): Promise<JobSummary> {
    const result = await this.#jobs.resolveWait(id, key, resolution);
    if ("kind" in result) throw toToolError(result);
    if (!result.resolved) throw refused(`Cannot resolve "${key}" of job ${id}: it was resolved meanwhile`);
    return summaryOf(await this.#get(id), this.#redactor);
  }

  async cancel(id: string): Promise<JobSummary> {
    await this.#get(id);
    await this.#jobs.cancel(id);
    return summaryOf(await this.#get(id), this.#redactor);
  }

  async purge(options: PurgeJobsOptions): Promise<PurgedJobs> {
    checkPurgeOptions(options);
    const { cursor, all: _, ...listed } = options;
    const states = statesOf(listed) ?? ENDED;
    const live = states.find((state) => !ENDED.includes(state));
    if (live !== undefined) {
      throw refused(
        `Cannot purge jobs that are ${live}: purge deletes jobs that are done or cancelled; cancel them first`,
      );
    }
    const { ids, next } = await this.#ids(
      { ...listed, state: states },
      MAX_LIMIT * MAX_PURGE_PAGES,
      cursor,
      MAX_PURGE_PAGES,
    );
    const purged = await mapInBatches(ids, async (id) => {
      const job = await this.#engine.get(id);
      const isPurged = job !== undefined && ENDED.includes(job.state) && job.schedule === undefined &&
        job.undoUntilMs === undefined && this.#isOwn(job);
      // It may begin again after it was read: then it has another version.
      return isPurged && await this.#engine.replace(expiredOf(job), job.version);
    });
    const isComplete = next === undefined;
    return { purged: purged.filter(Boolean).length, isComplete, ...(!isComplete && { cursor: next }) };
  }

  get #jobs(): JobControl {
    const control = this.#control();
    if (control !== undefined) return control;
    throw refused("Cannot read jobs: the server has no engine; pass one, as createServer({ engine: memoryEngine() })");
  }

  get #engine(): JobControl["engine"] {
    return this.#jobs.engine;
  }

  async #get(id: string): Promise<Job> {
    const job = await this.#engine.get(id);
    if (job !== undefined && this.#isOwn(job)) return job;
    throw refused(
      `There is no job ${JSON.stringify(id).slice(0, 80)}: it has expired or was purged, or the id is wrong`,
    );
  }

  /** Whether the job is of the operator's tenant, if there is one. Engines of other authors may know no tenants. */
  #isOwn({ principal }: Job): boolean {
    return this.#tenant === undefined || principal?.tenant === this.#tenant;
  }

  /** Ids of up to `limit` jobs, from up to `pages` pages of the engine. */
  async #ids(
    { tenant = this.#tenant, ...listed }: ListedJobs,
    limit: number,
    cursor: string | undefined,
    pages: number,
  ): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }> {
    const engine = this.#engine;
    if (engine.list === undefined) {
      throw refused(
        `Cannot list jobs: the engine "${engine.name}" has no list(); jobs can be inspected, retried and cancelled by their id`,
      );
    }
    if (this.#tenant !== undefined && tenant !== this.#tenant) {
      throw refused(
        `Cannot list jobs: those of tenant ${JSON.stringify(tenant)} are not for an operator of another one`,
      );
    }
    const filter = filterOf({ ...listed, tenant }, this.#jobs.clock.now());
    const ids: string[] = [];
    let next = cursor;
    for (let page = 0; page < pages && ids.length < limit; page++) {
      const found = await engine.list(filter, Math.min(MAX_LIMIT, limit - ids.length), next);
      ids.push(...found.ids);
      next = found.cursor;
      if (next === undefined) break;
    }
    return { ids, next };
  }
}

/**
 * A change of an ended job that deletes it: it expires at once, and has no values. `remove()` could delete a newer job that has the
 * same id.
 */
function expiredOf({ id, version, epoch, state, attempt, maxAttempts, tool, digest, createdAtMs }: Job): Job {
  return {
    ...{ id, version: version + 1, epoch, state, attempt, maxAttempts, tool, digest, createdAtMs, expiresAtMs: 0 },
    args: null,
    memo: { answers: {}, steps: {} },
  };
}

/** A server whose jobs are read: the dispatcher is behind the member for transports. */
export interface JobsHost {
  /** @internal */
  readonly "~server": {
    readonly host: { readonly dispatch: { readonly deferral: { readonly jobs: JobControl } | undefined } };
  };
}

/**
 * The jobs of a server, for its operators.
 *
 * @param server A server with an engine: one of the front door, or with the option `engine`.
 * @returns Functions that list and change the jobs of all callers; do not pass it to callers.
 * @throws {TypeError} If it is not a server, or it has no engine.
 */
export function jobsOf(server: JobsHost): ServerJobs {
  const dispatch = server?.["~server"]?.host.dispatch;
  if (dispatch === undefined) throw new TypeError("Cannot read jobs: pass the server, as jobsOf(server)");
  if (dispatch.deferral === undefined) {
    throw new TypeError(
      'Cannot read jobs: the server has no engine; pass one, as createServer({ engine: memoryEngine() }), of "toolwire/engines"',
    );
  }
  return new OperatedJobs(() => dispatch.deferral?.jobs);
}
