/** The state that is explored: a store with its deliveries, processes that run jobs, callers, and the time. */
import type { Job } from "../../../src/core/dispatch/engine.ts";
import type { Point } from "./points.ts";

/** A job as the engine has it, with its deliveries. */
export interface StoredJob {
  /** The record, as JSON. */
  readonly text: string;
  /** Entries of its ledger, as JSON. */
  readonly ledger: readonly string[];
  /** Whether a delivery is due. */
  readonly isDue: boolean;
  /** Times at which deliveries come due, ascending. */
  readonly timers: readonly number[];
}

/** What is known outside of the store: what was reported to callers, and what handlers have done. */
export interface Facts {
  /** The value that was reported to its sender as accepted. */
  readonly accepted: string | undefined;
  readonly isCancelReported: boolean;
  readonly isJoined: boolean;
  readonly isNotified: boolean;
  /** How often the step was done. */
  readonly bodies: number;
}

/** Where a worker is: an operation of `Jobs` under way, or what it does beside them. */
export type Phase =
  | "idle"
  | "claim"
  | "ledger"
  | "body"
  | "append"
  | "wait"
  | "check"
  | "follow"
  | "end"
  | "drop"
  | "lease"
  | "release"
  | "give back";

/** A process that runs jobs, one at a time. */
export interface Worker {
  readonly phase: Phase;
  /** Number of the job. */
  readonly job: number;
  /** Whether the engine holds other deliveries back for it. */
  readonly hasLease: boolean;
  /** The job of the run, as JSON, as the run has it. */
  readonly run: string;
  /** The ledger as the run has it, as JSON. */
  readonly ledger: string;
  readonly point: Point | undefined;
}

/** A process that changes a job by one call. */
export interface Caller {
  readonly state: "ready" | "under way" | "over";
  readonly point: Point | undefined;
}

/** All of it. */
export interface World {
  readonly nowMs: number;
  readonly jobs: readonly StoredJob[];
  readonly facts: readonly Facts[];
  readonly workers: readonly Worker[];
  readonly callers: readonly Caller[];
  /** Faults that may still come. */
  readonly kills: number;
  readonly lapses: number;
  readonly errors: number;
}

export const IDLE: Worker = {
  phase: "idle",
  job: -1,
  hasLease: false,
  run: "",
  ledger: "",
  point: undefined,
};

const parsed = new Map<string, Job>();

/** The job of a record. */
export function jobOf(text: string): Job {
  let job = parsed.get(text);
  if (job === undefined) parsed.set(text, job = JSON.parse(text) as Job);
  return job;
}

const numbers = new Map<string, number>();

/** A number for a text: equal texts have equal numbers. */
function numberOf(text: string): number {
  let number = numbers.get(text);
  if (number === undefined) numbers.set(text, number = numbers.size);
  return number;
}

/** A text that equal worlds have in common. Workers are alike, so their order does not count. */
export function keyOf({ nowMs, jobs, facts, workers, callers, kills, lapses, errors }: World): string {
  const stored = jobs.map(({ text, ledger, isDue, timers }) => {
    return `${numberOf(text)} ${ledger.length === 0 ? "" : numberOf(ledger.join())} ${isDue ? 1 : 0} ${timers.join()}`;
  });
  const known = facts.map((one) => Object.values(one).join());
  const runs = workers.map(({ phase, job, hasLease, run, ledger, point }) => {
    return `${phase} ${job} ${hasLease ? 1 : 0} ${numberOf(run)} ${numberOf(ledger)} ${point?.id}`;
  });
  const calls = callers.map(({ state, point }) => `${state} ${point?.id}`);
  return [nowMs, stored, known, runs.sort(), calls, kills, lapses, errors].join("|");
}
