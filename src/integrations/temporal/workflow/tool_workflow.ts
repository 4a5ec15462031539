import {
  type QuestionReply,
  REPLY_SIGNAL,
  STATE_QUERY,
  type ToolState,
  type WorkflowProgress,
  type WorkflowQuestion,
} from "../tool_state.ts";

/** The part of the module `@temporalio/workflow` that is used. */
export interface WorkflowApi {
  /** Defines a query. */
  defineQuery(name: string): unknown;
  /** Defines a signal. */
  defineSignal(name: string): unknown;
  /** Sets the handler of a query or a signal. */
  setHandler(definition: unknown, handler: (argument: never) => unknown): void;
  /** Waits until a condition is true; `false` if the time is up. */
  condition(isTrue: () => boolean, timeout?: number): Promise<boolean | void>;
}

/** Result of a question: the content of an accepted answer, `"decline"`, `"cancel"`, or `"timeout"` if there was no answer in time. */
export type WorkflowAnswer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel" | "timeout" };

/** Options of `elicit()`: how long a question waits for its answer. Without them it waits without limit. */
export interface QuestionOptions {
  /** Time for an answer, in milliseconds; after it, the question is withdrawn and its result is `timeout`. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** Functions by which a workflow reports progress to the callers of its tool, and asks them questions. */
export interface ToolWorkflow {
  /**
   * Reports progress, which callers see when they look at the promise.
   *
   * @param done Completed units.
   * @param total Total units, if known.
   * @param message Description of the current step.
   */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Asks the caller a question, and waits for the answer. The first answer counts.
   *
   * @param key Name of the question, unique in a workflow.
   * @typeParam Content Content of an accepted answer, which the tool has checked by the schema.
   * @throws {TypeError} If the key was used before.
   */
  elicit<Content = unknown>(
    key: string,
    question: WorkflowQuestion,
    options?: QuestionOptions,
  ): Promise<WorkflowAnswer<Content>>;
}

/**
 * Connects a workflow with the tool that started it: handles the query for progress and questions, and the signal with answers. Call it once,
 * at the start of the workflow's function.
 *
 * @example A workflow that asks
 * ```ts check
 * import { toolWorkflow, type WorkflowApi } from "jsr:@toolwire/toolwire/temporal/workflow";
 *
 * declare const workflow: WorkflowApi; // import * as workflow from "@temporalio/workflow";
 *
 * export async function render(frames: number): Promise<string> {
 *   const tool = toolWorkflow(workflow);
 *   tool.progress(0, frames, "waiting for the approval");
 *   const answer = await tool.elicit<{ ok: boolean }>("approval", {
 *     message: `Render ${frames} frames?`,
 *     schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
 *   });
 *   if (answer.action !== "accept" || !answer.content.ok) return "not rendered";
 *   tool.progress(frames, frames);
 *   return "film.mp4";
 * }
 * ```
 * @param workflow The module: `import * as workflow from "@temporalio/workflow"`.
 */
export function toolWorkflow(workflow: WorkflowApi): ToolWorkflow {
  let progress: WorkflowProgress | undefined;
  const open = new Map<string, WorkflowQuestion>();
  const replies = new Map<string, QuestionReply>();
  const used = new Set<string>();
  workflow.setHandler(
    workflow.defineQuery(STATE_QUERY),
    (): ToolState => ({ progress, questions: Object.fromEntries(open) }),
  );
  workflow.setHandler(workflow.defineSignal(REPLY_SIGNAL), (reply: QuestionReply) => {
    if (open.delete(reply.key)) replies.set(reply.key, reply);
  });

  return {
    progress(done, total, message) {
      progress = { done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    },
    async elicit<Content>(key: string, question: WorkflowQuestion, { timeoutMs }: QuestionOptions = {}) {
      if (used.has(key)) {
        throw new TypeError(`The question "${key}" comes twice in one workflow: give each its own key`);
      }
      used.add(key);
      open.set(key, question);
      try {
        await workflow.condition(() => replies.has(key), ...(timeoutMs === undefined ? [] : [timeoutMs]));
      } finally {
        open.delete(key);
      }
      const { action, content } = replies.get(key) ?? { action: "timeout" };
      return (action === "accept" ? { action, content } : { action }) as WorkflowAnswer<Content>;
    },
  };
}
