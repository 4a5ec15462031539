/** Starts a workflow for each call of a tool, looks at it, and cancels it. Nothing is kept here: the token carries the workflow's id. */
import type { Ctx, Pending } from "../../core/handler/context.ts";
import { toValidate } from "../../core/json_schema/check.ts";
import { compileForeignCheck } from "../../core/json_schema/foreign.ts";
import type { JsonSchema, Schema } from "../../core/schema/standard_schema.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { TemporalClient, TemporalHandle, WorkflowStart } from "./client.ts";
import { endOf, isNamed, requestError } from "./ends.ts";
import { type QuestionReply, REPLY_SIGNAL, type ToolState, type WorkflowQuestion } from "./tool_state.ts";

/** States of a workflow that has ended. */
const ENDED: ReadonlySet<string> = new Set(["COMPLETED", "FAILED", "CANCELLED", "TERMINATED", "TIMED_OUT"]);

/** Delay before the next look after an answer was passed on, in milliseconds. */
const AFTER_REPLY_MS = 100;

/** Data that a promise token carries: the id of the workflow that does the work. */
export interface WorkflowReference {
  /** Id of the workflow. */
  readonly id: string;
}

/** The options of `temporal()` with their defaults, as the executor of a tool needs them. */
export interface ExecutorSettings {
  readonly client: TemporalClient;
  readonly workflow: string;
  readonly taskQueue: string;
  readonly workflowId: (input: never, ctx: Ctx) => string;
  readonly args: (input: never, ctx: Ctx) => readonly unknown[];
  readonly startOptions: Readonly<Record<string, unknown>>;
  readonly query: string | false;
  readonly queryTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly retryAfterMs: number;
}

/** Starts a workflow for each call of a tool, reads its result, questions and progress, and cancels it. */
export class TemporalExecutor {
  readonly #settings: ExecutorSettings;

  constructor(settings: ExecutorSettings) {
    this.#settings = settings;
  }

  /** Starts the workflow of a call. A call that is run again has the same id, and so the same workflow. */
  async start(input: never, ctx: Ctx): Promise<WorkflowReference> {
    const { client, workflow, taskQueue, workflowId, args, startOptions } = this.#settings;
    const id = workflowId(input, ctx);
    const options: WorkflowStart = {
      ...startOptions,
      taskQueue,
      workflowId: id,
      args: [...args(input, ctx)],
      workflowIdReusePolicy: "REJECT_DUPLICATE",
      workflowIdConflictPolicy: "USE_EXISTING",
    };
    try {
      await this.#request(ctx, () => client.workflow.start(workflow, options));
    } catch (thrown) {
      // It has ended, and has a result.
      if (!isNamed(thrown, "WorkflowExecutionAlreadyStartedError")) throw requestError(thrown);
    }
    return { id };
  }

  /** The result of a workflow, its questions, or its progress. */
  async check({ id }: WorkflowReference, ctx: Ctx): Promise<unknown> {
    const handle = this.#settings.client.workflow.getHandle(id);
    try {
      const { status } = await this.#request(ctx, () => handle.describe());
      if (ENDED.has(status.name)) return await this.#request(ctx, () => handle.result());
    } catch (thrown) {
      throw endOf(thrown, ctx);
    }
    const state = await this.#readState(handle, ctx);
    const questions = Object.entries(state.questions ?? {});
    return questions.length > 0
      ? await this.#ask(handle, questions, ctx)
      : this.#pending(state, this.#settings.retryAfterMs, ctx);
  }

  /** Requests the cancellation of a workflow. `false` if it has ended otherwise. */
  async cancel({ id }: WorkflowReference, ctx: Ctx): Promise<boolean> {
    const handle = this.#settings.client.workflow.getHandle(id);
    try {
      // The server takes the request for a workflow that has ended, too.
      const { status } = await this.#request(ctx, () => handle.describe());
      if (ENDED.has(status.name)) return status.name === "CANCELLED";
      await this.#request(ctx, () => handle.cancel());
      return true;
    } catch (thrown) {
      throw requestError(thrown);
    }
  }

  /** Asks the open questions of a workflow together, and passes answers on. */
  async #ask(
    handle: TemporalHandle,
    questions: readonly (readonly [string, WorkflowQuestion])[],
    ctx: Ctx,
  ): Promise<Pending> {
    const asked = await Promise.allSettled(questions.map(async ([key, { message, schema }]) => {
      const answer = await ctx.elicit(key, { message, schema: toSchema(schema) });
      const reply: QuestionReply = { key, ...answer };
      await this.#request(ctx, () => handle.signal(REPLY_SIGNAL, reply));
    }));
    for (const one of asked) {
      // A workflow that has ended meanwhile needs no answer.
      if (one.status === "rejected" && !isNamed(one.reason, "WorkflowNotFoundError")) throw requestError(one.reason);
    }
    return this.#pending({}, AFTER_REPLY_MS, ctx);
  }

  #pending({ progress }: ToolState, retryAfterMs: number, ctx: Ctx): Pending {
    return ctx.pending({ retryAfterMs, ...(typeof progress?.done === "number" && { progress }) });
  }

  /** What a workflow says to callers; empty if no worker answers in time, or the workflow has no such query. */
  async #readState(handle: TemporalHandle, ctx: Ctx): Promise<ToolState> {
    const { query, queryTimeoutMs } = this.#settings;
    if (query === false) return {};
    try {
      const state = await this.#request(ctx, () => handle.query(query), queryTimeoutMs);
      return isJsonObject(state) ? state as ToolState : {};
    } catch {
      return {};
    }
  }

  #request<Result>(
    ctx: Ctx,
    send: () => Promise<Result>,
    timeoutMs: number = this.#settings.requestTimeoutMs,
  ): Promise<Result> {
    const { client } = this.#settings;
    return client.withAbortSignal(ctx.signal, () => client.withDeadline(Date.now() + timeoutMs, send));
  }
}

function toSchema(schema: JsonSchema): Schema {
  const validate = toValidate(compileForeignCheck(schema));
  const standard = { version: 1 as const, vendor: "temporal", validate, jsonSchema: { input: () => schema } };
  return { "~standard": standard };
}
