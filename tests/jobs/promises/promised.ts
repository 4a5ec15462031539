/** Fixtures of the tests of promises: failing engines, runs that wait for their end, and readers of outcomes. */
import { ok, strictEqual } from "node:assert/strict";
import { type CallResult, memoryEngine, type PromiseOutcome, type QuestionsResult } from "../../../mod.ts";
import { FakeClock } from "../../../src/entries/testing.ts";
import { type Bench, settle } from "../../core/dispatch/harness.ts";
import type { Engine, Job } from "../../../src/entries/engines.ts";
import type { MaybePromise } from "../../../src/entries/wire.ts";

/** Keys of servers that know each other's tokens. */
export const KEYS = "k1:a secret that all servers of these tests know";

/** Responses of a caller that accepts. */
export const accept = (content?: unknown): Readonly<Record<string, unknown>> => ({
  action: "accept",
  ...(content !== undefined && { content }),
});

/** A clock that does not advance by itself, and an engine on it: for servers that share both. */
export function standstill(): { readonly clock: FakeClock; readonly engine: Engine } {
  const clock = new FakeClock();
  return { clock, engine: memoryEngine({ clock }) };
}

/** Moves a clock, and lets everything run that is then ready to. */
export async function pass({ clock }: { readonly clock: FakeClock }, byMs: number): Promise<void> {
  clock.tick(byMs);
  for (let turn = 0; turn < 6; turn++) await settle();
}

/** That something settled as a promise. */
export function asPromise(settled: CallResult | undefined): PromiseOutcome {
  ok(settled?.kind === "promise", `settled as ${JSON.stringify(settled)}`);
  return settled;
}

/** That something settled as a question. */
export function asQuestion(settled: CallResult | undefined): QuestionsResult {
  const isQuestion = settled?.kind === "elicitation" || settled?.kind === "request-for-more-resource";
  ok(isQuestion, `settled as ${JSON.stringify(settled)}`);
  return settled;
}

/** That something settled as an answer; gives its value. */
export function asAnswer(settled: CallResult | undefined): unknown {
  ok(settled?.kind === "answer", `settled as ${JSON.stringify(settled)}`);
  return settled.value;
}

/** That something settled as a failure of that code; gives its data. */
export function asFailure(settled: CallResult | undefined, code: string): unknown {
  ok(settled?.kind === "failure", `settled as ${JSON.stringify(settled)}`);
  strictEqual(settled.code, code);
  return settled.data;
}

/** Redeems a promise, without waiting unless `waitMs` is given. */
export function redeem(bench: Bench, token: string, waitMs?: number): MaybePromise<CallResult> {
  return bench.call("redeem", { promise: token, ...(waitMs !== undefined && { wait_ms: waitMs }) });
}

/** Cancels a promise; whether it was. */
export async function cancel(bench: Bench, token: string): Promise<boolean> {
  return (asAnswer(await bench.call("cancel", { promise: token })) as { readonly cancelled: boolean }).cancelled;
}

/** The outcome of a call, once there is one. */
export function watch(call: MaybePromise<CallResult>): { readonly settled: CallResult | undefined } {
  const watched: { settled: CallResult | undefined } = { settled: undefined };
  void Promise.resolve(call).then((settled) => (watched.settled = settled));
  return watched;
}

/** How a call that was watched has settled: by now it has to. */
export function settledOf({ settled }: { readonly settled: CallResult | undefined }): CallResult {
  ok(settled !== undefined, "the call has not settled");
  return settled;
}

/** Runs that wait until a test ends them: one gate for each, in the order in which they began. */
export class Gates<Value = unknown> {
  readonly #gates: PromiseWithResolvers<Value>[] = [];

  /** Begins a run, which waits. */
  wait(): Promise<Value> {
    const gate = Promise.withResolvers<Value>();
    this.#gates.push(gate);
    return gate.promise;
  }

  /** How many runs have begun. */
  get begun(): number {
    return this.#gates.length;
  }

  /** Ends a run with a value; by default the last that began. */
  async end(value: Value, index: number = this.begun - 1): Promise<void> {
    this.#gates[index]?.resolve(value);
    for (let turn = 0; turn < 3; turn++) await settle();
  }

  /** Ends a run with what it throws; by default the last that began. */
  async fail(thrown: unknown, index: number = this.begun - 1): Promise<void> {
    this.#gates[index]?.reject(thrown);
    for (let turn = 0; turn < 3; turn++) await settle();
  }
}

/** An engine, but for what a test has it do instead. Members are read when they are used, so that they can be exchanged. */
export function changed(engine: Engine, instead: Partial<Engine>): Engine {
  return new Proxy(engine, {
    get: (_, name: keyof Engine) => (Object.hasOwn(instead, name) ? instead[name] : engine[name]),
  });
}

/** An engine without process ids: as if each of its servers were a replica. */
export function withoutInstance(engine: Engine): Engine {
  return changed(engine, { name: "shared", processId: undefined });
}

/** The jobs that an engine is given, by id, as they are. */
export function watchJobs(
  engine: Engine,
): { readonly engine: Engine; readonly ids: string[]; get(id?: string): MaybePromise<Job | undefined> } {
  const ids: string[] = [];
  return {
    engine: changed(engine, {
      insert(job, dueInMs) {
        ids.push(job.id);
        return engine.insert(job, dueInMs);
      },
    }),
    ids,
    get: (id = ids.at(-1)) => engine.get(id ?? ""),
  };
}
