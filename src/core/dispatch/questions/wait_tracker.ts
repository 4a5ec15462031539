/** Sleeps and waits for values: steps of a handler whose results come later, from the clock or from others. */
import { mistake } from "../../errors/mistake.ts";
import type { Memo, Wait } from "../engine.ts";
import type { Json } from "../../../internal/json.ts";
import type { Resolver, WaitOptions, WaitResult } from "../../handler/waits.ts";
import { type CompiledSchema, compileSchema } from "../../schema/compile.ts";
import { assertReferences } from "../../schema/references.ts";
import { formatIssues } from "../../schema/issues.ts";
import type { AnySchema } from "../../schema/plain_schema.ts";
import type { TokenKeys } from "../../token/token.ts";
import type { LeasedJob, ResumableRun } from "../services.ts";

/** Longest sleep for which the run stays, in milliseconds: to end it and to begin another one takes about as long. */
const IN_PLACE_MS = 1_000;

/** Time that a handler has after its last wait, in milliseconds, unless the promise is shorter than ten times that. */
const AFTER_LAST_WAIT_MS = 60_000;

/** Result of a sleep or wait of a {@link WaitTracker} that has not ended: the run stops there, and the handler does not get this value. */
export const OPEN: unique symbol = Symbol();

/** Name under which the memo of a job stores the wait for a value with this key of `ctx.waitFor`. Sleeps have other names. */
export function nameOfWait(key: string): string {
  return `value ${key}`;
}

/** Sleeps and waits for values of one run: makes the run a job, stores them with it, and takes the results that came since the runs before. */
export class WaitTracker {
  /** The waits and sleeps that the run has come to, by the names under which the job stores them. */
  readonly waits: Map<string, Wait>;
  /** Names of those that this run has come to, and that have not ended. */
  readonly open: Set<string> = new Set();
  readonly #unstored = new Set<string>();
  readonly #run: ResumableRun;
  readonly #keys: TokenKeys;

  constructor(run: ResumableRun, keys: TokenKeys, memo: Memo | undefined) {
    this.#run = run;
    this.#keys = keys;
    this.waits = new Map(Object.entries(memo?.waits ?? {}));
  }

  /** Waits in place for up to a second; for longer, the result is {@link OPEN} until a later run begins after that time. */
  async sleep(key: string, time: number | Date): Promise<void | typeof OPEN> {
    this.#assertPromising("sleep");
    const name = `sleep ${key}`;
    const { clock } = this.#run.services;
    const kept = this.waits.get(name);
    if (kept?.done !== undefined) return;
    const until = kept?.until ?? toEpochMs(key, time, clock.now());
    const leftMs = until - clock.now();
    if (leftMs <= 0) return;
    if (this.#isCancelled) return OPEN;
    if (leftMs > IN_PLACE_MS) return await this.#suspend(name, { until });
    if (kept === undefined) await this.#keep(name, { until });
    await new Promise<void>((resolve) => void clock.after(leftMs, resolve));
  }

  async waitFor<Value>(
    key: string,
    schema: AnySchema<Value>,
    options: WaitOptions = {},
  ): Promise<WaitResult<Value> | typeof OPEN> {
    this.#assertPromising("waitFor");
    const { adapters } = this.#run.definition;
    const compiled = compileSchema(schema, { where: `Schema of wait "${key}"`, adapters, check: assertReferences });
    const name = nameOfWait(key);
    const kept = this.waits.get(name);
    if (kept?.done === "timeout") return { action: "timeout" };
    if (kept?.done === "decline") {
      return { action: "decline", ...(kept.reason !== undefined && { reason: kept.reason }) };
    }
    const refused = kept?.done && await this.#refusal(key, kept, compiled);
    if (refused !== undefined && "action" in refused) return refused as WaitResult<Value>;
    if (this.#isCancelled) return OPEN;
    const job = await this.job();
    const until = kept?.until ?? this.#endOf(key, job, options);
    return await this.#suspend(name, { until, schema: compiled.jsonSchema as Json, ...refused });
  }

  async resolver(key: string, options: WaitOptions = {}): Promise<Resolver> {
    this.#assertPromising("resolver");
    const job = await this.job();
    const name = nameOfWait(key);
    const { until = this.#endOf(key, job, options), ...kept } = this.waits.get(name) ?? {};
    // Stored before the token is given away: it resolves the wait from now on.
    if (!this.waits.has(name)) await this.#keep(name, { ...kept, until });
    const token = this.#keys.sign("resolve", {
      id: job.job.id,
      tool: "",
      principal: "",
      expSeconds: Math.ceil(until / 1000),
      data: { k: key, ...(job.processId !== undefined && { i: job.processId }) },
    });
    const { resolverUrl } = this.#run.services;
    return { token, url: resolverUrl && `${resolverUrl}/${token}`, expiresAtMs: until };
  }

  /** Whether a run before came to this change of the handler before anything that follows it was recorded. */
  isPatched(name: string): boolean {
    return this.waits.has(`patch ${name}`);
  }

  /** Notes that the work takes the changed way from here on. */
  patch(name: string): void {
    this.waits.set(`patch ${name}`, { done: "accept" });
    this.#unstored.add(`patch ${name}`);
  }

  /** Stores the notes of {@link WaitTracker.patch}, before a step follows that later runs come to in the changed way alone. */
  async storePatches(): Promise<void> {
    if (this.#unstored.size === 0 || this.#run.definition.promise === undefined) return;
    // The job may be in the middle of being written, without the note. If that fails, the note is written with the next try.
    if (this.#run.lease === undefined) await this.#run.jobWritten?.catch(() => {});
    const { lease } = this.#run;
    if (lease === undefined) return;
    // A call with an idempotency key has a job, and its steps in the ledger, from its start.
    for (const name of this.#unstored) {
      await lease.saveWait(name, { done: "accept" });
      this.#unstored.delete(name);
    }
  }

  /** The tries of a step in earlier runs, and the time until its next one, in milliseconds: above 0 if the run begins for another reason. */
  delayOf(key: string): { tries: number; leftMs: number } {
    const { tries = 0, until = 0 } = this.waits.get(`retry ${key}`) ?? {};
    return { tries, leftMs: until - this.#run.services.clock.now() };
  }

  /** Stores the delay before a step is tried again. Returns whether the run may end for it, since it is long, and there is a job to wait. */
  async storeDelay(key: string, tries: number, delayMs: number): Promise<boolean> {
    const { definition: { promise }, services: { clock } } = this.#run;
    const isLong = promise !== undefined && delayMs > IN_PLACE_MS;
    const wait = { until: clock.now() + delayMs, tries };
    if (isLong) await this.job();
    this.waits.set(`retry ${key}`, wait);
    const { lease } = this.#run;
    // Stored, so that a process that dies does not begin again with the first try.
    if (lease?.isPromised) await lease.saveWait(`retry ${key}`, wait);
    return isLong;
  }

  /** Removes the delay of a step that has ended. */
  dropDelay(key: string): void {
    this.waits.delete(`retry ${key}`);
  }

  /** Ends the run until a step is tried again. */
  openDelay(key: string): typeof OPEN {
    this.open.add(`retry ${key}`);
    return OPEN;
  }

  /** Suspends the run until a wait ends that another job resolves. */
  suspendAt(name: string, wait: Wait): Promise<typeof OPEN> {
    return this.#suspend(name, wait);
  }

  /** Whether a wait has ended. */
  hasEnded(name: string): boolean {
    return this.waits.get(name)?.done !== undefined;
  }

  /** The accepted value as the schema converts it; the digest of one that does not fit, which is logged. */
  async #refusal(
    key: string,
    { content, digest }: Wait,
    compiled: CompiledSchema,
  ): Promise<WaitResult<unknown> | { readonly refused?: string }> {
    const checked = await compiled.validate(content);
    if (checked.issues === undefined) return { action: "accept", content: checked.value };
    const { definition: { name: tool }, callId, services: { logger } } = this.#run;
    const issues = formatIssues(checked.issues, content);
    logger?.warn(`A value for the wait "${key}" does not fit its schema: the wait stays open`, {
      tool,
      callId,
      issues,
    });
    return digest === undefined ? {} : { refused: digest };
  }

  async #suspend(name: string, wait: Wait): Promise<typeof OPEN> {
    const job = await this.job();
    if (wait.until !== undefined) this.#assertBefore(name, wait.until, job);
    this.waits.set(name, wait);
    this.open.add(name);
    return OPEN;
  }

  async #keep(name: string, wait: Wait): Promise<void> {
    this.waits.set(name, wait);
    await this.#run.lease?.saveWait(name, wait);
  }

  /** The job of this run; the run becomes one if it has no job yet. */
  async job(): Promise<LeasedJob> {
    if (this.#run.lease?.isPromised !== true) await this.#run.services.deferral?.makeJob(this.#run);
    const { lease } = this.#run;
    if (lease === undefined) throw new Error("The call has ended");
    return lease;
  }

  get #isCancelled(): boolean {
    return this.#run.lease?.undo !== undefined;
  }

  #endOf(key: string, job: LeasedJob, { timeoutMs }: WaitOptions): number {
    const nowMs = this.#run.services.clock.now();
    if (timeoutMs === undefined) {
      const leftMs = job.endsAtMs - nowMs;
      return job.endsAtMs - Math.min(AFTER_LAST_WAIT_MS, leftMs / 10);
    }
    if (!(timeoutMs > 0)) {
      throw mistake(new RangeError(`Cannot wait for "${key}": timeoutMs must be above 0, not ${timeoutMs}`));
    }
    this.#assertBefore(nameOfWait(key), nowMs + timeoutMs, job);
    return nowMs + timeoutMs;
  }

  #assertBefore(name: string, until: number, { endsAtMs }: LeasedJob): void {
    if (until <= endsAtMs) return;
    const { name: tool, promise } = this.#run.definition;
    throw mistake(
      new RangeError(
        `Cannot wait for ${name} until ${toText(until)}: the promise of ${tool} ends at ${toText(endsAtMs)}. ` +
          `Raise ttlMs of .promise(), which is ${promise?.ttlMs}`,
      ),
    );
  }

  #assertPromising(member: string): void {
    const { name, promise } = this.#run.definition;
    if (promise !== undefined) return;
    throw mistake(
      new TypeError(
        `Cannot use ctx.${member} in tool "${name}": the call ends before the wait does. Add .promise({ ttlMs }) to the tool`,
      ),
    );
  }
}

function toEpochMs(key: string, time: number | Date, nowMs: number): number {
  const until = typeof time === "number" ? nowMs + time : time?.getTime?.();
  if (Number.isFinite(until) && !(typeof time === "number" && time < 0)) return until;
  throw mistake(
    new RangeError(`Cannot sleep "${key}": the time must be milliseconds from 0, or a valid Date, not ${time}`),
  );
}

/** RFC 3339; the number itself if it is outside of the range of dates. */
function toText(epochMs: number): string {
  return Math.abs(epochMs) <= 8.64e15 ? new Date(epochMs).toISOString() : `${epochMs}`;
}
