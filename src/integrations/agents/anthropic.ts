/**
 * Tools for Anthropic's Messages API.
 *
 * Types are structural: they are those of the package `@anthropic-ai/sdk`, which is not needed.
 */
import { BOOLEAN, checkOptions, oneOf, type OptionRules } from "../../internal/options.ts";
import { StrictBudget } from "./anthropic_strict.ts";
import type { ParameterSchema } from "./dialects.ts";
import { callersOf, isRecursive } from "./callers.ts";
import { approvalOf, LOOP_RULES, type LoopOptions } from "./approval.ts";
import { takeExamples } from "./examples.ts";
import { type AgentSource, CALLER_RULES, type CallerOptions, type RunnableTools, type RunOptions } from "./options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { type AnthropicContent, type AnthropicToolReference, toBlock } from "./anthropic_content.ts";
import { IMAGES_AND_PDF } from "./answer_content.ts";
import type { SearchTool } from "./search_tool.ts";
import { openToolbox, type Toolbox } from "./toolbox.ts";

/** An entry of `tools` in a request to Anthropic's Messages API. */
export interface AnthropicTool {
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  input_schema: { type: "object"; [keyword: string]: unknown };
  /** Present if the model's output is constrained to the schema. */
  strict?: true;
  /** Examples of arguments. */
  input_examples?: Record<string, unknown>[];
  /** Present if the model gets the definition only after it searched for the tool. */
  defer_loading?: true;
  /** Present on the last definition that is loaded, with the option `cache`. */
  cache_control?: { type: "ephemeral"; ttl?: "5m" | "1h" };
  /** Present if programs of the model may call the tool. They need the tool for code execution in the request. */
  allowed_callers?: ("direct" | "code_execution_20260120")[];
}

/** Options of {@link anthropicTools}. */
export interface AnthropicOptions extends CallerOptions, LoopOptions {
  /**
   * Whether to use strict mode for tools whose schema it can express, in the order of the list, as far as the limits of a request
   * allow: 20 tools, 24 optional properties and 16 unions in all. Older models refuse it. Default: false.
   */
  readonly strict?: boolean | undefined;
  /**
   * How long the API caches the definitions, from the last request that has them: the last loaded definition ends the cached beginning of
   * a request. Reading from the cache costs a tenth. Default: they are cached only if another part of the request says so.
   */
  readonly cache?: "5m" | "1h" | undefined;
  /**
   * Whether text resources in answers are sent as `search_result` blocks, which the model cites by their URI. The API takes citations of all
   * search results of a request, or of none: those of other parts of the request need them, too. Default: false, they are texts.
   */
  readonly citations?: boolean | undefined;
}

const ANTHROPIC_RULES: OptionRules<AnthropicOptions> = {
  ...CALLER_RULES,
  ...LOOP_RULES,
  strict: BOOLEAN,
  cache: oneOf("5m", "1h"),
  citations: BOOLEAN,
};

/** A content block of a message; blocks other than `tool_use` are skipped. */
export interface AnthropicBlock {
  /** Discriminant: `tool_use`. */
  readonly type: string;
  /** Identifier of the call. */
  readonly id?: string;
  /** Name of the tool. */
  readonly name?: string;
  /** Arguments. */
  readonly input?: unknown;
}

/** The answer to a `tool_use` block, for the content of the user's next message. */
export interface AnthropicToolResult {
  /** Discriminant. */
  type: "tool_result";
  /** The block that it answers. */
  tool_use_id: string;
  /** The answer, or an explanation of the error with advice; blocks if the answer has files; for a search the found tools. */
  content: string | AnthropicContent[] | AnthropicToolReference[];
  /** Present if the call failed. */
  is_error?: true;
}

/** What the tool runner of Anthropic's package passes to a tool with a call. */
export interface AnthropicRunContext {
  /** The call. */
  readonly toolUse?: {
    /** The model's id of the call. */
    readonly id: string;
  } | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | null | undefined;
}

/** A tool that Anthropic's tool runner calls. */
export interface AnthropicRunnableTool extends AnthropicTool {
  /** Calls the tool. Rejects with the explanation of the error if the call fails. */
  run: (input: unknown, context?: AnthropicRunContext) => Promise<AnthropicToolResult["content"]>;
  /** Returns the arguments as they are: the server validates them. */
  parse: (input: unknown) => unknown;
}

/** Tools, the function that runs calls, and the same tools for the package's tool runner. */
export interface AnthropicTools extends RunnableTools<AnthropicTool, AnthropicBlock, AnthropicToolResult> {
  /** Tools for `anthropic.beta.messages.toolRunner({ tools, … })`, which makes the calls. */
  readonly runnable: AnthropicRunnableTool[];
}

/**
 * Tools for Messages: `tools` for the request, `run` for the `content` of the answer. `run` returns the content of the user's
 * next message.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool, Failure } from "jsr:@toolwire/toolwire";
 * import { anthropicTools } from "jsr:@toolwire/toolwire/agents";
 * import { match } from "node:assert/strict";
 *
 * const open = defineTool("open_door").describe("Open the door").handle((): string => {
 *   throw new Failure("locked", "The door is locked");
 * });
 * const { run } = await anthropicTools(createServer({ tools: [open] }));
 *
 * const content = [{ type: "tool_use", id: "toolu_1", name: "open_door", input: {} }];
 * const [result] = await run(content); // { role: "user", content: [result] } is the next message
 * console.log(result?.is_error); // → true
 * match(String(result?.content), /locked.*The door is locked/);
 * ```
 * With `defer` the request has all definitions, most of them with `defer_loading`, and the tool `search_tools`, whose calls `run`
 * answers with references. Models before Claude 4 do not load them.
 *
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function anthropicTools(
  source: AgentSource,
  given: AnthropicOptions = {},
): Promise<AnthropicTools> {
  checkOptions("give tools to a model", given, ANTHROPIC_RULES);
  const { strict = false, cache, citations = false, callers, approve: _approve, needsApproval: _needs, ...options } =
    given;
  const approval = approvalOf(source, given);
  const toolbox = await openToolbox(source, options, { loadsFound: true, approval, media: IMAGES_AND_PDF });
  const budget = new StrictBudget();
  const describe = (tool: AgentTool, isDeferred: boolean): AnthropicTool => {
    const allowed = allowedCallers(tool, callers);
    // The API refuses strict tools that programs call.
    const reduced = strict && allowed === undefined ? budget.reduce(tool.parameters, isDeferred) : undefined;
    return { ...describeTool(tool, reduced, isDeferred), ...(allowed !== undefined && { allowed_callers: allowed }) };
  };
  const loaded = toolbox.tools.map((tool) => describe(tool, false));
  const last = loaded.at(-1);
  // The API refuses the mark on deferred definitions, which are not in the beginning of a request.
  if (cache !== undefined && last !== undefined) last.cache_control = { type: "ephemeral", ttl: cache };
  const tools = [...loaded, ...toolbox.deferred.map((tool) => describe(tool, true))];
  const run = (block: ToolUse, options: RunOptions | undefined) => answer(toolbox, block, options, citations);
  return {
    tools,
    names: toolbox.names,
    runnable: tools.map((tool) => toRunnable(tool, run)),
    run: (content, runOptions) => Promise.all((content ?? []).filter(isToolUse).map((block) => run(block, runOptions))),
  };
}

/** A tool for the tool runner, which marks a result as an error if the tool throws. */
function toRunnable(
  tool: AnthropicTool,
  run: (block: ToolUse, options: RunOptions) => Promise<AnthropicToolResult>,
): AnthropicRunnableTool {
  return {
    ...tool,
    async run(input, { toolUse, signal } = {}) {
      const block = { type: "tool_use", id: "", ...toolUse, name: tool.name, input };
      const { content, is_error: isError } = await run(block, { signal: signal ?? undefined });
      if (isError) throw new Error(String(content));
      return content;
    },
    parse: (input) => input,
  };
}

/** ToolCallers of a tool; `undefined` if it is only for the model. The API refuses definitions that contain themselves for programs. */
function allowedCallers(tool: AgentTool, callers: AnthropicOptions["callers"]): AnthropicTool["allowed_callers"] {
  const { model, program } = callersOf(tool, callers);
  if (!program || isRecursive(tool.parameters.schema)) return undefined;
  return model ? ["direct", "code_execution_20260120"] : ["code_execution_20260120"];
}

function describeTool(
  { name, description, parameters, listing: { inputSchema } }: AgentTool,
  strict: ParameterSchema | undefined,
  isDeferred: boolean,
): AnthropicTool {
  // The API refuses examples beside definitions that it defers. They stay in the schema.
  const { schema, examples } = isDeferred
    ? { schema: strict ?? parameters.schema, examples: [] }
    : takeExamples(inputSchema, parameters, strict);
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: { ...schema, type: "object" },
    ...(examples.length > 0 && { input_examples: [...examples] }),
    ...(strict !== undefined && { strict: true }),
    ...(isDeferred && { defer_loading: true }),
  };
}

async function answer(
  toolbox: Toolbox,
  { id, name, input, caller }: ToolUse,
  options: RunOptions | undefined,
  isCited: boolean,
): Promise<AnthropicToolResult> {
  const references = name === toolbox.search?.name ? findReferences(toolbox.search, input) : [];
  if (references.length > 0) return { type: "tool_result", tool_use_id: id, content: references };
  const { text, error, content, sources } = await toolbox.call(name, input, { ...options, id });
  // Programs take text alone.
  const isDirect = caller === undefined || caller.type === "direct";
  const parts = isCited ? content ?? sources : content;
  const blocks = isDirect ? parts?.map((part) => toBlock(part, isCited)) : undefined;
  const result: AnthropicToolResult = { type: "tool_result", tool_use_id: id, content: blocks ?? text };
  return error === undefined ? result : { ...result, is_error: true };
}

/** References to the tools that a model searches for. Empty if it finds no tool, or the arguments are not a search: a text then explains it. */
function findReferences(search: SearchTool, given: unknown): AnthropicToolReference[] {
  return search.findTools(given).map(({ name }) => ({ type: "tool_reference", tool_name: name }));
}

/** A call that Anthropic's model requests. */
interface ToolUse extends AnthropicBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly caller?: { readonly type: string };
}

function isToolUse(block: AnthropicBlock): block is ToolUse {
  return block.type === "tool_use";
}
