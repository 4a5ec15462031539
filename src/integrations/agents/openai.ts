/**
 * Tools for OpenAI's Chat Completions, and for compatible services.
 *
 * Types are structural: they are those of the package `openai`, which is not needed.
 */
import { assertNoItems, type OpenAiFunction, type OpenAiOptions, openFunctions } from "./openai_functions.ts";
import type { AgentSource, RunnableTools } from "./options.ts";

/** An entry of `tools` in a request to OpenAI's Chat Completions. */
export interface OpenAiTool {
  /** Discriminant. */
  type: "function";
  /** The function. */
  function: OpenAiFunction;
}

/** A tool call of a message of Chat Completions; calls of other types are skipped. */
export interface OpenAiToolCall {
  /** Discriminant: `function`. */
  readonly type: string;
  /** The model's id of the call. */
  readonly id: string;
  /** The called function. */
  readonly function?: {
    /** The name that the model knows. */
    readonly name: string;
    /** Arguments as JSON text. */
    readonly arguments: string;
  };
}

/** The answer to a tool call, as a message of the next request. */
export interface OpenAiToolMessage {
  /** Discriminant. */
  role: "tool";
  /** The call that it answers. */
  tool_call_id: string;
  /** The answer, or an explanation of the error with advice. */
  content: string;
}

/**
 * Tools for Chat Completions: `tools` for the request, `run` for the `tool_calls` of the answer.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { openaiTools } from "jsr:@toolwire/toolwire/agents";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 *
 * const add = defineTool("math.add").describe("Add").input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b);
 * const { tools, run } = await openaiTools(createServer({ tools: [add] }));
 * strictEqual(tools[0]?.function.name, "math_add");
 *
 * // What a model answers to a request with these tools:
 * const call = { type: "function", id: "call_1", function: { name: "math_add", arguments: '{"a":1,"b":2}' } };
 * deepStrictEqual(await run([call]), [{ role: "tool", tool_call_id: "call_1", content: "3" }]);
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function openaiTools(
  source: AgentSource,
  options: OpenAiOptions = {},
): Promise<RunnableTools<OpenAiTool, OpenAiToolCall, OpenAiToolMessage>> {
  const functions = await openFunctions(source, options, false);
  const { tools, names } = functions.toolbox;
  return {
    tools: tools.map((tool) => ({ type: "function", function: functions.describe(tool) })),
    names,
    async run(calls, runOptions) {
      assertNoItems(calls, "function_call", "Responses: take openaiResponsesTools");
      // A call without its function is answered, too: the API refuses a request that leaves a call without an answer.
      const own = (calls ?? []).filter((call) => Boolean(call.function) || call.type === "function");
      return await Promise.all(own.map(async ({ id, function: called }): Promise<OpenAiToolMessage> => {
        const { text } = await functions.call(String(called?.name), called?.arguments, { ...runOptions, id });
        return { role: "tool", tool_call_id: id, content: text };
      }));
    },
  };
}
