/**
 * Tools for Mastra.
 *
 * Types are structural: they are those of the package `@mastra/core`, which is not needed.
 */
import type { Question } from "../../core/call/outcome.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { type Complete, isJsonObject } from "../../internal/json.ts";
import { checkOptions, oneOf, type OptionRules } from "../../internal/options.ts";
import type { AgentTool, QuestionAnswers, ToolCallResult } from "./agent_tool.ts";
import { type AnswerPart, IMAGES_AND_PDF } from "./answer_content.ts";
import { AnswerMemory } from "./answer_memory.ts";
import { type AiSchema, toAiSchema } from "./ai_schema.ts";
import { takeExamples } from "./examples.ts";
import { isQuestion } from "./explain.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { openToolbox } from "./toolbox.ts";

/** What Mastra passes to `execute` of a {@link MastraTool} beside the arguments. Only these members are used. */
export interface MastraContext {
  /** The agent that calls. */
  readonly agent?: {
    /** The model's id of the call. */
    readonly toolCallId?: string | undefined;
    /** Suspends the run. */
    readonly suspend?: ((payload: MastraQuestions) => Promise<unknown>) | undefined;
    /** What the run was suspended with. */
    readonly suspendPayload?: unknown;
    /** What the run was resumed with. */
    readonly resumeData?: unknown;
  } | undefined;
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** What a run is suspended with when a tool asks: `suspendPayload` of the result of `generate`. */
export interface MastraQuestions {
  /** The questions as text. */
  readonly message: string;
  /** The questions, by key. The run is resumed with answers by the same keys, such as `{ sure: { action: "accept", content: {} } }`. */
  readonly requests: Readonly<Record<string, Question>>;
  /** Token of the server, with which the tool continues. */
  readonly continuation: string;
}

/** Options of {@link mastraTools}. */
export interface MastraOptions extends ApprovalOptions {
  /**
   * What happens to questions of tools that the client does not answer. `"explained"`: the model gets them as text. `"suspended"`: the run is
   * suspended with {@link MastraQuestions}, and `resumeGenerate` or `resumeStream` continues it with the answers. Suspended runs need a storage
   * of Mastra. Default: `"explained"`.
   */
  readonly questions?: "explained" | "suspended" | undefined;
}

const RULES: OptionRules<MastraOptions> = { ...APPROVAL_RULES, questions: oneOf("explained", "suspended") };

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
 *
 * const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => ({ rows: 7 }));
 * const [tool] = await mastraTools(createServer({ tools: [drop] })); // new Agent({ …, tools: { drop: createTool(tool) } })
 * console.log(tool?.requireApproval({})); // → true
 * console.log(await tool?.execute({})); // → { rows: 7 }
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function mastraTools(source: AgentSource, given: MastraOptions = {}): Promise<MastraTool[]> {
  checkOptions("give tools to a model", given, RULES);
  const { needsApproval = isDestructive, questions, ...options } = given;
  const { tools } = await openToolbox(source, options, { media: IMAGES_AND_PDF });
  const answers = new AnswerMemory(given.media ?? IMAGES_AND_PDF);
  return tools.map((tool) => toMastraTool(tool, needsApproval, answers, questions === "suspended"));
}

function toMastraTool(
  tool: AgentTool,
  needsApproval: Complete<ApprovalOptions>["needsApproval"],
  answers: AnswerMemory,
  suspends: boolean,
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
      const { toolCallId: id, suspend } = context?.agent ?? {};
      const result = await tool.call(input, { id, signal: context?.abortSignal, answers: answersOf(context) });
      const { text, error } = result;
      if (suspends && suspend !== undefined && error instanceof ToolError && isQuestion(error.details)) {
        const { requests, continuation } = error.details;
        return await suspend({ message: text, requests, continuation });
      }
      if (error !== undefined) throw new Error(text, { cause: error });
      return answers.keep(result);
    },
    toModelOutput: (output) => toModelOutput(answers.recall(output)),
  };
}

/** The answers with which a run was resumed. */
function answersOf(context: MastraContext | undefined): QuestionAnswers | undefined {
  const { resumeData: responses, suspendPayload } = context?.agent ?? {};
  const continuation = isJsonObject(suspendPayload) ? suspendPayload["continuation"] : undefined;
  return isJsonObject(responses) && typeof continuation === "string" ? { continuation, responses } : undefined;
}

function toModelOutput({ text, content }: ToolCallResult): MastraModelOutput {
  return content === undefined ? { type: "text", value: text } : { type: "content", value: content.map(toPart) };
}

function toPart(part: AnswerPart): MastraContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "media", mediaType: part.mimeType, data: part.data };
}
