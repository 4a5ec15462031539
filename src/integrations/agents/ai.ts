/**
 * Tools for the AI SDK of Vercel, version 7.
 *
 * Types are structural: they are those of the package `ai`, which is not needed.
 */
import { joinPartials } from "../../core/call/outcome.ts";
import { checkOptions } from "../../internal/options.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { type AiSchema, toAiSchema } from "./ai_schema.ts";
import type { AgentTool, ToolCallResult } from "./agent_tool.ts";
import { type AnswerPart, IMAGES_AND_PDF } from "./answer_content.ts";
import { AnswerMemory } from "./answer_memory.ts";
import { takeExamples } from "./examples.ts";
import type { SearchTool } from "./search_tool.ts";
import { openToolbox } from "./toolbox.ts";

/** What the AI SDK passes to `execute` of an {@link AiTool} beside the arguments. Only these members are used. */
export interface AiCallOptions {
  /** The model's id of the call. */
  readonly toolCallId: string;
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** An answer, as the AI SDK gives it to a model. */
export type AiModelOutput = {
  /** Discriminant. */
  type: "text";
  /** The text. */
  value: string;
} | {
  /** Discriminant. */
  type: "json";
  /** The value. */
  value: AiJson;
} | {
  /** Discriminant. */
  type: "content";
  /** Texts and files. */
  value: AiContentPart[];
};

/** A JSON value in an {@link AiModelOutput}, as the AI SDK types it. */
export type AiJson = null | string | number | boolean | { [member: string]: AiJson | undefined } | AiJson[];

/** A text or a file of an answer with files. */
export type AiContentPart = {
  /** Discriminant. */
  type: "text";
  /** The text. */
  text: string;
} | {
  /** Discriminant. */
  type: "file";
  /** Media type, such as `image/png`. */
  mediaType: string;
  /** Name of the file. */
  filename?: string;
  /** The bytes. */
  data: {
    /** Discriminant. */
    type: "data";
    /** The bytes, in base64. */
    data: string;
  };
};

/** A tool of the server as a dynamic tool of the AI SDK: its types are unknown at compile time. */
export interface AiTool {
  /** Discriminant. */
  readonly type: "dynamic";
  /** What the tool does. */
  readonly description?: string;
  /** The arguments. */
  readonly inputSchema: AiSchema;
  /** The output, for code mode: no model API takes it. */
  readonly outputSchema?: AiSchema;
  /** Examples of arguments. Anthropic's models get them. */
  readonly inputExamples?: { readonly input: Record<string, unknown> }[];
  /** Present if the model gets the definition only after it searched for the tool. */
  readonly deferLoading?: true;
  /** Present if a person has to approve calls. `toolApproval` of `generateText` and `streamText` comes before it. */
  readonly needsApproval?: true;
  /** Sent on results as `toolMetadata`: the tool's name on its server. */
  readonly metadata: {
    /** The name. */
    tool: string;
  };
  /** Converts an answer for the model: text, JSON, or texts and files. */
  readonly toModelOutput: (result: { readonly output: unknown }) => AiModelOutput;
  /**
   * Calls the tool. Yields the answer so far after each piece (the AI SDK's preliminary results), and at the end
   * the whole answer. Throws if the call fails; the message explains the error to the model.
   */
  readonly execute: (input: unknown, options: AiCallOptions) => AsyncIterable<unknown>;
}

/**
 * Tools for `generateText`, `streamText` and agents of the AI SDK, by the names that the model knows.
 *
 * @example A tool set
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { aiSdkTools } from "jsr:@toolwire/toolwire/agents";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const spell = defineTool("spell").describe("Spell a word").handle(async function* () {
 *   yield "a";
 *   yield "b";
 * });
 * const tools = await aiSdkTools(createServer({ tools: [spell] })); // generateText({ model, prompt, tools, … })
 *
 * const results: unknown[] = [];
 * for await (const result of tools["spell"]!.execute({}, { toolCallId: "call_1" })) results.push(result);
 * deepStrictEqual(results, ["a", "ab", "ab"]); // preliminary results, and the result
 * ```
 * Calls of destructive tools wait for an approval. With `defer` the set has `deferLoading` on its tools, and `search_tools` as the `toolSearch()` of the AI SDK.
 *
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function aiSdkTools(source: AgentSource, given: ApprovalOptions = {}): Promise<Record<string, AiTool>> {
  checkOptions("give tools to a model", given, APPROVAL_RULES);
  const { needsApproval = isDestructive, ...options } = given;
  const answers = new AnswerMemory(given.media ?? IMAGES_AND_PDF);
  const toTool = (tool: AgentTool): AiTool => ({
    ...toAiTool(tool, answers),
    ...(needsApproval(tool.listing) && { needsApproval: true }),
  });
  const { tools, deferred, search } = await openToolbox(source, options, { loadsFound: true, media: IMAGES_AND_PDF });
  const listed = tools.map((tool) =>
    [tool.name, tool === search ? toAiSearch(search, answers) : toTool(tool)] as const
  );
  const found = deferred.map((tool) => [tool.name, { ...toTool(tool), deferLoading: true }] as const);
  return Object.fromEntries([...listed, ...found]);
}

function toAiTool(tool: AgentTool, answers: AnswerMemory): AiTool {
  const { listing: { name, inputSchema, outputSchema }, description, parameters } = tool;
  const { schema, examples } = takeExamples(inputSchema, parameters);
  return {
    type: "dynamic",
    ...(description !== undefined && { description }),
    inputSchema: toAiSchema(schema),
    ...(outputSchema !== undefined && { outputSchema: toAiSchema(outputSchema) }),
    ...(examples.length > 0 && { inputExamples: examples.map((input) => ({ input })) }),
    metadata: { tool: name },
    toModelOutput: ({ output }) => toModelOutput(answers.recall(output)),
    execute: (input, options) => execute(tool, answers, input, options),
  };
}

function toModelOutput({ text, value, content, isContent }: ToolCallResult): AiModelOutput {
  if (content !== undefined) return { type: "content", value: content.map(toContentPart) };
  const isText = typeof value === "string" || value === undefined || isContent;
  return isText ? { type: "text", value: text } : { type: "json", value: value as AiJson };
}

function toContentPart(part: AnswerPart): AiContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mimeType: mediaType, name: filename } = part;
  return { type: "file", mediaType, ...(filename !== undefined && { filename }), data: { type: "data", data } };
}

/** Maximum number of tools that the AI SDK takes from a search; the search itself finds fewer. */
const MAX_FOUND = 20;

/**
 * The search of the AI SDK with the ranking of `discover()`: its own compares whole words. The marks are those of its
 * `toolSearch()`; found tools come with the next step.
 */
function toAiSearch(search: SearchTool, answers: AnswerMemory): AiTool {
  const find = ({ query }: { readonly query: string }): readonly string[] =>
    search.findTools({ query }).map(({ name }) => name);
  // The AI SDK passes the query alone.
  const { query } = search.parameters.schema["properties"] as { readonly query: unknown };
  const schema = { type: "object", properties: { query }, required: ["query"], additionalProperties: false };
  const marks = {
    [Symbol.for("vercel.ai.toolSearch")]: true,
    [Symbol.for("vercel.ai.toolSearch.search")]: find,
    [Symbol.for("vercel.ai.toolSearch.maxResults")]: MAX_FOUND,
  };
  return Object.assign<AiTool, typeof marks>({ ...toAiTool(search, answers), inputSchema: toAiSchema(schema) }, marks);
}

async function* execute(
  tool: AgentTool,
  answers: AnswerMemory,
  input: unknown,
  { toolCallId, abortSignal }: AiCallOptions,
): AsyncGenerator<unknown> {
  const stream = tool.stream(input, { id: toolCallId, signal: abortSignal });
  const pieces: unknown[] = [];
  let next = await stream.next();
  for (; !next.done; next = await stream.next()) {
    pieces.push(next.value);
    yield joinPartials(pieces);
  }
  const { text, error } = next.value;
  if (error !== undefined) throw new Error(text, { cause: error });
  yield answers.keep(next.value);
}
