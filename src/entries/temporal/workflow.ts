/**
 * The workflow's side of a tool whose work is a Temporal workflow: progress and questions.
 *
 * Imports nothing but types, and is deterministic, so that Temporal can bundle it with the workflow.
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
