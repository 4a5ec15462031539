/**
 * An engine over a table that several processes could share: the whole contract of `Engine` but `list()`.
 *
 * `tests/docs/engine_full_test.ts` runs `engineSuite()` of `toolwire/testing` on it.
 *
 * @module
 */
import type { Engine, EngineWorker, Job, LedgerEntry, WorkOptions } from "jsr:@toolwire/toolwire/engines";

/** A row of the table: a job, when it is due, and who has it. */
interface Row {
  text: string;
  version: number;
  epoch: number;
  expiresAtMs: number;
  ledger: string[];
  due: { atMs: number }[];
  lease: { untilMs: number } | undefined;
}
/** What several processes could share. */
export type Table = Map<string, Row>;

/** An engine over a table. The constructor takes the time in ms after which the lease of a process that died lapses. */
export class TableEngine implements Engine {
  readonly name = "table";
  readonly processId = undefined; // other processes have the jobs, too
  readonly #table: Table;
  readonly #leaseMs: number;
  readonly #timers = new Set<ReturnType<typeof setInterval>>();

  constructor(table: Table, leaseMs: number) {
    this.#table = table;
    this.#leaseMs = leaseMs;
  }

  insert(job: Job, dueInMs?: number): boolean {
    if (this.#find(job.id)) return false;
    const due = dueInMs === undefined ? [] : [{ atMs: Date.now() + dueInMs }];
    this.#table.set(job.id, { ...contentOf(job), ledger: [], due, lease: undefined });
    return true;
  }

  get(id: string): Job | undefined {
    const row = this.#find(id);
    return row && JSON.parse(row.text);
  }

  replace(job: Job, version: number): boolean {
    const row = this.#find(job.id);
    if (row?.version !== version) return false;
    Object.assign(row, contentOf(job));
    return true;
  }

  appendLedger(id: string, epoch: number, from: number, entries: readonly LedgerEntry[]): boolean {
    const row = this.#find(id);
    if (row?.epoch !== epoch) return false;
    row.ledger.splice(from, Infinity, ...entries.map((entry) => JSON.stringify(entry)));
    return true;
  }

  readLedger(id: string, from: number, limit: number): LedgerEntry[] {
    return this.#find(id)?.ledger.slice(from, from + limit).map((text) => JSON.parse(text)) ?? [];
  }

  remove(id: string): void {
    this.#table.delete(id);
  }

  subscribe(id: string, onChange: () => void): () => void {
    let known = this.#find(id)?.version;
    return this.#every(20, () => {
      const version = this.#find(id)?.version;
      if (version === known) return;
      known = version;
      onChange();
    });
  }

  schedule(id: string, delayMs: number): void {
    this.#find(id)?.due.push({ atMs: Date.now() + delayMs });
  }

  lease(id: string): () => void {
    const row = this.#find(id);
    if (row === undefined) return () => {};
    // Due until the release: if this process dies, the lease lapses, and another one delivers the job.
    const due = { atMs: Date.now() };
    row.due.push(due);
    const release = this.#acquire(row);
    return () => {
      row.due = row.due.filter((each) => each !== due);
      release();
    };
  }

  work(run: (id: string) => Promise<void>, { concurrency }: WorkOptions): EngineWorker {
    const runs = new Set<Promise<void>>();
    const stop = this.#every(10, () => {
      for (const [id, row] of this.#table) {
        if (runs.size >= concurrency) return;
        const due = row.due.filter(({ atMs }) => atMs <= Date.now());
        if (due.length === 0 || isLeased(row) || !this.#find(id)) continue;
        const release = this.#acquire(row);
        const running = run(id)
          .then(() => void (row.due = row.due.filter((each) => !due.includes(each))), () => {})
          .finally(() => (runs.delete(running), release()));
        runs.add(running);
      }
    });
    return { stop: async () => (stop(), void await Promise.all(runs)) };
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #find(id: string): Row | undefined {
    const row = this.#table.get(id);
    if (row === undefined || row.expiresAtMs > Date.now()) return row;
    this.#table.delete(id);
    return undefined;
  }

  /** Leases a row, and renews the lease until the release. */
  #acquire(row: Row): () => void {
    const lease = { untilMs: Date.now() + this.#leaseMs };
    row.lease = lease;
    const stop = this.#every(this.#leaseMs / 3, () => void (lease.untilMs = Date.now() + this.#leaseMs));
    return () => {
      stop();
      if (row.lease === lease) row.lease = undefined;
    };
  }

  #every(ms: number, work: () => void): () => void {
    const timer = setInterval(work, ms);
    this.#timers.add(timer);
    return () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    };
  }
}

function contentOf(job: Job): Pick<Row, "text" | "version" | "epoch" | "expiresAtMs"> {
  return { text: JSON.stringify(job), version: job.version, epoch: job.epoch, expiresAtMs: job.expiresAtMs };
}

function isLeased({ lease }: Row): boolean {
  return lease !== undefined && lease.untilMs > Date.now();
}
