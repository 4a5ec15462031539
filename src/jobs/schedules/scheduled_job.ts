import { retryPolicyOf } from "../../core/tool/retry_policy.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import type { Json } from "../../internal/json.ts";
import { formatIssues } from "../../core/schema/issues.ts";
import { digestOf } from "../../core/token/digest.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";
import type { ScheduledCall, ScheduleHost } from "../../core/dispatch/schedule_contract.ts";

/**
 * Creates the job of one call of a schedule, due at its time. Arguments are not checked if the schema is asynchronous.
 *
 * @throws {TypeError} If the server does not have its tool, or the arguments do not fit.
 */
export function createScheduledJob(
  { toolOf, skewMs, clock }: ScheduleHost,
  { id, tool, input, principal, atMs, schedule }: ScheduledCall,
): Job {
  const definition = toolOf(tool);
  if (definition?.promise === undefined) {
    throw new TypeError(
      `Cannot create server: the schedule "${schedule.name}" calls ${tool}, which is not among its tools`,
    );
  }
  const { promise: { ttlMs, retries, keepFailed, undoMs }, revision } = definition;
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
    createdAtMs: clock.now(),
    expiresAtMs: atMs + ttlMs + skewMs,
    wakeAtMs: atMs,
    maxAttempts: retryPolicyOf(retries).attempts,
    ...(keepFailed && { keepsFailed: true }),
    undoMs,
    memo: { answers: {}, steps: {} },
    schedule,
  };
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
