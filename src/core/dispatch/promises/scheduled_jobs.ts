import type { Engine, Job } from "../../../engine/engine.ts";
import type { Json } from "../../../internal/json.ts";
import { digestOf } from "../../token/digest.ts";
import { formatIssues } from "../../schema/issues.ts";
import type { ToolDefinition } from "../../tool/definition.ts";
import { toolOfJob } from "../attached_tools.ts";
import type { DispatchServices, JobOptions } from "../deferral.ts";
import type { ScheduledCall, ScheduleHost, Scheduler } from "../schedule.ts";
import type { Jobs } from "./jobs.ts";
import { CLOCK_SKEW_MS } from "./promise_tokens.ts";

/** Delay until the call of an unknown schedule is delivered to another process, in milliseconds. */
const ELSEWHERE_MS = 10_000;

/** Time for which a due call of an unknown schedule is left to other processes, in milliseconds: the length of a deployment. */
const DEPLOYMENT_MS = 300_000;

/** The jobs of a server's schedules; nothing on a server without them, which does not have their code. */
export class ScheduledJobs {
  readonly #services: DispatchServices;
  readonly #jobs: Jobs;
  readonly #scheduler: Scheduler | undefined;

  /** @throws {TypeError} If a schedule names a tool that the server does not have, or its arguments do not fit. */
  constructor(services: DispatchServices, { schedules = [] }: JobOptions, jobs: Jobs) {
    this.#services = services;
    this.#jobs = jobs;
    this.#scheduler = schedules[0]?.["~scheduler"](schedules, this.#host(jobs.engine));
  }

  /** Whether the server has schedules. */
  get isUsed(): boolean {
    return this.#scheduler !== undefined;
  }

  start(): void {
    this.#scheduler?.start();
  }

  stop(): void {
    this.#scheduler?.stop();
  }

  /** Whether a claimed job is to run. If not, it is passed on or cancelled. */
  async mayRun(job: Job): Promise<boolean> {
    if (job.schedule === undefined) return true;
    const decision = await this.#scheduler?.decide(job);
    if (decision !== undefined && decision.blockedBy === undefined) return true;
    const isDeploying = this.#services.clock.now() < job.schedule.atMs + DEPLOYMENT_MS;
    if (decision === undefined && isDeploying) await this.#jobs.handOver(job, ELSEWHERE_MS);
    else await this.#jobs.leaveOut(job, decision?.blockedBy);
    return false;
  }

  #host(engine: Engine): ScheduleHost {
    return {
      clock: this.#services.clock,
      createJob: (call) => this.#createJob(call),
      insert: (job, dueInMs) => engine.insert(job, dueInMs),
      get: (id) => engine.get(id),
      report: (thrown) => void this.#services.settleThrown(thrown, { during: "schedules" }),
    };
  }

  #createJob({ id, tool, input, principal, atMs, schedule }: ScheduledCall): Job {
    const definition = toolOfJob(this.#services.registry, tool);
    if (definition?.promise === undefined) {
      throw new TypeError(
        `Cannot create server: the schedule "${schedule.name}" calls ${tool}, which is not among its tools`,
      );
    }
    const { promise: { ttlMs, retries }, revision } = definition;
    return {
      id,
      state: "queued",
      epoch: 0,
      attempt: 0,
      version: 1,
      tool,
      ...(revision !== undefined && { revision }),
      args: checkInput(definition, input, schedule.name),
      digest: digestOf(tool, input),
      ...(principal !== undefined && { principal }),
      expiresAtMs: atMs + ttlMs + CLOCK_SKEW_MS,
      wakeAtMs: atMs,
      maxAttempts: retries + 1,
      memo: { answers: {}, steps: {} },
      schedule,
    };
  }
}

/** The arguments as JSON, checked unless the schema is asynchronous. */
function checkInput({ name, input }: ToolDefinition, given: unknown, schedule: string): Json {
  const args: Json = JSON.parse(JSON.stringify(given ?? {}));
  const checked = input?.validate(args);
  if (checked === undefined || checked instanceof Promise || checked.issues === undefined) return args;
  const [issue] = formatIssues(checked.issues, args);
  throw new TypeError(
    `Cannot create server: the arguments of the schedule "${schedule}" do not fit ${name}: ${
      ["input", ...issue?.path ?? []].join(".")
    }: ${issue?.message}`,
  );
}
