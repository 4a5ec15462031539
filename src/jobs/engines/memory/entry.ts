import type { Job } from "../../../core/dispatch/engine.ts";
import type { JobHead } from "../job_list.ts";
import type { DueEntry } from "./due_queue.ts";

/** A job, with its leases, timers and listeners. */
export interface MemoryEntry extends JobHead {
  /** JSON, so that nothing is shared with the code that inserts or reads the job. */
  text: string;
  version: number;
  epoch: number;
  expiresAtMs: number;
  state: Job["state"];
  /** Whether the job has ended, and its handler has nothing left to undo. */
  isOver: boolean;
  /** The entries of the ledger, as JSON; made at the first one. */
  ledger: string[] | undefined;
  /** Number of runs and leases; while there are any, the job is not delivered. */
  leases: number;
  /** Scheduled deliveries. Like the listeners made at first use: thousands of jobs may sleep. */
  deliveries: DueEntry<MemoryEntry>[] | undefined;
  listeners: Set<() => void> | undefined;
}

/** A call that waits for a result still needs it. */
export function isEvictable({ isOver, leases, listeners }: MemoryEntry): boolean {
  return isOver && leases + (listeners?.size ?? 0) === 0;
}

/** The members of an entry that a change of its job changes. */
export function storedMembersOf(
  job: Job,
): Pick<MemoryEntry, "text" | "version" | "epoch" | "expiresAtMs" | "state" | "isOver"> {
  const { version, epoch, expiresAtMs, state, undoUntilMs } = job;
  const isOver = state === "done" || (state === "cancelled" && undoUntilMs === undefined);
  return { text: JSON.stringify(job), version, epoch, expiresAtMs, state, isOver };
}

/** Length of texts together, in UTF-16 code units. */
export function charsOf(texts: readonly string[] = []): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
