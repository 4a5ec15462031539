/** All that may happen next in a world: a request that the engine carries out, a delivery, a fault, the passing of time. */
import type { Job, LedgerEntry } from "../../../src/core/dispatch/engine.ts";
import { isFinal } from "../../../src/jobs/promises/job_ends.ts";
import type { Point, Reply, Request } from "./points.ts";
import { acquire, afterEnd, append, call, take } from "./runs.ts";
import { idOf, type Scope, TIMES, UNTIL_MS } from "./scopes.ts";
import { type Caller, type Facts, IDLE, jobOf, type StoredJob, type Worker, type World } from "./world.ts";

/** A transition: what happens, where, and whether it is one that happens without a fault, and without another call. */
export interface Transition {
  /** `worker 0`, `resolve a`, `time`, … */
  readonly actor: string;
  readonly what: string;
  readonly isProgress: boolean;
  readonly after: World;
}

const OK: Reply = { json: "true" };
const NO: Reply = { json: "false" };
const NOTHING: Reply = { json: undefined };

/** All transitions of a world. */
export async function transitionsOf(world: World, scope: Scope): Promise<Transition[]> {
  const found: Transition[] = [];
  if (await refuseStale(world, scope, found)) return found;
  passTime(world, found);
  for (const [at, worker] of world.workers.entries()) {
    if (worker.phase === "idle") await deliver(world, at, found);
    else {
      await advanceWorker(world, at, worker, scope, found);
      breakWorker(world, at, worker, found);
    }
  }
  for (const [at, caller] of world.callers.entries()) await advanceCaller(world, at, caller, scope, found);
  return found;
}

/**
 * A change of an old version is refused whenever it comes, and changes nothing: one such transition is explored alone, since each order with
 * the others leads to the same worlds.
 */
async function refuseStale(world: World, scope: Scope, found: Transition[]): Promise<boolean> {
  const isStale = (point: Point | undefined) => {
    if (point?.request?.method !== "replace") return false;
    const [{ id }, version] = point.request.args as [Job, number];
    return jobOf(world.jobs[numberOf(id)]!.text).version > version;
  };
  const worker = world.workers.findIndex(({ point }) => isStale(point));
  if (worker >= 0) await advanceWorker(world, worker, world.workers[worker]!, scope, found);
  const caller = worker >= 0 ? -1 : world.callers.findIndex(({ point }) => isStale(point));
  if (caller >= 0) await advanceCaller(world, caller, world.callers[caller]!, scope, found);
  return found.length > 0;
}

function numberOf(id: string): number {
  return Number(id.slice("job ".length));
}

function passTime(world: World, found: Transition[]): void {
  const { nowMs, jobs } = world;
  const nextMs = TIMES.find((ms) => ms > nowMs);
  if (nextMs === undefined) return;
  const later = jobs.map((job) => {
    const timers = job.timers.filter((ms) => ms > nextMs);
    return timers.length === job.timers.length ? job : { ...job, timers, isDue: true };
  });
  const what = nextMs === UNTIL_MS ? "the time of the waits is over" : "an hour passes";
  found.push({ actor: "time", what, isProgress: true, after: { ...world, nowMs: nextMs, jobs: later } });
}

async function deliver(world: World, at: number, found: Transition[]): Promise<void> {
  // Workers are alike: one that is idle is enough.
  if (world.workers.findIndex(({ phase }) => phase === "idle") !== at) return;
  for (const [number, job] of world.jobs.entries()) {
    const isHeld = world.workers.some((one) => one.hasLease && one.job === number);
    if (!job.isDue || isHeld) continue;
    const jobs = world.jobs.with(number, { ...job, isDue: false });
    const worker = await take(number, world.nowMs);
    const after = withWorker({ ...world, jobs }, at, worker);
    found.push({ actor: `worker ${at}`, what: `is given ${idOf(number)}`, isProgress: true, after });
  }
}

async function advanceWorker(
  world: World,
  at: number,
  worker: Worker,
  scope: Scope,
  found: Transition[],
): Promise<void> {
  const actor = `worker ${at}`;
  const push = (what: string, after: World, isProgress = true) => found.push({ actor, what, isProgress, after });
  const { nowMs } = world;
  if (worker.phase === "release") return void push("releases its lease", withWorker(world, at, IDLE));
  if (worker.phase === "give back") {
    return void push("gives the job back", withWorker(redelivered(world, worker), at, IDLE));
  }
  if (worker.phase === "body") {
    const facts = world.facts[worker.job]!;
    const done = withFacts(world, worker.job, { ...facts, bodies: facts.bodies + 1 });
    return void push("does the step", withWorker(done, at, await append(worker, nowMs)));
  }
  const { point } = worker.phase === "lease" && worker.point === undefined ? await acquire(worker, nowMs) : worker;
  for (const [what, after, next, isProgress] of await answers(world, point!)) {
    let moved: Worker = { ...worker, point: next };
    if (point!.request!.method === "lease" && isProgress) moved = { ...moved, hasLease: true };
    while (moved.point?.end !== undefined) moved = await afterEnd(moved, moved.point.end, nowMs, scope);
    push(`${worker.phase}: ${what}`, withWorker(after, at, moved), isProgress);
  }
}

/** Faults of a worker: it dies, or its lease lapses although it lives. */
function breakWorker(world: World, at: number, worker: Worker, found: Transition[]): void {
  const back = worker.hasLease ? redelivered(world, worker) : world;
  const actor = `worker ${at}`;
  if (world.kills > 0) {
    const after = withWorker({ ...back, kills: world.kills - 1 }, at, IDLE);
    found.push({ actor, what: "dies", isProgress: false, after });
  }
  if (world.lapses > 0 && worker.hasLease) {
    const after = withWorker({ ...back, lapses: world.lapses - 1 }, at, { ...worker, hasLease: false });
    found.push({ actor, what: "loses its lease, and lives", isProgress: false, after });
  }
}

async function advanceCaller(
  world: World,
  at: number,
  { state, point }: Caller,
  scope: Scope,
  found: Transition[],
): Promise<void> {
  if (state === "over") return;
  const plan = scope.callers![at]!;
  const actor = [plan.kind, plan.value].filter(Boolean).join(" ");
  const back: Caller = { state: plan.repeats ? "ready" : "over", point: undefined };
  const push = (what: string, after: World, isProgress: boolean) => found.push({ actor, what, isProgress, after });
  const begun = point ?? await call(plan, world.nowMs);
  for (const [what, after, next, isRegular] of await answers(world, begun)) {
    // The first request of a call is not progress: jobs have to end without further calls, unless these are repeated.
    const isProgress = isRegular && (state === "under way" || plan.repeats === true);
    if (next.end === undefined) {
      push(what, withCaller(after, at, { state: "under way", point: next }), isProgress);
      continue;
    }
    const isAnswered = "json" in next.end;
    const reported = isAnswered
      ? withReport(after, plan, JSON.parse((next.end as { json?: string }).json ?? "null"))
      : after;
    push(what, withCaller(reported, at, isAnswered ? { state: "over", point: undefined } : back), isProgress);
  }
  if (state === "under way" && world.kills > 0) {
    push("dies", withCaller({ ...world, kills: world.kills - 1 }, at, back), false);
  }
}

/** What a call has reported to its caller. */
function withReport(world: World, { kind, job, value }: NonNullable<Scope["callers"]>[number], result: unknown): World {
  const facts = world.facts[job]!;
  const next: Facts = {
    ...facts,
    ...(kind === "resolve" && (result as { resolved: boolean }).resolved &&
      {
        accepted: facts.accepted === undefined || facts.accepted === value ? value : `${facts.accepted} and ${value}`,
      }),
    ...(kind === "cancel" && result === "cancelled" && { isCancelReported: true }),
    ...(kind === "join" && result !== null && !isFinal(result as Job) && { isJoined: true }),
  };
  return withFacts(world, job, next);
}

type Answer = readonly [what: string, after: World, next: Point, isRegular: boolean];

/** What may happen to a request: it is carried out, it fails, or it is carried out and its reply is lost. */
async function answers(world: World, point: Point): Promise<Answer[]> {
  const request = point.request!;
  const [after, reply] = carryOut(world, request);
  const what = describe(request, reply);
  const found: Answer[] = [[what, after, await reach(point, reply, world.nowMs), true]];
  if (world.errors > 0) {
    const errors = world.errors - 1;
    const failed = await reach(point, undefined, world.nowMs);
    found.push([`${request.method} fails`, { ...world, errors }, failed, false]);
    if (after !== world) found.push([`${what}, but the reply is lost`, { ...after, errors }, failed, false]);
  }
  return found;
}

async function reach(point: Point, reply: Reply, nowMs: number): Promise<Point> {
  return point.known(reply, nowMs) ?? await point.after(reply, nowMs);
}

/** What the engine does with a request, as its contract has it. */
function carryOut(world: World, { method, args }: Request): readonly [World, Reply] {
  const id = method === "replace" ? (args[0] as Job).id : args[0] as string;
  const at = numberOf(id);
  const stored = world.jobs[at]!;
  const record = jobOf(stored.text);
  const isLive = record.expiresAtMs > world.nowMs;
  const changed = (job: Partial<StoredJob>) => ({ ...world, jobs: world.jobs.with(at, { ...stored, ...job }) });
  switch (method) {
    case "get":
      return [world, isLive ? { json: stored.text } : NOTHING];
    case "replace":
      if (!isLive || record.version !== args[1]) return [world, NO];
      return [changed({ text: JSON.stringify(args[0]) }), OK];
    case "appendLedger": {
      const [, epoch, from, entries] = args as [string, number, number, readonly LedgerEntry[]];
      if (!isLive || record.epoch !== epoch) return [world, NO];
      const texts = entries.map((entry) => JSON.stringify(entry));
      return [changed({ ledger: [...stored.ledger.slice(0, from), ...texts] }), OK];
    }
    case "readLedger":
      return [world, { json: `[${isLive ? stored.ledger.slice(args[1] as number).join() : ""}]` }];
    case "schedule": {
      if (!isLive) return [world, NOTHING];
      const dueMs = TIMES.findLast((ms) => ms <= world.nowMs + (args[1] as number))!;
      if (dueMs <= world.nowMs) return [stored.isDue ? world : changed({ isDue: true }), NOTHING];
      const timers = [...new Set([...stored.timers, dueMs])].sort((one, other) => one - other);
      return [changed({ timers }), NOTHING];
    }
    case "lease":
      return [world, NOTHING];
    case "notify":
      return [withFacts(world, at, { ...world.facts[at]!, isNotified: true }), NOTHING];
  }
}

function describe({ method, args }: Request, reply: Reply): string {
  if (method === "schedule") return `schedule in ${args[1]} ms`;
  if (method === "get") {
    if (reply?.json === undefined) return "get → nothing";
    const { state, epoch, version } = jobOf(reply.json);
    return `get → ${state}, epoch ${epoch}, version ${version}`;
  }
  if (method !== "replace") return `${method}${reply?.json === undefined ? "" : ` → ${reply.json}`}`;
  const { state, epoch } = args[0] as Job;
  return `replace version ${args[1]} by ${state}, epoch ${epoch} → ${reply!.json}`;
}

function redelivered(world: World, { job }: Worker): World {
  return { ...world, jobs: world.jobs.with(job, { ...world.jobs[job]!, isDue: true }) };
}

function withWorker(world: World, at: number, worker: Worker): World {
  return { ...world, workers: world.workers.with(at, worker) };
}

function withCaller(world: World, at: number, caller: Caller): World {
  return { ...world, callers: world.callers.with(at, caller) };
}

function withFacts(world: World, job: number, facts: Facts): World {
  return { ...world, facts: world.facts.with(job, facts) };
}
