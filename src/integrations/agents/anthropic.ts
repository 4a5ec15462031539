/**
 * Tools for Anthropic's Messages API.
 *
 * Types are structural: they are those of the package `@anthropic-ai/sdk`, which is not needed.
 */
import { BOOLEAN, checkOptions, type OptionRules } from "../../internal/options.ts";
import { ANTHROPIC_STRICT, type ParameterSchema } from "./dialects.ts";
import { ANTHROPIC_LIMITS, toStrict } from "./explain_schema.ts";
import type { RunnableTools } from "./openai.ts";
import { AGENT_RULES, type AgentOptions, type AgentSource } from "./options.ts";
import type { Parameters } from "./parameters.ts";
import { openToolbox } from "./toolbox.ts";

/** A tool of a request. */
export interface AnthropicTool {
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  input_schema: { type: "object"; [keyword: string]: unknown };
  /** Present if the model's output is constrained to the schema. */
  strict?: true;
}

/** Options of {@link anthropicTools}. */
export interface AnthropicOptions extends AgentOptions {
  /**
   * Whether to use strict mode for tools whose schema it can express, in the order of the list, as far as the limits of a request
   * allow: 20 tools, 24 optional properties and 16 unions in all. Older models refuse it. Default: false.
   */
  readonly strict?: boolean;
}

const ANTHROPIC_RULES: OptionRules<AnthropicOptions> = { ...AGENT_RULES, strict: BOOLEAN };

/** A content block of a message; blocks other than `tool_use` are skipped. */
export interface AnthropicBlock {
  /** Discriminant: `tool_use`. */
  readonly type: string;
}

/** The answer to a `tool_use` block. */
export interface AnthropicToolResult {
  /** Discriminant. */
  type: "tool_result";
  /** The block that it answers. */
  tool_use_id: string;
  /** The answer, or an explanation of the error with advice. */
  content: string;
  /** Present if the call failed. */
  is_error?: true;
}

/**
 * Tools for Messages: `tools` for the request, `run` for the `content` of the answer. `run` returns the content of the user's
 * next message.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool, Failure } from "jsr:@toolwire/toolwire";
 * import { anthropicTools } from "jsr:@toolwire/toolwire/agents";
 * import { match, strictEqual } from "node:assert/strict";
 *
 * const open = defineTool("open_door").describe("Open the door").handle((): string => {
 *   throw new Failure("locked", "The door is locked");
 * });
 * const { run } = await anthropicTools(createServer({ tools: [open] }));
 *
 * const content = [{ type: "tool_use", id: "toolu_1", name: "open_door", input: {} }];
 * const [result] = await run(content); // { role: "user", content: [result] } is the next message
 * strictEqual(result?.is_error, true);
 * match(result.content, /locked.*The door is locked/);
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function anthropicTools(
  source: AgentSource,
  given: AnthropicOptions = {},
): Promise<RunnableTools<AnthropicTool, AnthropicBlock, AnthropicToolResult>> {
  checkOptions("give tools to a model", given, ANTHROPIC_RULES);
  const { strict = false, ...options } = given;
  const toolbox = await openToolbox(source, options);
  const budget = new StrictBudget();
  return {
    tools: toolbox.tools.map(({ name, listing: { description }, parameters }) => {
      const reduced = strict ? budget.reduce(parameters) : undefined;
      return {
        name,
        ...(description !== undefined && { description }),
        input_schema: { ...(reduced ?? parameters.schema), type: "object" },
        ...(reduced !== undefined && { strict: true }),
      };
    }),
    names: toolbox.names,
    run(content, runOptions) {
      return Promise.all(
        (content ?? []).filter(isToolUse).map(async ({ id, name, input }) => {
          const { text, error } = await toolbox.call(name, input, { ...runOptions, id });
          const result: AnthropicToolResult = { type: "tool_result", tool_use_id: id, content: text };
          return error === undefined ? result : { ...result, is_error: true };
        }),
      );
    },
  };
}

/** What is left of the limits of one request. */
class StrictBudget {
  #tools: number = ANTHROPIC_LIMITS.tools;
  #optional: number = ANTHROPIC_LIMITS.optional;
  #unions: number = ANTHROPIC_LIMITS.unions;

  /** Reduces the schema of a tool; `undefined` if the tool cannot be strict in this request. The arguments stay as they are. */
  reduce(parameters: Parameters): ParameterSchema | undefined {
    const reduced = toStrict(parameters, ANTHROPIC_STRICT);
    if ("reason" in reduced) return undefined;
    const { schema, optional, unions } = reduced;
    if (this.#tools < 1 || optional > this.#optional || unions > this.#unions) return undefined;
    this.#tools--;
    this.#optional -= optional;
    this.#unions -= unions;
    return schema;
  }
}

interface ToolUse extends AnthropicBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function isToolUse(block: AnthropicBlock): block is ToolUse {
  return block.type === "tool_use";
}
