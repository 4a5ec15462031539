/**
 * Tools for Mastra.
 *
 * Types are structural: they are those of the package `@mastra/core`, which is not needed.
 */
import type { Complete } from "../../internal/json.ts";
import { checkOptions } from "../../internal/options.ts";
import { type AgentTool, answered } from "./agent_tool.ts";
import { type AiSchema, toAiSchema } from "./ai_schema.ts";
import { takeExamples } from "./examples.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { openToolbox } from "./toolbox.ts";

/** What Mastra passes to `execute` of a {@link MastraTool} beside the arguments. Only these members are used. */
export interface MastraContext {
  /** The agent that calls. */
  readonly agent?: {
    /** The model's id of the call. */
    readonly toolCallId?: string | undefined;
  } | undefined;
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A tool of the server as the argument of `createTool(…)` of Mastra. */
export interface MastraTool {
  /** The name that the model knows. */
  readonly id: string;
  /** What the tool does. */
  readonly description: string;
  /** The arguments. */
  readonly inputSchema: AiSchema;
  /** The output, for code mode: no model API takes it. */
  readonly outputSchema?: AiSchema;
  /** Examples of arguments. Anthropic's models get them. */
  readonly inputExamples?: { input: Record<string, unknown> }[];
  /** Whether a person has to approve the call: the run is then suspended. */
  readonly requireApproval: (input: unknown) => boolean;
  /** Calls the tool. Throws if the call fails; the message explains the error to the model. */
  readonly execute: (input: unknown, context?: MastraContext) => Promise<unknown>;
  /** Converts an answer to text for the model. */
  readonly toModelOutput: (output: unknown) => { type: "text"; value: string };
}

/**
 * Tools for agents of Mastra:
 * `Object.fromEntries((await mastraTools(source)).map((tool) => [tool.id, createTool(tool)]))`. Calls of destructive tools suspend the run
 * until they are approved.
 *
 * @example What Mastra gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { mastraTools } from "jsr:@toolwire/toolwire/agents";
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 *
 * const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => ({ rows: 7 }));
 * const [tool] = await mastraTools(createServer({ tools: [drop] })); // new Agent({ …, tools: { drop: createTool(tool) } })
 * strictEqual(tool?.requireApproval({}), true);
 * deepStrictEqual(await tool.execute({}), { rows: 7 });
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function mastraTools(source: AgentSource, given: ApprovalOptions = {}): Promise<MastraTool[]> {
  checkOptions("give tools to a model", given, APPROVAL_RULES);
  const { needsApproval = isDestructive, ...options } = given;
  const { tools } = await openToolbox(source, options);
  return tools.map((tool) => toMastraTool(tool, needsApproval));
}

function toMastraTool(tool: AgentTool, needsApproval: Complete<ApprovalOptions>["needsApproval"]): MastraTool {
  const { name, description = name, parameters, listing: { inputSchema, outputSchema } } = tool;
  const { schema, examples } = takeExamples(inputSchema, parameters);
  return {
    id: name,
    description,
    inputSchema: toAiSchema(schema),
    ...(outputSchema !== undefined && { outputSchema: toAiSchema(outputSchema) }),
    ...(examples.length > 0 && { inputExamples: examples.map((input) => ({ input })) }),
    requireApproval: (input) => needsApproval(tool.targetOf(input)),
    async execute(input, context) {
      const { text, value, error } = await tool.call(input, {
        id: context?.agent?.toolCallId,
        signal: context?.abortSignal,
      });
      if (error !== undefined) throw new Error(text, { cause: error });
      return value;
    },
    toModelOutput: (output) => ({ type: "text", value: answered(output).text }),
  };
}
