/**
 * Replays traces of the protocol model: real servers over a real engine, which are stopped at each write until the trace permits it.
 *
 * Each replica is a server whose requests to the engine pass a gate. A delivery of the engine waits until the trace takes it. A lease
 * lapses, or a process dies, as `simulateReplicas` does it: the job is scheduled, and its lease released, while the run continues, or is
 * cut off.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, keyRing, type Server } from "../../../mod.ts";
import type { Engine, Job } from "../../../src/core/dispatch/engine.ts";
import { FakeClock, testClient } from "../../../src/entries/testing.ts";

import type { Action, ModelJob, World } from "./protocol_model.ts";
import type { TraceStep } from "./protocol_traces.ts";

const KEYS = "k1:a secret that all replicas of this test know";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Time after each transition, in milliseconds: longer than the delay after which a superseded run has its job delivered again. */
const STEP_MS = 5_000;
/** Number of turns until the servers have done what they can do; more only while a store answers. */
const QUIET_TURNS = 2;
const MAX_TURNS = 60_000;
/** Number of turns without a pause: enough for an engine in this process. A store gets a millisecond for each further turn. */
const SHORT_TURNS = 100;
/** Number of traces that are replayed at once. */
const CONCURRENCY = 20;
const NEVER: Promise<never> = new Promise(() => {});

/** An engine for replays, with one worker for all of them. */
export class ReplayEngine {
  readonly engine: Engine;
  /** Whether its delays follow the clock of the replay. Otherwise a delay passes with the transition of the model. */
  readonly hasClock: boolean;
  /** Receivers of deliveries, by job. */
  readonly routes: Map<string, () => Promise<void>> = new Map();

  constructor(engine: Engine, hasClock: boolean) {
    this.engine = engine;
    this.hasClock = hasClock;
    engine.work(async (id) => await this.routes.get(id)?.(), { concurrency: 2 * CONCURRENCY });
  }
}

/** Opens the engine of a replay. */
export type OpenReplayEngine = (clock: FakeClock) => ReplayEngine;

/** Requests of one process to the engine, which wait for their permission. */
class Gate {
  /** Requests that wait. */
  readonly waiting: (() => void)[] = [];
  /** Requests that the engine has not answered. */
  inFlight = 0;
  isDead = false;
  /** Whether reads wait, too: those of a run that has not begun. */
  holdsReads = false;
  /** `commit`: open until a change is stored. */
  mode: "closed" | "commit" = "closed";

  async pass<Value>(kind: "read" | "change" | "schedule", request: () => Value | Promise<Value>): Promise<Value> {
    const isFree = kind === "read" && !this.holdsReads;
    while (!isFree && this.mode === "closed" && !this.isDead) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (this.isDead) return await NEVER;
    this.inFlight++;
    try {
      const result = await request();
      if (kind === "change" && result === true) this.mode = "closed";
      return this.isDead ? await NEVER : result;
    } finally {
      this.inFlight--;
    }
  }

  /** Permits requests up to the next change that is stored. */
  commit(): void {
    this.holdsReads = false;
    this.mode = "commit";
    for (const proceed of this.waiting.splice(0)) proceed();
  }

  kill(): void {
    this.isDead = true;
    this.waiting.length = 0;
  }
}

/** One life of a replica. */
interface Life {
  readonly gate: Gate;
  readonly server: Server;
  /** Ends the step that the handler is in. */
  endStep: ((value: number) => void) | undefined;
  run: ((id: string) => Promise<void>) | undefined;
  hasEnded: boolean;
  /** Releases the lease of the run; absent if it has lapsed. */
  release: (() => void) | undefined;
}

/** The servers of one trace. */
class Replay {
  readonly clock = new FakeClock(Date.now());
  readonly untilMs: number = this.clock.now() + 2 * HOUR;
  readonly #opened: ReplayEngine;
  readonly #engine: Engine;
  readonly #lives: Life[];
  /** The process that has stored a value, and is about to schedule the job. */
  #sender: Life;
  /** Releases of deliveries that no replica has taken. */
  readonly #deliveries: (() => void)[] = [];
  readonly #maxTurns: number;
  #id = "";
  #bodies = 0;
  /** Number of deliveries that are due at the time of the wait. */
  #timers = 0;
  /** Number of deliveries that the engine may begin. */
  #permitted = 0;
  #leases = 0;
  #faults: string[] = [];

  constructor(open: OpenReplayEngine, replicas: number, maxTurns: number) {
    this.#maxTurns = maxTurns;
    this.#opened = open(this.clock);
    this.#engine = this.#opened.engine;
    this.#sender = this.#begin();
    this.#lives = Array.from({ length: replicas }, () => this.#begin());
  }

  async start(): Promise<void> {
    await (testClient(this.#sender.server) as unknown as { work: { start(): Promise<unknown> } }).work.start();
  }

  /** Does the transition of a model, and compares the job with that of the model. */
  async step({ action, before, after }: TraceStep): Promise<void> {
    await this.#act(action, before, after);
    await this.#settle(() => true);
    this.clock.tick(STEP_MS);
    await this.#settle(() => true);
    deepStrictEqual(this.#faults, []);
    const [entry] = await this.#engine.readLedger(this.#id, 0, 1);
    const seen = seenOf(await this.#engine.get(this.#id), entry?.value, this.#bodies);
    deepStrictEqual(seen, expectedOf(after.jobs[0]!), "the job differs from that of the model");
  }

  async close(): Promise<void> {
    for (const { gate } of [this.#sender, ...this.#lives]) gate.kill();
    for (const { release } of this.#lives) release?.();
    for (const release of this.#deliveries) release();
    await this.#engine.remove(this.#id);
    this.#opened.routes.delete(this.#id);
  }

  #begin(): Life {
    const life: Life = {
      gate: new Gate(),
      server: undefined as unknown as Server,
      endStep: undefined,
      run: undefined,
      hasEnded: true,
      release: undefined,
    };
    const tool = defineTool("work").describe("Work").output(v.string())
      .promise({ ttlMs: 7 * DAY, jobTimeoutMs: DAY, retries: 1_000 })
      .handle(async (_, ctx) => {
        const step = await ctx.step("step", () => new Promise<number>((resolve) => void (life.endStep = resolve)));
        const timeoutMs = Math.max(1, this.untilMs - this.clock.now());
        const reply = await ctx.waitFor("value", v.string(), { timeoutMs });
        return `${step} ${reply.action === "accept" ? reply.content : reply.action}`;
      });
    const server = createServer({
      tools: [tool],
      keys: KEYS,
      clock: this.clock,
      engine: this.#attach(life),
      logger: false,
      work: false,
    });
    Object.assign(life, { server });
    server.work();
    return life;
  }

  #attach(life: Life): Engine {
    const { gate } = life;
    const engine = this.#engine;
    return {
      name: engine.name,
      processId: undefined,
      insert: (job, dueInMs) => {
        this.#id = job.id;
        this.#permitted++;
        this.#opened.routes.set(job.id, () => this.#deliver());
        return engine.insert(job, dueInMs);
      },
      get: (id) => gate.pass("read", () => engine.get(id)),
      replace: (job, version) => gate.pass("change", () => engine.replace(job, version)),
      appendLedger: (...args) => gate.pass("change", () => engine.appendLedger(...args)),
      readLedger: (...args) => gate.pass("read", () => engine.readLedger(...args)),
      remove: () => Promise.reject(new Error("The protocol removes no job")),
      subscribe: (id, onChange) => engine.subscribe(id, () => gate.isDead || onChange()),
      schedule: (_, delayMs) => {
        // The time at the gate is part of the delay.
        const dueMs = this.clock.now() + delayMs;
        return gate.pass("schedule", () => this.#schedule(Math.max(0, dueMs - this.clock.now())));
      },
      lease: () => Promise.reject(new Error("The runs of a worker need no lease")),
      work: (run) => {
        life.run = run;
        return { stop: () => Promise.resolve() };
      },
      close: () => {},
    };
  }

  async #schedule(delayMs: number): Promise<void> {
    const isLong = delayMs > STEP_MS;
    if (isLong) this.#timers++;
    else this.#permitted++;
    await this.#engine.schedule(this.#id, this.#opened.hasClock || isLong ? delayMs : 0);
  }

  /** A delivery of the engine. Its lease is held until the trace releases it. */
  async #deliver(): Promise<void> {
    if (this.#permitted-- <= 0) this.#faults.push("The engine delivered a job that was not due");
    if (this.#leases++ > 0) this.#faults.push("The engine delivered a job whose lease is held");
    await new Promise<void>((resolve) =>
      this.#deliveries.push(() => {
        this.#leases--;
        resolve();
      })
    );
  }

  async #act(action: Action, before: World, after: World): Promise<void> {
    const life = this.#lives[action.replica] ?? this.#sender;
    const next = after.runs[action.replica];
    switch (action.kind) {
      case "tick":
        return await this.#tick();
      case "resolve":
        return await this.#resolve(action.word!, before.jobs[0]!, after.jobs[0]!);
      case "wake":
        life.gate.commit();
        return await this.#settle(() => life.gate.waiting.length === 0);
      case "lose":
        return life.gate.kill();
      case "take":
        return await this.#take(life);
      case "kill":
        life.gate.kill();
        await this.#lapse(life);
        return void (this.#lives[action.replica] = this.#begin());
      case "lapse":
        return await this.#lapse(life);
      case "release":
        ok(life.hasEnded && life.gate.inFlight === 0, "the run has not ended");
        life.release?.();
        return void (life.release = undefined);
      case "body":
        if (life.endStep !== undefined && before.runs[action.replica]!.step === null) this.#endStep(life, next!.step!);
        return await this.#settle(() => isBlocked(life));
      default:
        life.gate.commit();
        await this.#settle(() => next!.at === "releasing" ? life.hasEnded : isBlocked(life));
        return void (life.gate.mode = "closed");
    }
  }

  #endStep(life: Life, value: number): void {
    this.#bodies++;
    life.endStep?.(value);
    life.endStep = undefined;
  }

  async #tick(): Promise<void> {
    const { hasClock } = this.#opened;
    const timers = this.#timers;
    this.#timers = 0;
    if (hasClock) this.#permitted += timers;
    this.clock.tick(this.untilMs - this.clock.now());
    for (let n = 0; n < timers && !hasClock; n++) await this.#schedule(0);
  }

  async #take(life: Life): Promise<void> {
    await this.#settle(() => this.#deliveries.length > 0, "The engine does not deliver the job");
    life.release = this.#deliveries.shift();
    life.gate.holdsReads = true;
    life.hasEnded = false;
    void life.run!(this.#id).then(() => void (life.hasEnded = true));
    await this.#settle(() => isBlocked(life));
  }

  /** Passes the job of a run on, as an engine does when the lease of a run lapses. */
  async #lapse(life: Life): Promise<void> {
    const { release } = life;
    life.release = undefined;
    if (release === undefined) return;
    await this.#schedule(0);
    release();
  }

  /** Sends a value by another process. If it wakes the job, that process waits before it schedules the job. */
  async #resolve(word: string, before: ModelJob, after: ModelJob): Promise<void> {
    const expSeconds = Math.ceil((this.clock.now() + DAY) / 1_000);
    const claims = { id: this.#id, tool: "", principal: "", expSeconds, data: { k: "value" } };
    const isAccepted = before.accepted === null && after.accepted === word;
    const isWaking = isAccepted && after.isResolving;
    const sender = this.#begin();
    let resolution: unknown;
    void sender.server.resolve(keyRing(KEYS).sign("resolve", claims), word).then((result) => resolution = result);
    sender.gate.commit();
    await this.#settle(() => sender.gate.waiting.length > 0 || resolution !== undefined);
    sender.gate.mode = "closed";
    deepStrictEqual(resolution === undefined, isWaking, `the value ${word} wakes the job`);
    if (isWaking) this.#sender = sender;
    else deepStrictEqual((resolution as { readonly resolved: boolean }).resolved, isAccepted, `${word} is accepted`);
  }

  /** Lets all servers do what they may do. */
  async #settle(isEnough: () => boolean, problem = "The servers do not come to the next state"): Promise<void> {
    const isIdle = () => [this.#sender, ...this.#lives].every(({ gate }) => gate.inFlight === 0);
    for (let quiet = 0, turn = 0; quiet < QUIET_TURNS; turn++) {
      ok(turn < this.#maxTurns, problem);
      await new Promise<void>((resolve) => void (turn < SHORT_TURNS ? setImmediate(resolve) : setTimeout(resolve, 1)));
      quiet = isIdle() && isEnough() ? quiet + 1 : 0;
    }
  }
}

/** Whether a run has come to its next write, or its end. */
function isBlocked({ gate, endStep, hasEnded }: Life): boolean {
  return hasEnded || endStep !== undefined || gate.waiting.length > 0;
}

/** What is compared of a job. */
interface Seen {
  readonly state: string;
  readonly epoch: number;
  readonly bodies: number;
  readonly memo: string;
}

function seenOf(job: Job | undefined, step: unknown, bodies: number): Seen {
  const { state, epoch, memo, outcome } = job!;
  const { done = "open", content, until } = memo.waits?.["value value"] ?? {};
  const wait = done === "accept" ? content : done;
  const kept = `${step ?? null} ${wait} ${until !== undefined}`;
  return { state, epoch, bodies, memo: outcome?.kind === "answer" ? `${outcome.value}` : kept };
}

function expectedOf({ state, epoch, bodies, step, wait, hasUntil, outcome }: ModelJob): Seen {
  return { state, epoch, bodies, memo: outcome ?? `${step} ${wait} ${hasUntil}` };
}

/**
 * Replays traces, several at once. Rejects with the transition after which a job differs from that of the model.
 *
 * @param open Opens the engine of a trace. Traces may share an engine without the clock.
 * @param maxTurns Number of turns of the event loop in which the servers have to come to the next state.
 */
export async function replayAll(
  traces: readonly (readonly TraceStep[])[],
  open: OpenReplayEngine,
  maxTurns: number = MAX_TURNS,
): Promise<void> {
  const left = [...traces];
  const replaySome = async () => {
    for (let trace = left.shift(); trace !== undefined; trace = left.shift()) await replay(trace, open, maxTurns);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, replaySome));
}

async function replay(trace: readonly TraceStep[], open: OpenReplayEngine, maxTurns: number): Promise<void> {
  const servers = new Replay(open, trace[0]!.before.runs.length, maxTurns);
  let at = 0;
  try {
    await servers.start();
    for (const step of trace) {
      at++;
      await servers.step(step);
    }
  } catch (cause) {
    const path = trace.slice(0, at).map(({ action: { kind, replica, word = "" } }) =>
      `${kind} ${replica} ${word}`.trim()
    );
    throw new Error(`After ${path.join(", ")}: ${(cause as Error).message}`, { cause });
  } finally {
    await servers.close();
  }
}
