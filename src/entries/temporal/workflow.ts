/**
 * The workflow's side of a tool whose work is a Temporal workflow: progress and questions. The workflow's module needs it; it imports
 * nothing but types, and is deterministic, so that Temporal can bundle it with the workflow.
 *
 * @example Progress of a workflow
 * ```ts fragment
 * import { toolWorkflow } from "jsr:@toolwire/toolwire/temporal/workflow";
 * import * as workflow from "@temporalio/workflow";
 *
 * export async function order(sku: string): Promise<string> {
 *   toolWorkflow(workflow).progress(0, 1, `ordering ${sku}`);
 *   return await Promise.resolve("ordered");
 * }
 * ```
 *
 * @module
 */
export type { WorkflowQuestion } from "../../integrations/temporal/tool_state.ts";
export {
  type QuestionOptions,
  type ToolWorkflow,
  toolWorkflow,
  type WorkflowAnswer,
  type WorkflowApi,
} from "../../integrations/temporal/workflow/tool_workflow.ts";
