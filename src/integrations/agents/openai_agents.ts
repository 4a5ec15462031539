/**
 * Tools for OpenAI's Agents SDK.
 *
 * Types are structural: they are those of the package `@openai/agents`, which is not needed.
 */
import type { Complete } from "../../internal/json.ts";
import { BOOLEAN, checkOptions, FUNCTION, type OptionRules } from "../../internal/options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { type AnswerPart, IMAGES_AND_PDF, isImage } from "./answer_content.ts";
import { OpenAiFunctions } from "./openai_functions.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { toParameters } from "./parameters.ts";
import type { SearchTool } from "./search_tool.ts";
import { openToolbox } from "./toolbox.ts";

/** Options of {@link openaiAgentsTools}. */
export interface OpenAiAgentsOptions extends ApprovalOptions {
  /** Whether to use strict mode for tools whose schema it can express. Default: true. */
  readonly strict?: boolean | undefined;
  /**
   * The SDK's function `tool`. With it, and `defer`, a model of Responses searches with OpenAI's tool search, and the SDK loads what was found.
   * `search` of the result is then for `toolSearchTool`. Default: deferred tools are called with `call_tool`, as Chat Completions has no search.
   */
  readonly toolSearch?: ((options: OpenAiAgentsTool) => object) | undefined;
}

/** Result of {@link openaiAgentsTools}: the tools, and their search. */
export interface OpenAiAgentsTools extends Array<OpenAiAgentsTool> {
  /** Argument of `toolSearchTool(…)`, as an array; empty if no tool is deferred, or without the option `toolSearch`. */
  readonly search: readonly OpenAiAgentsSearch[];
}

/** A search over deferred tools, as the argument of `toolSearchTool(…)`. */
export interface OpenAiAgentsSearch {
  /** The application searches. */
  readonly execution: "client";
  /** What the search does, for the model. */
  readonly description: string;
  /** JSON Schema of the search. */
  readonly parameters: Record<string, unknown>;
  /** Returns what was found, as tools of the SDK. Their type is that of a package that is not needed here. */
  readonly execute: (args: { readonly toolCall: { readonly arguments?: unknown } }) => never[];
}

/** What the Agents SDK passes to `execute` of an {@link OpenAiAgentsTool} as the details of a call. Only these members are used. */
export interface OpenAiAgentsDetails {
  /** The model's call. */
  readonly toolCall?: {
    /** The model's id of the call. */
    readonly callId: string;
  } | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A tool as the argument of `tool(…)`. The types of the SDK divide schemas that are known at compile time. Those of a server are known at run
 * time: `strict` is `true` for tools in strict mode, and `additionalProperties` is as the schema has it.
 */
export interface OpenAiAgentsTool {
  /** The name that the model knows. The SDK allows only letters, digits and `_`. */
  readonly name: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: {
    type: "object";
    properties: Record<string, Record<string, unknown>>;
    required: string[];
    additionalProperties: true;
  };
  /** Whether the model's output is constrained to the schema. */
  readonly strict: false;
  /** Present on tools that a search found. */
  readonly deferLoading?: true;
  /** Whether a person has to approve the call. The run is then interrupted. */
  readonly needsApproval: (context: unknown, input: unknown) => Promise<boolean>;
  /** Calls the tool. Returns the answer as text, with files as parts, or an explanation of the error. Throws the signal's reason if it is aborted. */
  readonly execute: (
    input: unknown,
    context?: unknown,
    details?: OpenAiAgentsDetails,
  ) => Promise<string | OpenAiAgentsPart[]>;
}

/** A part of an answer with files, as the SDK takes it. */
export type OpenAiAgentsPart = {
  /** Discriminant. */
  type: "text";
  /** The text. */
  text: string;
} | {
  /** Discriminant. */
  type: "image";
  /** The image. */
  image: {
    /** The bytes, in base64. */
    data: string;
    /** Media type. */
    mediaType: string;
  };
} | {
  /** Discriminant. */
  type: "file";
  /** The file. */
  file: {
    /** The bytes, in base64. */
    data: string;
    /** Media type. */
    mediaType: string;
    /** Name of the file. */
    filename: string;
  };
};

const RULES: OptionRules<OpenAiAgentsOptions> = { ...APPROVAL_RULES, strict: BOOLEAN, toolSearch: FUNCTION };

/** Names that the SDK leaves as they are. */
const NAME = /^[A-Za-z0-9_]{1,64}$/;

/**
 * Tools for agents of the Agents SDK: `(await openaiAgentsTools(source)).map((one) => tool(one))`. Calls of destructive tools
 * interrupt the run until they are approved.
 *
 * @example What the SDK gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { openaiAgentsTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const drop = defineTool("drop-table").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => "dropped");
 * const [tool] = await openaiAgentsTools(createServer({ tools: [drop] })); // new Agent({ name, tools: [tool(…)] })
 * console.log(tool?.name); // → drop_table
 * console.log(await tool?.needsApproval(undefined, {})); // → true
 * console.log(await tool?.execute({})); // → dropped
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function openaiAgentsTools(
  source: AgentSource,
  given: OpenAiAgentsOptions = {},
): Promise<OpenAiAgentsTools> {
  checkOptions("give tools to a model", given, RULES);
  const { needsApproval = isDestructive, strict = true, toolSearch, ...options } = given;
  const loadsFound = toolSearch !== undefined;
  const toolbox = await openToolbox(source, options, { toParameters, names: NAME, media: IMAGES_AND_PDF, loadsFound });
  const functions = new OpenAiFunctions(toolbox, strict);
  const toTool = (tool: AgentTool) => toAgentsTool(tool, functions, needsApproval);
  const { tools, search } = toolbox;
  if (search === undefined || toolSearch === undefined) return Object.assign(tools.map(toTool), { search: [] });
  const make = (tool: AgentTool) => toolSearch({ ...toTool(tool), deferLoading: true });
  return Object.assign(tools.filter((tool) => tool !== search).map(toTool), { search: [toSearch(search, make)] });
}

function toSearch(search: SearchTool, make: (tool: AgentTool) => object): OpenAiAgentsSearch {
  // The SDK compares tools by identity when a run is continued.
  const made = new Map<AgentTool, object>();
  const makeOnce = (tool: AgentTool) => {
    const one = made.get(tool) ?? make(tool);
    made.set(tool, one);
    return one;
  };
  return {
    execution: "client",
    description: search.description ?? search.name,
    parameters: { ...search.parameters.schema },
    execute: ({ toolCall }) => search.findTools(toolCall.arguments).map(makeOnce) as never[],
  };
}

function toAgentsTool(
  tool: AgentTool,
  functions: OpenAiFunctions,
  needsApproval: Complete<ApprovalOptions>["needsApproval"],
): OpenAiAgentsTool {
  const { name, description = name, parameters, strict } = functions.describe(tool);
  return {
    name,
    description,
    parameters: {
      required: [],
      additionalProperties: true,
      ...parameters,
    } as unknown as OpenAiAgentsTool["parameters"],
    strict: strict as false,
    needsApproval: (_, input) => Promise.resolve(needsApproval(tool.targetOf(input))),
    async execute(input, _, details) {
      const { text, content } = await functions.run(name, input, {
        id: details?.toolCall?.callId,
        signal: details?.signal,
      });
      return content?.map(toPart) ?? text;
    },
  };
}

function toPart(part: AnswerPart): OpenAiAgentsPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mimeType: mediaType, name: filename = "file" } = part;
  return isImage(part)
    ? { type: "image", image: { data, mediaType } }
    : { type: "file", file: { data, mediaType, filename } };
}
