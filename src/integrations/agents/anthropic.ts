/**
 * Tools for Anthropic's Messages API.
 *
 * Types are structural: they are those of the package `@anthropic-ai/sdk`, which is not needed.
 */
import type { RunnableTools } from "./openai.ts";
import type { AgentOptions, AgentSource } from "./options.ts";
import { openToolbox } from "./toolbox.ts";

/** A tool of a request. */
export interface AnthropicTool {
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  input_schema: { type: "object"; [keyword: string]: unknown };
}

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
  options: AgentOptions = {},
): Promise<RunnableTools<AnthropicTool, AnthropicBlock, AnthropicToolResult>> {
  const toolbox = await openToolbox(source, options);
  return {
    tools: toolbox.tools.map(({ name, listing: { description }, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: { ...parameters.schema, type: "object" },
    })),
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

interface ToolUse extends AnthropicBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function isToolUse(block: AnthropicBlock): block is ToolUse {
  return block.type === "tool_use";
}
