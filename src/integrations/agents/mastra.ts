/**
 * Tools for Mastra.
 *
 * Types are structural: they are those of the package `@mastra/core`, which is not needed.
 */
import type { Complete } from "../../internal/json.ts";
import { checkOptions } from "../../internal/options.ts";
import type { AgentTool, ToolCallResult } from "./agent_tool.ts";
import { type AnswerPart, IMAGES_AND_PDF } from "./answer_content.ts";
import { AnswerMemory } from "./answer_memory.ts";
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
  /** Converts an answer for the model: text, or texts and files. */
  readonly toModelOutput: (output: unknown) => MastraModelOutput;
}

/** An answer, as Mastra gives it to a model. */
export type MastraModelOutput = {
  /** Discriminant. */
  type: "text";
  /** The text. */
  value: string;
} | {
  /** Discriminant. */
  type: "content";
  /** Texts and files. */
  value: MastraContentPart[];
};

/** A text or a file of an answer with files. */
export type MastraContentPart = {
  /** Discriminant. */
  type: "text";
  /** The text. */
  text: string;
} | {
  /** Discriminant. */
  type: "media";
  /** Media type. */
  mediaType: string;
  /** The bytes, in base64. */
  data: string;
};

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
  const { tools } = await openToolbox(source, options, { media: IMAGES_AND_PDF });
  const answers = new AnswerMemory(given.media ?? IMAGES_AND_PDF);
  return tools.map((tool) => toMastraTool(tool, needsApproval, answers));
}

function toMastraTool(
  tool: AgentTool,
  needsApproval: Complete<ApprovalOptions>["needsApproval"],
  answers: AnswerMemory,
): MastraTool {
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
      const result = await tool.call(input, {
        id: context?.agent?.toolCallId,
        signal: context?.abortSignal,
      });
      const { text, error } = result;
      if (error !== undefined) throw new Error(text, { cause: error });
      return answers.keep(result);
    },
    toModelOutput: (output) => toModelOutput(answers.recall(output)),
  };
}

function toModelOutput({ text, content }: ToolCallResult): MastraModelOutput {
  return content === undefined ? { type: "text", value: text } : { type: "content", value: content.map(toPart) };
}

function toPart(part: AnswerPart): MastraContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "media", mediaType: part.mimeType, data: part.data };
}
