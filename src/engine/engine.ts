/**
 * The contract of an engine: where deferred work is kept, and who is told to run it.
 *
 * An engine knows rows, queues and notifications, and nothing of tools: what a job means, who may change it and when, is
 * told once, in `jobs.ts`. Each change of a job is a compare-and-set on its version, so that whoever comes second learns it.
 * Delivery is at least once.
 *
 * @module
 */
import type { Principal, TraceContext } from "../core/call/call.ts";
import type { CallResult, Progress, Question } from "../core/call/outcome.ts";
import type { Json } from "../internal/json.ts";
import type { MaybePromise } from "../internal/async.ts";

/** How far a job is. `done` and `cancelled` are final. */
export type JobState = "queued" | "running" | "asking" | "done" | "cancelled";

/** What a caller said to one question. */
export interface AskAnswer {
  /** Whether the caller gave what was asked for; what is `malformed` is no answer, and makes the run ask again. */
  readonly action: "accept" | "decline" | "cancel" | "malformed";
  /** What the caller gave. */
  readonly content?: Json;
}

/** What a run needs to know of the runs before it, so that it does not ask or do the same again. */
export interface Memo {
  /** Answers of the caller, by key. */
  readonly answers: Readonly<Record<string, AskAnswer>>;
  /** Results of finished steps, by key. */
  readonly steps: Readonly<Record<string, Json>>;
}

/** One piece of deferred work: plain JSON. */
export interface Job {
  /** Unique: a UUID. */
  readonly id: string;
  /** The `callId` of its runs, if that is not its id. */
  readonly callId?: string;
  /** Goes up by one with each change; what a change is compared with. */
  readonly version: number;
  /** Goes up with each run that begins: a run of an older one has lost its right to speak. */
  readonly epoch: number;
  /** How far it is. */
  readonly state: JobState;
  /** Name of the tool. */
  readonly tool: string;
  /** The tool's revision when the job began. */
  readonly revision?: string;
  /** The raw arguments. */
  readonly args: Json;
  /** Digest of tool and arguments. */
  readonly digest: string;
  /** Who called. */
  readonly principal?: Principal;
  /** The state that the caller keeps, as it came with the call. */
  readonly context?: string;
  /** The trace that the call belongs to. */
  readonly trace?: TraceContext;
  /** What the caller's environment supplied, encrypted; until the job has ended. */
  readonly config?: string | undefined;
  /** Whether another call waits for it, too: then it is not forgotten, however its own call ends. */
  readonly hasOtherWaiters?: boolean;
  /** When it may be forgotten, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** How often it was begun. */
  readonly attempt: number;
  /** How often it may be begun. */
  readonly maxAttempts: number;
  /** Answers and steps so far. */
  readonly memo: Memo;
  /** How far the work has come. */
  readonly progress?: Progress;
  /** When it may be done, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number;
  /** What it asks its caller, while it is `asking`. */
  readonly requests?: Readonly<Record<string, Question>>;
  /** How it ended, once it is `done`. */
  readonly outcome?: CallResult;
}

/** How many jobs a worker runs. */
export interface WorkOptions {
  /** How many at once. */
  readonly concurrency: number;
}

/** Something that takes jobs as they come due. */
export interface EngineWorker {
  /** Takes no more; resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** Somewhere to keep jobs, and something that says when to run them. */
export interface Engine {
  /** Its name, such as `sqlite`. */
  readonly name: string;
  /** Names the process, if only this one knows the jobs; `undefined` where others do, too. */
  readonly processId: string | undefined;
  /**
   * Keeps a new job until it expires. With `dueInMs` a worker is told to run it, so long from now: both or neither, whenever
   * the process dies.
   *
   * @returns `false` if its id is taken; then nothing has happened.
   */
  insert(job: Job, dueInMs?: number): MaybePromise<boolean>;
  /** The job of that id, as it is now; `undefined` if there is none, or it has expired. */
  get(id: string): MaybePromise<Job | undefined>;
  /** Puts `job` in place of the one that has its id and `version`, and tells who has subscribed. `false` if there is none. */
  replace(job: Job, version: number): MaybePromise<boolean>;
  /** Forgets a job, and every delivery of it that is still to come. */
  remove(id: string): MaybePromise<void>;
  /**
   * Calls `onChange` after each change of the job, whichever process made it. It may be called too often, and soon after the
   * change rather than at once.
   *
   * @returns Ends it.
   */
  subscribe(id: string, onChange: () => void): () => void;
  /** Has a worker told to run the job, `delayMs` from now. */
  schedule(id: string, delayMs: number): MaybePromise<void>;
  /**
   * This process runs the job by itself, outside of {@link work}. Until it lets go, or dies, nobody is told to run the job,
   * whatever was scheduled; if it dies, a worker is.
   *
   * @returns Lets go.
   */
  lease(id: string): MaybePromise<() => MaybePromise<void>>;
  /**
   * Calls `run` for each job that is due. Until that has resolved, nobody else is told to run the job, unless this process
   * dies, or `run` rejects because the engine failed it: then a worker is told again.
   */
  work(run: (id: string) => Promise<void>, options: WorkOptions): EngineWorker;
  /** Ends connections and timers; jobs stay. */
  close(): MaybePromise<void>;
}
