import { omitUndefined } from "../../internal/json.ts";
import type { Ctx, ErrorMap, OpenState, Pending } from "../../core/handler/context.ts";
import type { ExternalWork } from "../../core/tool/last_steps.ts";
import { ANYTHING, checkOptions, FUNCTION, OBJECT, POSITIVE, required, rule, TEXT } from "../../internal/options.ts";
import type { TemporalClient } from "./client.ts";
import { TemporalExecutor, type WorkflowReference } from "./executor.ts";
import { STATE_QUERY } from "./tool_state.ts";

/** Options of a workflow's start that `temporal()` sets. */
const OWN_START_OPTIONS = ["taskQueue", "workflowId", "args", "workflowIdReusePolicy", "workflowIdConflictPolicy"];

/**
 * Options of {@link temporal}.
 *
 * @typeParam Input Arguments of the tool, as its schema converts them.
 */
export interface TemporalOptions<Input> {
  /** The client: `new Client({ connection, namespace })` of `@temporalio/client`. */
  readonly client: TemporalClient;
  /** Type of the workflow: the name of its function. */
  readonly workflow: string;
  /** Task queue of its workers. */
  readonly taskQueue: string;
  /** Arguments of the workflow's function. Default: one, the arguments of the tool. */
  readonly args?: ((input: Input, ctx: Ctx) => readonly unknown[]) | undefined;
  /**
   * Id of the workflow. Calls with the same id share a workflow, and its result. Default: `toolwire-` and `ctx.callId`, which is the same
   * for a call that is repeated with its idempotency key.
   */
  readonly workflowId?: ((input: Input, ctx: Ctx) => string) | undefined;
  /** Further options of the start, such as `workflowExecutionTimeout`, `memo` or `searchAttributes`. */
  readonly startOptions?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Name of the query that gives `{ progress?, questions? }`, or `false` for none. Default: `"toolwire_state"`, which `toolWorkflow()` of
   * `./temporal/workflow` answers. A workflow without the query has neither.
   */
  readonly query?: string | false | undefined;
  /** Time for a worker to answer the query, in milliseconds. Default: 1,000. Without an answer the promise has no progress. */
  readonly queryTimeoutMs?: number | undefined;
  /** Time for the Temporal server to answer a request, in milliseconds. Default: 5,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Pause between two looks of a caller that waits, in milliseconds. Default: 1,000. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Lifetime of the promise, in milliseconds. Default: 3,600,000 (an hour). The namespace has to keep ended workflows for as long.
   */
  readonly ttlMs?: number | undefined;
}

/**
 * Work that is a Temporal workflow, for `.external()`.
 *
 * A call starts the workflow, and its promise token carries the workflow's id: nothing is stored here, and any replica with the same keys
 * redeems, answers and cancels. A workflow that fails with an `ApplicationFailure` ends the call with the failure of its type, if the tool
 * declares it by `.errors()`, with its first detail as data; else with `internal`, which is logged. A cancelled workflow ends the call with
 * the failure `cancelled`, a terminated or timed-out one with `attempts_exhausted`.
 *
 * @example A tool whose work is a workflow
 * ```ts check
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { temporal, type TemporalClient } from "jsr:@toolwire/toolwire/temporal";
 *
 * declare const client: TemporalClient; // new Client({ connection: await Connection.connect() }) of @temporalio/client
 *
 * const render = defineTool("render").describe("Render a film").input(v.object({ frames: v.number() })).output(v.string())
 *   .external(temporal({ client, workflow: "render", taskQueue: "media", args: ({ frames }) => [frames], ttlMs: 86_400_000 }));
 * export default createServer({ tools: [render], keys: "k1:a secret of at least thirty-two bytes" });
 * ```
 * @typeParam Input Arguments of the tool.
 * @typeParam Output Result of the workflow. The tool checks it by `.output()`.
 * @throws {TypeError} If an option is missing, unknown or invalid.
 * @throws {RangeError} If a time is not a positive number.
 */
export function temporal<Input = unknown, Output = unknown>(
  options: TemporalOptions<Input>,
): ExternalWork<Input, WorkflowReference, Output, ErrorMap, unknown, OpenState> {
  checkTemporalOptions(options);
  const executor = new TemporalExecutor({
    args: (input: unknown) => [input],
    workflowId: (_, { callId }) => `toolwire-${callId}`,
    startOptions: {},
    query: STATE_QUERY,
    queryTimeoutMs: 1_000,
    requestTimeoutMs: 5_000,
    retryAfterMs: 1_000,
    ...omitUndefined(options),
  });
  return {
    start: (input, ctx) => executor.start(input as never, ctx),
    check: (state, ctx) => executor.check(state, ctx) as Promise<Output | Pending>,
    cancel: (state, ctx) => executor.cancel(state, ctx),
    ...(options.ttlMs !== undefined && { ttlMs: options.ttlMs }),
  };
}

function checkTemporalOptions(options: unknown): void {
  checkOptions<TemporalOptions<unknown>>("run a tool as a Temporal workflow", options, {
    client: required(rule("a Client of @temporalio/client, which has workflow and withDeadline", isClient)),
    workflow: required(TEXT),
    taskQueue: required(TEXT),
    args: FUNCTION,
    workflowId: FUNCTION,
    startOptions: OBJECT,
    query: rule("the name of a query, or false", (value) => value === false || TEXT.fits(value)),
    queryTimeoutMs: POSITIVE,
    requestTimeoutMs: POSITIVE,
    retryAfterMs: POSITIVE,
    ttlMs: ANYTHING,
  });
  const { startOptions = {} } = options as TemporalOptions<unknown>;
  const own = OWN_START_OPTIONS.find((name) => Object.hasOwn(startOptions, name));
  if (own === undefined) return;
  throw new TypeError(
    `Cannot run a tool as a Temporal workflow: startOptions.${own} is set by temporal(); leave it out`,
  );
}

/** A WorkflowClient, which has the same deadlines and no member `workflow`, is a likely mistake. */
function isClient(value: unknown): boolean {
  const { workflow, withDeadline, withAbortSignal }: Partial<TemporalClient> = Object(value);
  const areFunctions = [withDeadline, withAbortSignal, workflow?.start, workflow?.getHandle];
  return areFunctions.every((one) => typeof one === "function");
}
