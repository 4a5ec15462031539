/** What is explored: how many processes, which handlers, which callers, and how many faults. */
import type { Job } from "../../../src/core/dispatch/engine.ts";
import { type Facts, IDLE, type StoredJob, type Worker, type World } from "./world.ts";

/** What the handler of a job does after its step: returns, waits for a value, asks, fails at first, has nothing to store, … */
export type Plan = "return" | "wait" | "ask" | "fail" | "forget" | "call" | "block";

/** A process that changes a job by one call. */
export interface CallerPlan {
  readonly kind: "resolve" | "cancel" | "answer" | "join";
  readonly job: number;
  /** The value of a `resolve`. */
  readonly value?: string;
  /** Whether the call is repeated until it has an answer. Default: `false`, as if its process had died. */
  readonly repeats?: boolean;
}

/** The bounds of an exploration. */
export interface Scope {
  readonly name: string;
  /** What the handler of each job does. One with `call` calls the next job. */
  readonly plans: readonly Plan[];
  readonly workers: number;
  readonly callers?: readonly CallerPlan[];
  readonly kills?: number;
  readonly lapses?: number;
  readonly errors?: number;
  /** Whether the work has to end without the passing of time, so that no alarm replaces a delivery that is missing. */
  readonly isTimely?: boolean;
  /** Whether the first run of job 0 begins within its call, and not by a delivery. */
  readonly isInline?: boolean;
}

/** Time of the begin, in milliseconds since the Unix epoch. */
export const START_MS = 1_700_000_000_000;
/** End of the waits, later than all delays of the first runs. */
export const UNTIL_MS: number = START_MS + 3_600_000;
/** The times that there are: before the end of the waits, at it, and long after it. A delivery in between may come at any moment. */
export const TIMES: readonly number[] = [START_MS, UNTIL_MS, UNTIL_MS + 3_600_000];
const DAY_MS = 86_400_000;
/** Number of attempts of each job. */
export const MAX_ATTEMPTS = 3;

export function idOf(job: number): string {
  return `job ${job}`;
}

function recordOf(job: number, isInline: boolean): Job {
  const begun = isInline
    ? { state: "running", epoch: 1, attempt: 1, owner: "a process" } as const
    : { state: "queued", epoch: 0, attempt: 0 } as const;
  return {
    ...{ ...begun, id: idOf(job), version: 1, tool: "work", args: {}, digest: "d", createdAtMs: START_MS },
    ...{ expiresAtMs: START_MS + DAY_MS, maxAttempts: MAX_ATTEMPTS, memo: { answers: {}, steps: {} } },
  };
}

/** The world before anything has happened. */
export function firstWorld(
  { plans, workers, callers = [], kills = 0, lapses = 0, errors = 0, isInline }: Scope,
): World {
  const isFirstInline = (job: number) => isInline === true && job === 0;
  const jobs = plans.map((_, job): StoredJob => ({
    text: JSON.stringify(recordOf(job, isFirstInline(job))),
    ledger: [],
    // That of a call is delivered, too, since its process may die.
    isDue: true,
    timers: [],
  }));
  const facts: Facts = { accepted: undefined, isCancelReported: false, isJoined: false, isNotified: false, bodies: 0 };
  const inline: Worker = { ...IDLE, phase: "lease", job: 0, run: jobs[0]!.text, ledger: "[]" };
  return {
    nowMs: START_MS,
    jobs,
    facts: plans.map(() => facts),
    workers: Array.from({ length: workers }, (_, at) => isInline && at === 0 ? inline : IDLE),
    callers: callers.map(() => ({ state: "ready", point: undefined })),
    ...{ kills, lapses, errors },
  };
}

const A = { kind: "resolve", job: 0, value: "a" } as const;
const B = { kind: "resolve", job: 0, value: "b" } as const;
/** Repeated, since a process that is slow between the delivery that it prepares and its change, and then dies, notifies of no end. */
const CANCEL = { kind: "cancel", job: 0, repeats: true } as const;
const JOIN = { kind: "join", job: 0 } as const;
const ANSWER = { kind: "answer", job: 0, repeats: true } as const;

/** Explored by the tests, each in some seconds. */
export const SCOPES: readonly Scope[] = [
  { name: "a job that wakes another one", plans: ["call", "return"], workers: 2, isTimely: true },
  { name: "a second attempt, and a process that dies", plans: ["fail"], workers: 2, kills: 1 },
  { name: "a question, its answer, and a process that dies", plans: ["ask"], workers: 2, callers: [ANSWER], kills: 1 },
  {
    name: "a call that is joined, in a process that dies",
    plans: ["forget"],
    workers: 2,
    callers: [JOIN],
    kills: 1,
    isInline: true,
  },
  {
    name: "a result within a call, and a process that dies",
    plans: ["return"],
    workers: 2,
    kills: 1,
    isInline: true,
  },
  { name: "two values", plans: ["wait"], workers: 2, callers: [A, B], isTimely: true },
  { name: "a value, and a process that dies", plans: ["wait"], workers: 2, callers: [A], kills: 1 },
  { name: "a job that waits for another one", plans: ["call", "return"], workers: 2, kills: 1 },
  { name: "three processes, and a lease that lapses", plans: ["return"], workers: 3, lapses: 1 },
  { name: "a second attempt, and a lease that lapses", plans: ["fail"], workers: 2, lapses: 1 },
  { name: "a value, and an error of the engine", plans: ["wait"], workers: 1, callers: [A], errors: 1 },
  {
    name: "a result, a cancel, and an error of the engine",
    plans: ["return"],
    workers: 2,
    callers: [CANCEL],
    errors: 1,
  },
  { name: "a result, a cancel, and a process that dies", plans: ["return"], workers: 2, callers: [CANCEL], kills: 1 },
  { name: "code that does not fit", plans: ["block"], workers: 2, callers: [CANCEL], kills: 1 },
  { name: "a question, and a lease that lapses", plans: ["ask"], workers: 2, callers: [ANSWER], lapses: 1 },
  { name: "a wait, and a lease that lapses", plans: ["wait"], workers: 2, lapses: 1 },
  { name: "a value and a cancel", plans: ["wait"], workers: 2, callers: [A, CANCEL] },
  { name: "a lease that lapses, and a process that dies", plans: ["return"], workers: 2, kills: 1, lapses: 1 },
];
