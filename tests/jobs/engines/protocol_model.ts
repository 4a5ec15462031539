/**
 * The protocol of jobs as a model: states, transitions and invariants, for any number of replicas and jobs.
 *
 * Each job has a handler with one step and one wait: it keeps the result of the step, waits for a value until a time, and returns both. A
 * replica may die between any two transitions, and a lease may lapse although its replica lives.
 */

/** How the wait of a job has ended: `a` and `b` are values. */
type Ending = "open" | "a" | "b" | "timeout";

/** A job as the store has it, with its deliveries. */
export interface ModelJob {
  readonly state: "queued" | "running" | "waiting" | "done";
  readonly epoch: number;
  /** Kept result of the step: the epoch of the run that did it. */
  readonly step: number | null;
  readonly wait: Ending;
  /** Whether the time of the wait is stored. */
  readonly hasUntil: boolean;
  readonly outcome: string | null;
  /** The value that was reported to its sender as accepted. */
  readonly accepted: Ending | null;
  /** Whether a delivery is due, and whether one is due at the time of the wait. */
  readonly isDue: boolean;
  readonly hasTimer: boolean;
  /** The replica with the lease. */
  readonly lease: number | null;
  /** How often the step was done. */
  readonly bodies: number;
  /** Values that are not sent yet. */
  readonly words: readonly Ending[];
  /** Whether a process has stored a value, and is about to schedule the job. */
  readonly isResolving: boolean;
}

/** A run in a replica. */
interface ModelRun {
  readonly job: number;
  readonly at: "taken" | "begun" | "stepped" | "saved" | "scheduling" | "delaying" | "releasing";
  readonly epoch: number;
  readonly step: number | null;
  readonly wait: Ending;
}

/** All replicas and jobs. */
export interface World {
  readonly jobs: readonly ModelJob[];
  readonly runs: readonly (ModelRun | null)[];
  /** Whether the time of the waits has passed. */
  readonly isLate: boolean;
  readonly kills: number;
  readonly lapses: number;
  /** Whether a superseded run schedules its job. */
  readonly isRepaired: boolean;
}

/** A transition. */
export interface Action {
  readonly kind:
    | "take"
    | "claim"
    | "body"
    | "save"
    | "suspend"
    | "finish"
    | "schedule"
    | "release"
    | "kill"
    | "lapse"
    | "resolve"
    | "wake"
    | "lose"
    | "tick";
  readonly replica: number;
  readonly job: number;
  readonly word?: Ending;
}

/** Bounds of an exploration. */
export interface Bounds {
  readonly jobs: number;
  readonly replicas: number;
  readonly kills: number;
  readonly lapses: number;
  readonly words: readonly Ending[];
  /** `false`: the protocol as it was before the model found its fault. Default: `true`. */
  readonly isRepaired?: boolean;
}

/** The world before the first delivery. */
export function firstWorld({ jobs, replicas, kills, lapses, words, isRepaired = true }: Bounds): World {
  const job: ModelJob = {
    state: "queued",
    epoch: 0,
    step: null,
    wait: "open",
    hasUntil: false,
    outcome: null,
    accepted: null,
    isDue: true,
    hasTimer: false,
    lease: null,
    bodies: 0,
    words,
    isResolving: false,
  };
  return { jobs: Array(jobs).fill(job), runs: Array(replicas).fill(null), isLate: false, kills, lapses, isRepaired };
}

/** All transitions of a world. */
export function transitions(world: World): (readonly [Action, World])[] {
  const found: (readonly [Action, World])[] = [];
  const { jobs, runs, isLate, kills, lapses } = world;
  if (!isLate) {
    const late = jobs.map((job) => ({ ...job, isDue: job.isDue || job.hasTimer, hasTimer: false }));
    found.push([{ kind: "tick", replica: -1, job: -1 }, { ...world, isLate: true, jobs: late }]);
  }
  for (const [at, job] of jobs.entries()) {
    const to = (action: Omit<Action, "job">, changes: Partial<ModelJob>): void => {
      found.push([{ ...action, job: at }, { ...world, jobs: jobs.with(at, { ...job, ...changes }) }]);
    };
    for (const word of job.words) to({ kind: "resolve", replica: -1, word }, resolved(job, word));
    if (job.isResolving) {
      to({ kind: "wake", replica: -1 }, { isResolving: false, isDue: true });
      if (kills > 0) {
        const lost = jobs.with(at, { ...job, isResolving: false });
        found.push([{ kind: "lose", replica: -1, job: at }, { ...world, kills: kills - 1, jobs: lost }]);
      }
    }
  }
  for (const [replica, run] of runs.entries()) {
    if (run === null) {
      for (const [at, job] of jobs.entries()) {
        if (!job.isDue || job.lease !== null) continue;
        const taken: ModelRun = { job: at, at: "taken", epoch: -1, step: null, wait: "open" };
        const leased = jobs.with(at, { ...job, isDue: false, lease: replica });
        found.push([{ kind: "take", replica, job: at }, { ...world, jobs: leased, runs: runs.with(replica, taken) }]);
      }
      continue;
    }
    const job = jobs[run.job]!;
    const isHolder = job.lease === replica;
    const back = jobs.with(run.job, isHolder ? { ...job, lease: null, isDue: true } : job);
    const about = { replica, job: run.job };
    const [kind, changes, next] = advance(job, run, isHolder, world);
    found.push([{ kind, ...about }, {
      ...world,
      jobs: jobs.with(run.job, { ...job, ...changes }),
      runs: runs.with(replica, next),
    }]);
    if (kills > 0) {
      found.push([{ kind: "kill", ...about }, {
        ...world,
        kills: kills - 1,
        jobs: back,
        runs: runs.with(replica, null),
      }]);
    }
    if (lapses > 0 && isHolder) found.push([{ kind: "lapse", ...about }, { ...world, lapses: lapses - 1, jobs: back }]);
  }
  return found;
}

/** The next transition of a run that is not killed. */
function advance(
  job: ModelJob,
  run: ModelRun,
  isHolder: boolean,
  { isLate, isRepaired }: World,
): readonly [Action["kind"], Partial<ModelJob>, ModelRun | null] {
  const isCurrent = job.state === "running" && job.epoch === run.epoch;
  const releasing: ModelRun = { ...run, at: "releasing" };
  // The later run may have no lease: if it began after its lease had lapsed, its delivery is the one that this run releases.
  const superseded = job.state !== "done" && isRepaired ? { isDue: true } : {};
  switch (run.at) {
    case "taken": {
      const isEarly = job.state === "waiting" && !isLate;
      if (isEarly) return ["claim", { hasTimer: true }, releasing];
      if (job.state === "done") return ["claim", {}, releasing];
      const wait = job.wait === "open" && job.hasUntil && isLate ? "timeout" : job.wait;
      const epoch = job.epoch + 1;
      return ["claim", { state: "running", epoch, wait }, { ...run, at: "begun", epoch, step: job.step, wait }];
    }
    case "begun":
      if (run.step !== null) return ["body", {}, { ...run, at: "saved" }];
      return ["body", { bodies: job.bodies + 1 }, { ...run, at: "stepped", step: run.epoch }];
    case "stepped":
      return isCurrent ? ["save", { step: run.step }, { ...run, at: "saved" }] : ["save", superseded, releasing];
    case "saved":
      if (run.wait !== "open") {
        const outcome = `${run.step} ${run.wait}`;
        return ["finish", isCurrent ? { state: "done", outcome } : superseded, releasing];
      }
      if (!isCurrent) return ["suspend", superseded, releasing];
      if (job.wait !== "open") return ["suspend", { state: "queued", hasUntil: true }, { ...run, at: "scheduling" }];
      return ["suspend", { state: "waiting", hasUntil: true }, { ...run, at: "delaying" }];
    case "scheduling":
      return ["schedule", { isDue: true }, releasing];
    case "delaying":
      return ["schedule", isLate ? { isDue: true } : { hasTimer: true }, releasing];
    case "releasing":
      return ["release", isHolder ? { lease: null } : {}, null];
  }
}

function resolved(job: ModelJob, word: Ending): Partial<ModelJob> {
  const words = job.words.filter((one) => one !== word);
  if (job.wait !== "open" || job.state === "done") return { words };
  // A queued job is scheduled once more: the process that queued it may have died before it scheduled the job.
  const isWoken = job.state === "waiting" || job.state === "queued";
  return { words, wait: word, accepted: word, isResolving: isWoken, ...(isWoken && { state: "queued" }) };
}

/** What is wrong with a world, and with the transition to it; `undefined` if nothing is. */
export function findFault(before: World, after: World, bounds: Bounds): string | undefined {
  for (const [at, job] of after.jobs.entries()) {
    const earlier = before.jobs[at]!;
    if (earlier.step !== null && job.step !== earlier.step) return "a kept step has another value";
    if (earlier.outcome !== null && job.outcome !== earlier.outcome) return "a result was lost, or replaced";
    if (earlier.wait !== "open" && job.wait !== earlier.wait) return "the end of a wait was lost, or replaced";
    if (job.accepted !== null && job.wait !== job.accepted) return "an accepted value was lost";
    if (job.outcome !== null && job.outcome !== `${job.step} ${job.wait}`) {
      return "a result has other values than those kept";
    }
    const isAwaited = job.isDue || job.hasTimer || job.lease !== null || job.isResolving;
    if (job.state !== "done" && !isAwaited) return "a job has no delivery, lease or alarm, and never ends";
    // After a lapse, the run that was superseded and the one that follows both may repeat the step.
    const faults = bounds.kills - after.kills + 2 * (bounds.lapses - after.lapses);
    if (job.bodies > 1 + faults) return "a step was done again without a fault";
    const writers = after.runs.filter((run) => run?.job === at && run.epoch === job.epoch && run.at !== "releasing");
    if (writers.length > 1) return "two runs have the same epoch";
  }
  return undefined;
}

/** Result of {@link explore}. */
export interface Exploration {
  readonly states: number;
  readonly edges: number;
  /** A shortest trace to each kind of transition. */
  readonly traces: readonly (readonly Action[])[];
  /** A fault with its trace. */
  readonly fault: { readonly what: string; readonly trace: readonly Action[] } | undefined;
}

/** Visits all worlds within the bounds, the nearest first. */
export function explore(bounds: Bounds): Exploration {
  const start = firstWorld(bounds);
  const nodes: { world: World; from: number; by: Action | undefined }[] = [{ world: start, from: -1, by: undefined }];
  const known = new Map([[keyOf(start), 0]]);
  const earlier: number[][] = [[]];
  const kinds = new Map<string, readonly Action[]>();
  const traceTo = (node: number): Action[] => {
    const trace: Action[] = [];
    for (let at = node; nodes[at]!.by !== undefined; at = nodes[at]!.from) trace.unshift(nodes[at]!.by!);
    return trace;
  };
  const result = (fault: Exploration["fault"], edges: number): Exploration => {
    return { states: nodes.length, edges, traces: [...kinds.values()], fault };
  };
  let edges = 0;
  for (let at = 0; at < nodes.length; at++) {
    const { world } = nodes[at]!;
    for (const [action, next] of transitions(world)) {
      edges++;
      const kind = kindOf(world, action);
      if (!kinds.has(kind)) kinds.set(kind, [...traceTo(at), action]);
      const what = findFault(world, next, bounds);
      if (what !== undefined) return result({ what, trace: [...traceTo(at), action] }, edges);
      const key = keyOf(next);
      let index = known.get(key);
      if (index === undefined) {
        known.set(key, index = nodes.length);
        nodes.push({ world: next, from: at, by: action });
        earlier.push([]);
      }
      earlier[index]!.push(at);
    }
  }
  const stuck = findStuck(nodes.map(({ world }) => world), earlier);
  return result(stuck < 0 ? undefined : { what: "the work cannot end any more", trace: traceTo(stuck) }, edges);
}

/** The first world from which no path leads to the end of all jobs; -1 without one. */
function findStuck(worlds: readonly World[], earlier: readonly (readonly number[])[]): number {
  const canEnd = new Uint8Array(worlds.length);
  const open = worlds.flatMap(({ jobs }, at) => (jobs.every(({ state }) => state === "done") ? [at] : []));
  for (const at of open) canEnd[at] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const from of earlier[at]!) {
      if (canEnd[from] === 1) continue;
      canEnd[from] = 1;
      open.push(from);
    }
  }
  return canEnd.indexOf(0);
}

function keyOf({ jobs, runs, isLate, kills, lapses }: World): string {
  const texts = jobs.map((job) => Object.values(job).join());
  const runTexts = runs.map((run) => (run === null ? "" : Object.values(run).join()));
  return `${texts.join(";")}|${runTexts.join(";")}|${isLate}${kills}${lapses}`;
}

/** The situation that a transition is in, of one job and one run. */
export function kindOf({ jobs, runs, isLate }: World, { kind, replica, job: at, word }: Action): string {
  const job = jobs[at];
  const run = runs[replica];
  const age = run == null || job === undefined ? "" : run.epoch === job.epoch ? "current" : "stale";
  return [kind, word, job?.state, job?.wait, job?.step === null, run?.at, run?.wait, age, isLate].join();
}
