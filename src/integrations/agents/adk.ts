/**
 * Tools for Google's Agent Development Kit.
 *
 * Types are structural: they are those of the package `@google/adk`, which is not needed.
 */
import { readContract } from "../../core/call/listed_contract.ts";
import type { Complete } from "../../internal/json.ts";
import { checkOptions } from "../../internal/options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { toForm } from "./explain_schema.ts";
import { GOOGLE_NAME } from "./google.ts";
import { fileResponse, sendFilesOf } from "./adk_files.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { toParameters } from "./parameters.ts";
import { openToolbox } from "./toolbox.ts";

/** What ADK passes to `execute` of an {@link AdkTool} beside the arguments. Only these members are used. */
export interface AdkContext {
  /** The model's id of the call. */
  readonly functionCallId?: string | undefined;
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A tool of the server as the argument of `new FunctionTool(…)` of `@google/adk`. */
export interface AdkTool {
  /** The name that the model knows. */
  readonly name: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments. `@google/genai` recognises it by `$schema`, and sends it as `parametersJsonSchema`. */
  readonly parameters: Record<string, unknown>;
  /**
   * Whether the answer may be a promise, with `promises: "shown"`: then ADK lists the call in `longRunningToolIds` of its event, and takes
   * the result as a later `functionResponse` with the same id. The first answer is `{ status: "pending", promise, result }`.
   */
  readonly isLongRunning: boolean;
  /** Whether a person has to confirm the call. */
  readonly requireConfirmation: (input: unknown) => boolean;
  /**
   * Calls the tool. Returns the answer, or `{ error }` with an explanation. Files of the answer are in the next requests, if it is a method
   * of a tool of ADK. Throws the signal's reason if the call is aborted.
   */
  readonly execute: (this: unknown, input: unknown, context?: AdkContext) => Promise<unknown>;
}

/** Files that ADK itself puts into requests. */
const MEDIA = ["image/*", "audio/*", "video/*", "application/pdf"];

const JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema";

/**
 * Tools for agents of ADK: `(await adkTools(source)).map((tool) => new FunctionTool(tool))`. ADK asks for a confirmation of calls of
 * destructive tools, or of those that `needsApproval` selects.
 *
 * @example What ADK gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { adkTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => ({ rows: 7 }));
 * const [tool] = await adkTools(createServer({ tools: [drop] })); // new LlmAgent({ name, model, tools: [new FunctionTool(tool)] })
 * console.log(tool?.requireConfirmation({})); // → true
 * console.log(await tool?.execute({})); // → { rows: 7 }
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function adkTools(source: AgentSource, given: ApprovalOptions = {}): Promise<AdkTool[]> {
  checkOptions("give tools to a model", given, APPROVAL_RULES);
  const { needsApproval = isDestructive, ...options } = given;
  const { tools } = await openToolbox(source, options, { toParameters, names: GOOGLE_NAME, media: MEDIA });
  const isShown = given.promises === "shown";
  return tools.map((tool) =>
    toAdkTool(tool, needsApproval, isShown && readContract(tool.listing).promises !== undefined)
  );
}

function toAdkTool(
  tool: AgentTool,
  needsApproval: Complete<ApprovalOptions>["needsApproval"],
  isLongRunning: boolean,
): AdkTool {
  const { name, description = name, parameters } = tool;
  return {
    name,
    description,
    parameters: { $schema: JSON_SCHEMA, ...toForm(parameters, "gemini", false).schema },
    isLongRunning,
    requireConfirmation: (input) => needsApproval(tool.targetOf(input)),
    async execute(input, context) {
      const { text, value, error, content, isContent, promise } = await tool.call(input, {
        id: context?.functionCallId,
        signal: context?.abortSignal,
      });
      if (error !== undefined) return { error: text };
      if (promise !== undefined) return { status: "pending", promise: promise.token, result: text };
      if (content === undefined) return isContent ? text : value ?? text;
      sendFilesOf(this);
      return fileResponse(name, text, content);
    },
  };
}
