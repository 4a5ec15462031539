/** Conditions of the lists of jobs: their options, and the filter of an engine. */
import type { Job, JobFilter, JobState } from "../../core/dispatch/engine.ts";
import { isJsonObject } from "../../internal/json.ts";
import {
  ANYTHING,
  BOOLEAN,
  checkOptions,
  type OptionRule,
  type OptionRules,
  rule,
  TEXT,
} from "../../internal/options.ts";
import { ToolError } from "../../core/errors/tool_error.ts";

/** All states of jobs, in the order of their life. */
export const JOB_STATES: readonly JobState[] = [
  "queued",
  "running",
  "asking",
  "waiting",
  "blocked",
  "done",
  "cancelled",
];

/** Conditions of a list of jobs; each one that is absent is met by all jobs. */
export interface ListedJobs {
  /** One state, or several. */
  readonly state?: JobState | readonly JobState[] | undefined;
  /** Name of the tool. */
  readonly tool?: string | undefined;
  /** Id of the caller, of any tenant; `""` for jobs of anonymous callers. */
  readonly principal?: string | undefined;
  /** Tenant of the caller; `""` for jobs of callers without one. */
  readonly tenant?: string | undefined;
  /** Only jobs that were created at least this long ago, in milliseconds. */
  readonly minAgeMs?: number | undefined;
  /** Only jobs that were created at most this long ago, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
}

/** Options of `list()` of the jobs of a server. */
export interface ListJobsOptions extends ListedJobs {
  /** Values of arguments that the option `tags` of `.promise()` names, such as `{ order: "4711" }`. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Position for the next page, from the page before. */
  readonly cursor?: string | undefined;
  /** Largest number of jobs: 1 to 100. Default: 50. */
  readonly limit?: number | undefined;
}

/** Options of `purge()` of the jobs of a server: at least one condition, or `all`. */
export interface PurgeJobsOptions extends ListedJobs {
  /** Whether to delete all ended jobs, of all callers. Needed if there is no condition. Default: `false`. */
  readonly all?: boolean | undefined;
  /** Position to continue at, from an incomplete purge with the same conditions. */
  readonly cursor?: string | undefined;
}

const CONDITIONS: readonly (keyof ListedJobs)[] = ["state", "tool", "principal", "tenant", "minAgeMs", "maxAgeMs"];

/** Values are validated where they are read. */
const CONDITION_RULES: OptionRules<ListedJobs> = {
  ...{ state: ANYTHING, tool: TEXT, minAgeMs: ANYTHING, maxAgeMs: ANYTHING },
  principal: rule('the id of a caller, or "" for anonymous callers', (value) => typeof value === "string"),
  tenant: rule('a tenant, or "" for callers without one', (value) => typeof value === "string"),
};
const TAGS: OptionRule = rule('an object of texts, such as { order: "4711" }', (value) => {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");
});
const LIST_OPTIONS: OptionRules<ListJobsOptions> = {
  ...CONDITION_RULES,
  cursor: ANYTHING,
  limit: ANYTHING,
  tags: TAGS,
};
const PURGE_OPTIONS: OptionRules<PurgeJobsOptions> = { ...CONDITION_RULES, cursor: ANYTHING, all: BOOLEAN };

/** @throws {ToolError} `invalid_request` if an option is unknown. */
export function checkListOptions(options: ListJobsOptions): void {
  check("list jobs", options, LIST_OPTIONS);
}

/** @throws {ToolError} `invalid_request` if an option is unknown, or there is no condition. */
export function checkPurgeOptions(options: PurgeJobsOptions): void {
  check("purge jobs", options, PURGE_OPTIONS);
  if (options.all === true || CONDITIONS.some((name) => options[name] !== undefined)) return;
  throw refused(
    `Cannot purge jobs: there is no condition; pass one of ${
      CONDITIONS.join(", ")
    }, or { all: true } for all ended jobs`,
  );
}

/** An unknown condition would be met by all jobs. */
function check<Options extends object>(action: string, options: unknown, rules: OptionRules<Options>): void {
  try {
    checkOptions<Options>(action, options, rules);
  } catch (thrown) {
    throw refused((thrown as Error).message);
  }
}

/** Whether a job has all of these tags. */
export function hasTags({ tags = {} }: Pick<Job, "tags">, wanted: ListJobsOptions["tags"] = {}): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(tags, name) && tags[name] === value);
}

export function statesOf({ state }: ListedJobs): readonly JobState[] | undefined {
  return state === undefined ? undefined : [state].flat() as JobState[];
}

export function filterOf(listed: ListedJobs, nowMs: number): JobFilter {
  const { tool, principal, tenant, minAgeMs, maxAgeMs } = listed;
  const states = statesOf(listed);
  const unknown = states?.find((state) => !JOB_STATES.includes(state));
  if (unknown !== undefined) {
    throw refused(`Cannot list jobs: there is no state ${JSON.stringify(unknown)}; there are ${JOB_STATES.join(", ")}`);
  }
  return {
    states,
    tool,
    principal,
    tenant,
    createdBeforeMs: minAgeMs === undefined ? undefined : nowMs - ageOf("minAgeMs", minAgeMs) + 1,
    createdFromMs: maxAgeMs === undefined ? undefined : nowMs - ageOf("maxAgeMs", maxAgeMs),
  };
}

function ageOf(name: string, ageMs: number): number {
  if (Number.isFinite(ageMs) && ageMs >= 0) return ageMs;
  throw refused(`Cannot list jobs: ${name} must be a number of milliseconds, not ${ageMs}`);
}

export function refused(message: string): ToolError {
  return new ToolError("invalid_request", message);
}
