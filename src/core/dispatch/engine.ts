/**
 * The contract of an engine: stores jobs and delivers them to workers.
 *
 * An engine treats a job as opaque data; its meaning is implemented once, in src/jobs/promises/jobs.ts. Each change of
 * a job is a compare-and-set on its version, so that the second of two concurrent changes fails. Delivery is at least once.
 */
import type { Principal, TraceContext } from "../call/call.ts";
import type { CallResult, Progress, Question } from "../call/outcome.ts";
import type { Json } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/async.ts";

/** State of a job: `asking` waits for answers, `waiting` for a time or a value, `blocked` for code that fits it. Only an operator's retry changes `done`; `cancelled` is final. */
export type JobState = "queued" | "running" | "asking" | "waiting" | "blocked" | "done" | "cancelled";

/** A reply to one question of a job, by its caller or an operator. */
export interface AskAnswer {
  /** Kind of the reply; after a `malformed` one the run asks again. */
  readonly action: "accept" | "decline" | "cancel" | "malformed";
  /** Content of an accepted reply. */
  readonly content?: Json | undefined;
}

/** A sleep of a handler, or its wait for a value, as a job stores it: until when it lasts, and how it ended. */
export interface Wait {
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly until?: number | undefined;
  /** How it ended. Absent while it is open. */
  readonly done?: "accept" | "decline" | "timeout" | undefined;
  /** The accepted value. */
  readonly content?: Json | undefined;
  /** The reason of a refusal. */
  readonly reason?: string | undefined;
  /** Digest of the value, or of the refusal: the same one again is a repeat. */
  readonly digest?: string | undefined;
  /** JSON Schema of the value; absent until a run has come to the wait. */
  readonly schema?: Json | undefined;
  /** Digest of a value that did not fit the schema of the run. */
  readonly refused?: string | undefined;
  /** Of the delay before a step is tried again: number of its tries so far. */
  readonly tries?: number | undefined;
  /** Id of the job whose end is awaited, for a call of another tool. */
  readonly job?: string | undefined;
}

/** The error of a step that has failed finally: each later run throws it again. */
export interface StepFailure {
  /** A `Failure`, a `ToolError`, or any other value that the work has thrown. */
  readonly kind: "failure" | "error" | "thrown";
  /** Code of a `Failure` or a `ToolError`. */
  readonly code?: string | undefined;
  /** Name of the class of any other error. */
  readonly name?: string | undefined;
  /** Message of the error. */
  readonly message: string;
  /** Data of a `Failure`, details of a `ToolError`, members of any other error. */
  readonly data?: Json | undefined;
  /** Number of tries. */
  readonly tries: number;
  /** Whether no other try mends it, such as a result that is not JSON. */
  readonly isMistake?: boolean | undefined;
}

/** How a step has ended: with a result, or with an error. */
export type StepOutcome = { readonly value: Json } | { readonly failure: StepFailure };

/** What the next run of a handler gets of the runs before it: answers, results of steps, and waits, so that it repeats none of them. */
export interface Memo {
  /** Answers of the caller, by key. */
  readonly answers: Readonly<Record<string, AskAnswer>>;
  /** Results of steps that ended before the call had a job, by key. Later ones are in the ledger of the job. */
  readonly steps: Readonly<Record<string, Json>>;
  /** Errors of steps that failed finally before the call had a job, by key. */
  readonly failed?: Readonly<Record<string, StepFailure>> | undefined;
  /** Keys of the steps that have begun after another one had failed: what was done before may have been undone by them. */
  readonly undos?: readonly string[] | undefined;
  /** Number of entries of the ledger when an operator began the job again: failures of steps among them are over. */
  readonly retriedAt?: number | undefined;
  /** Sleeps, waits for values, and delays of steps, by kind and key: `sleep night`, `value approval`, `retry ship`. */
  readonly waits?: Readonly<Record<string, Wait>> | undefined;
  /** Names of the steps, sleeps and waits of the latest run that stopped, in order; the next run has to come to them again. */
  readonly trail?: readonly string[] | undefined;
  /** Whether some of them have run at once, so that their order may differ. */
  readonly isUnordered?: boolean | undefined;
  /** Names of steps, sleeps and waits that began while another one was under way, maybe within it, so that they need not come again. */
  readonly beside?: readonly string[] | undefined;
  /** Number of times that the call was continued with answers; absent before the first. */
  readonly rounds?: number | undefined;
  /** Keys of the questions that the call was continued for. */
  readonly asked?: readonly string[] | undefined;
  /** Number of answers that did not fit, by the key of the question. */
  readonly misfits?: Readonly<Record<string, number>> | undefined;
}

/** What a step of a handler ended with, as the ledger of its job has it. */
export interface LedgerEntry {
  /** Kind and key, such as `step charge`. A later entry takes the place of an earlier one with the same name. */
  readonly name: string;
  /** The result; `null` of a step that has failed. */
  readonly value: Json;
  /** Why the step has failed finally. Absent if it succeeded. */
  readonly failure?: StepFailure;
  /** Whether it began after another step had failed, as one that undoes what was done before. Absent if not. */
  readonly isUndo?: true;
  /** Whether another step was running at the same time. Absent if not. */
  readonly isBeside?: true;
  /** Key of the `ctx.map` that it is an item of, which later runs come to again. Absent for others. */
  readonly list?: string;
  /** When the step began, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** When it ended, in milliseconds since the Unix epoch. */
  readonly endedMs: number;
  /** Number of the run that it was part of: the `epoch` of the job. */
  readonly epoch: number;
}

/** Pieces of a streamed answer that are stored with its job, so that a caller that reconnects can read on. */
export interface JobPieces {
  /** Number of the first one, counted from 0: as many were dropped before it. */
  readonly from: number;
  /** The pieces from that number on. */
  readonly values: readonly Json[];
}

/** Why an attempt of a job has failed, for operators alone: its caller may get a masked error. */
export interface JobFailure {
  /** Number of the attempt. */
  readonly attempt: number;
  /** When it failed, or was found to have died, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Message of the error. */
  readonly message: string;
}

/** A job that waits for another one. */
export interface JobFollower {
  /** Id of the job that waits. */
  readonly id: string;
  /** Name of its wait. */
  readonly wait: string;
}

/** One piece of deferred work, as engines store it: plain JSON. */
export interface Job {
  /** Unique: a UUID. */
  readonly id: string;
  /** The `callId` of its runs, if that is not its id. */
  readonly callId?: string | undefined;
  /** Incremented by each change; changes are compared with it. */
  readonly version: number;
  /** Incremented when a run starts. Changes by runs with a stale epoch are rejected. */
  readonly epoch: number;
  /** State of the job. */
  readonly state: JobState;
  /** Name of the tool. */
  readonly tool: string;
  /** The tool's revision when the job was created. */
  readonly revision?: string | undefined;
  /** The raw arguments. */
  readonly args: Json;
  /** Digest of tool and arguments. */
  readonly digest: string;
  /** Digest of the answers with which a continued call began. */
  readonly answers?: string | undefined;
  /** The caller. */
  readonly principal?: Principal | undefined;
  /** Caller state, as it came with the call. */
  readonly context?: string | undefined;
  /** The trace that the call belongs to. */
  readonly trace?: TraceContext | undefined;
  /** When the job was created, in milliseconds since the Unix epoch. Never changes. */
  readonly createdAtMs: number;
  /** Id of the server that began the latest run: a random one for each start. None while the job sleeps or waits for a value. */
  readonly owner?: string | undefined;
  /** Owner of the run before the latest one, if that run has not ended: its process is considered dead. */
  readonly takenFrom?: string | undefined;
  /** Config of the call, encrypted; removed when the job ends. */
  readonly config?: string | undefined;
  /** Whether another call waits for the job; if so, the job is stored even if its own call ends with an error. */
  readonly hasOtherWaiters?: boolean | undefined;
  /** When the job may be deleted, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** When the job may be deleted once it has ended, if that is before `expiresAtMs`. */
  readonly endedExpiresAtMs?: number | undefined;
  /** Number of runs that have started. */
  readonly attempt: number;
  /** Largest number of runs. */
  readonly maxAttempts: number;
  /** Whether arguments and memo are kept if the attempts are used up. */
  readonly keepsFailed?: true | undefined;
  /** When the next run may start, in milliseconds since the Unix epoch, for a `queued`, `waiting` or `blocked` job. Absent: at once. */
  readonly wakeAtMs?: number | undefined;
  /** The schedule that the call is of, and the time that it was due. */
  readonly schedule?: {
    /** Name of the schedule. */
    readonly name: string;
    /** Digest of its times and arguments. */
    readonly digest: string;
    /** In milliseconds since the Unix epoch. */
    readonly atMs: number;
    /** Id of the earlier call for which this one was left out. */
    readonly blockedBy?: string | undefined;
    /** Latest epoch in which the call was passed on without a run. */
    readonly passedEpoch?: number | undefined;
  } | undefined;
  /** Answers and steps so far. */
  readonly memo: Memo;
  /** Latest progress. */
  readonly progress?: Progress | undefined;
  /** Latest pieces of a streamed answer, up to 262,144 UTF-16 code units of JSON. */
  readonly pieces?: JobPieces | undefined;
  /** Estimated end of the work, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number | undefined;
  /** Questions to the caller, while the job is `asking`. */
  readonly requests?: Readonly<Record<string, Question>> | undefined;
  /** Why its latest attempts have failed, up to 20 of them. Kept until the job is deleted. */
  readonly failures?: readonly JobFailure[] | undefined;
  /** Values of the arguments by which operators find the job, by name. Kept until the job is deleted. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Jobs that wait for this one to end or to ask, and the names of their waits. */
  readonly followers?: readonly JobFollower[] | undefined;
  /** Names of the tools whose handlers have made the call, the outermost first. */
  readonly callers?: readonly string[] | undefined;
  /** Whether the targets of `onComplete` are notified of its end. */
  readonly isNotified?: boolean | undefined;
  /** When its runs began to end as those of other code, in milliseconds since the Unix epoch. Absent for other jobs. */
  readonly blockedSinceMs?: number | undefined;
  /** Time that its handler has to undo what it did if the job is cancelled, in milliseconds. Absent: a minute. */
  readonly undoMs?: number | undefined;
  /** Until when the handler of a cancelled job undoes what it did, in milliseconds since the Unix epoch. Absent when it has done so. */
  readonly undoUntilMs?: number | undefined;
  /** Result of the job, once it is `done`; while it is `blocked`, why. */
  readonly outcome?: CallResult | undefined;
}

/** Conditions of a list of jobs; each one that is absent is met by all jobs. */
export interface JobFilter {
  /** The states. */
  readonly states?: readonly JobState[] | undefined;
  /** Name of the tool. */
  readonly tool?: string | undefined;
  /** Id of the caller, of any tenant; `""` for jobs of anonymous callers. */
  readonly principal?: string | undefined;
  /** Tenant of the caller; `""` for jobs of callers without one. */
  readonly tenant?: string | undefined;
  /** Only jobs that were created before this time, in milliseconds since the Unix epoch. */
  readonly createdBeforeMs?: number | undefined;
  /** Only jobs that were created at this time or later, in milliseconds since the Unix epoch. */
  readonly createdFromMs?: number | undefined;
}

/** One page of the ids of jobs that meet a filter, and where the next page begins. */
export interface JobPage {
  /** Ids of the jobs, the latest first; of the same millisecond, in any order that remains. */
  readonly ids: readonly string[];
  /** Opaque position for the next page. Absent on the last page. */
  readonly cursor?: string;
}

/** Options of {@link Engine.work}. */
export interface WorkOptions {
  /** Number of jobs that run at once. */
  readonly concurrency: number;
}

/** A running worker, which `work` of an engine has started: takes jobs that are due until it is stopped. */
export interface EngineWorker {
  /** Takes no further jobs; resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** Stores the jobs of servers, and delivers each to a worker when it is due. */
export interface Engine {
  /** Its name, such as `sqlite`. */
  readonly name: string;
  /** Id of the process if only this process has the jobs; `undefined` if other processes have them, too. */
  readonly processId: string | undefined;
  /**
   * Whether work ends with the request that began it, as in the memory of Cloudflare Workers. Servers then refuse tools with
   * `.promise()`. Default: `false`.
   */
  readonly endsWithRequest?: boolean | undefined;
  /**
   * Whether jobs run in other processes only, as those of a Worker do in Durable Objects. A call of a tool with `.promise()` is then
   * stored as a job at once, and waits for its result within the budget. Default: `false`.
   */
  readonly startsElsewhere?: boolean | undefined;
  /** Bindings of the place where jobs run, such as a Durable Object: `ctx.env` of runs. Default: `undefined`. */
  readonly env?: unknown;
  /**
   * Loads what the engine needs, when its server is created. Rejects if the engine can never work, such as without an optional package:
   * the error is logged at once, and calls that need the engine are `unavailable`. Optional.
   */
  prepare?(): Promise<void>;
  /**
   * Stores a new job until it expires. With `dueInMs`, delivery to a worker is scheduled after that delay in the same
   * transaction.
   *
   * @returns `false` if the id exists already; then nothing is changed.
   */
  insert(job: Job, dueInMs?: number): MaybePromise<boolean>;
  /** The current state of a job; `undefined` if it is missing, or it has expired. */
  get(id: string): MaybePromise<Job | undefined>;
  /** Replaces the job that has the id of `job` and `version`, and notifies subscribers. `false` if it is missing. */
  replace(job: Job, version: number): MaybePromise<boolean>;
  /**
   * Appends entries to the ledger of a job: what its steps ended with, in this order. The ledger is beside the record of the job, so that
   * an entry costs the same however many there are. It is deleted with the job, and when the job has expired.
   *
   * An engine stores the entries as they are. Subscribers are not notified.
   *
   * @param epoch The `epoch` of the run that appends.
   * @param from Number of entries before these. Entries from that position on are replaced: a write whose answer was lost is repeated.
   * @returns `false`, without a change, if the job is missing, has expired, or its `epoch` is another one.
   */
  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): MaybePromise<boolean>;
  /**
   * Returns the entries of the ledger of a job from a position on, up to `limit` of them; fewer are the last ones. A job that is missing
   * has none.
   */
  readLedger(id: string, from: number, limit: number): MaybePromise<readonly LedgerEntry[]>;
  /** Deletes a job with its ledger and its scheduled deliveries. */
  remove(id: string): MaybePromise<void>;
  /**
   * Calls `onChange` after each change of the job by any process. It may be called too often, and with a short delay.
   *
   * @returns Ends the subscription.
   */
  subscribe(id: string, onChange: () => void): () => void;
  /** Schedules delivery of the job to a worker after `delayMs`. */
  schedule(id: string, delayMs: number): MaybePromise<void>;
  /**
   * Acquires an exclusive lease for a run that was started outside of {@link work}. The job is not delivered until the lease is
   * released, or the process dies.
   *
   * @returns Releases the lease.
   */
  lease(id: string): MaybePromise<() => MaybePromise<void>>;
  /**
   * Calls `run` for each job that is due. The job is not delivered again before `run` has resolved, unless this process dies or
   * `run` rejects because the engine failed.
   */
  work(run: (id: string) => Promise<void>, options: WorkOptions): EngineWorker;
  /**
   * Lists the jobs that meet a filter and have not expired, the latest first, for operators. A job that meets it all the time is on
   * exactly one page. A page may have fewer ids than `limit`, or none, although there are further pages.
   *
   * Optional: without it, `jobsOf(server)` of `./jobs` can read and change single jobs only.
   *
   * @param filter The conditions.
   * @param limit Largest number of ids.
   * @param cursor Position of an earlier page; absent: the first page.
   * @throws {ToolError} `invalid_request` if the cursor is not one of this engine.
   */
  list?(filter: JobFilter, limit: number, cursor?: string): MaybePromise<JobPage>;
  /** Closes connections and timers; jobs remain stored. */
  close(): MaybePromise<void>;
}
