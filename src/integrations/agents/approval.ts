/** Approval of calls in loops of the application, where no framework asks a person before a call. */
import type { ListedTool } from "../../core/call/transport.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { type OptionRules, rule } from "../../internal/options.ts";
import type { AnswerQuestion } from "../../client/types.ts";
import {
  type AgentCall,
  type AgentSource,
  APPROVAL_RULES,
  type ApprovalOptions,
  isDestructive,
  methodsOf,
} from "./options.ts";

/** Options of adapters whose loop is the application's, so that no framework asks a person before a call. */
export interface LoopOptions extends ApprovalOptions {
  /**
   * Approves calls of the tools that need it, for example by asking a person; `"never"`: these calls are made without a question. Default:
   * the client's `onElicitation` is asked. Without it the model gets a refusal that names this option.
   */
  readonly approve?: ((call: AgentCall) => MaybePromise<boolean>) | "never" | undefined;
}

/** Validation rules for {@link LoopOptions}. */
export const LOOP_RULES: OptionRules<LoopOptions> = {
  ...APPROVAL_RULES,
  approve: rule('a function, or "never"', (approve) => approve === "never" || typeof approve === "function"),
};

/** Returns the error that refuses a call, or `undefined` if the call may be made. */
export type CheckApproval = (tool: ListedTool, call: AgentCall) => Promise<ToolError | undefined>;

/** Returns the check of calls by the options; `undefined` if no call is checked. */
export function approvalOf(source: AgentSource, options: LoopOptions): CheckApproval | undefined {
  const { approve, needsApproval = isDestructive } = options;
  if (approve === "never") return undefined;
  const { "~onElicitation": ask } = methodsOf(source);
  return async (tool, call) => {
    if (!needsApproval(tool)) return undefined;
    const name = JSON.stringify(tool.name);
    if (approve === undefined && ask === undefined) return new ToolError("permission_denied", unapproved(name));
    const isApproved = approve === undefined ? await askPerson(ask as AnswerQuestion, call) : await approve(call);
    return isApproved === true ? undefined : new ToolError("permission_denied", `The user did not approve ${name}`);
  };
}

function unapproved(name: string): string {
  return `${name} needs an approval, and the application does not ask for it. Its developer can pass ` +
    'approve: (call) => boolean, or approve: "never"';
}

async function askPerson(ask: AnswerQuestion, { tool, args }: AgentCall): Promise<boolean> {
  const message = `Allow the model to call "${tool}" with ${JSON.stringify(args)}?`;
  const schema = { type: "object", properties: {} };
  const { action } = await ask({ key: "approve", tool, kind: "elicitation", message, schema });
  return action === "accept";
}
