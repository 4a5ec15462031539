/**
 * Tools for OpenAI's APIs Chat Completions and Responses, and for compatible services.
 *
 * Types are structural: they are those of the package `openai`, which is not needed.
 */
import { AGENT_RULES, type AgentOptions, type AgentSource, type RunOptions } from "./options.ts";
import { BOOLEAN, checkOptions, type OptionRules } from "../../internal/options.ts";
import { toStrict } from "./explain_schema.ts";
import { OPENAI_STRICT, type ParameterSchema } from "./dialects.ts";
import { toParameters } from "./parameters.ts";
import { type AgentTool, openToolbox, readArguments, type Toolbox } from "./toolbox.ts";

/** A function, as both APIs describe it. */
export interface OpenAiFunction {
  /** The name that the model knows. */
  name: string;
  /** What the tool does. */
  description?: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Whether the model's output is constrained to the schema. */
  strict: boolean;
}

/** A tool of Chat Completions. */
export interface OpenAiTool {
  /** Discriminant. */
  type: "function";
  /** The function. */
  function: OpenAiFunction;
}

/** A tool of Responses. */
export interface OpenAiResponsesTool extends OpenAiFunction {
  /** Discriminant. */
  type: "function";
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

/** The answer to a tool call, as a message. */
export interface OpenAiToolMessage {
  /** Discriminant. */
  role: "tool";
  /** The call that it answers. */
  tool_call_id: string;
  /** The answer, or an explanation of the error with advice. */
  content: string;
}

/** An item of a response; items other than function calls are skipped. */
export interface OpenAiResponseItem {
  /** Discriminant: `function_call`. */
  readonly type: string;
}

/** The answer to a function call, as an item of the next request's input. */
export interface OpenAiFunctionOutput {
  /** Discriminant. */
  type: "function_call_output";
  /** The call that it answers. */
  call_id: string;
  /** The answer, or an explanation of the error with advice. */
  output: string;
  /** What made the call: the model, or a program that it wrote. Repeated from the call. */
  caller?: OpenAiCaller | null;
  /** Namespace of the function. Repeated from the call. */
  namespace?: string;
}

/** What made a function call of Responses: the model itself, or a program of programmatic tool calling. */
export type OpenAiCaller = {
  /** Discriminant: the model. */
  type: "direct";
} | {
  /** Discriminant: a program. */
  type: "program";
  /** Id of the program's item. */
  caller_id: string;
};

/** Options of {@link openaiTools} and {@link openaiResponsesTools}. */
export interface OpenAiOptions extends AgentOptions {
  /** Whether to use strict mode for tools whose schema it can express. Default: true. */
  readonly strict?: boolean;
}

/**
 * Tools and the function that runs a model's calls.
 *
 * @typeParam Tool A tool in a request.
 * @typeParam Call A model's call.
 * @typeParam Result The result for the model.
 */
export interface RunnableTools<Tool, Call, Result> {
  /** Tools for the request. */
  readonly tools: Tool[];
  /** The tools' names on their server, by the names that the model knows. */
  readonly names: ReadonlyMap<string, string>;
  /**
   * Makes all calls of a message concurrently; returns their answers in order, for the next request. Errors
   * are explained to the model. Rejects with the signal's reason if aborted, and with `TypeError` if the calls are those
   * of OpenAI's other API.
   */
  run(calls: readonly Call[] | null | undefined, options?: RunOptions): Promise<Result[]>;
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
  const functions = await openFunctions(source, options);
  return {
    tools: functions.described.map((described) => ({ type: "function", function: described })),
    names: functions.names,
    async run(calls, runOptions) {
      assertNoItems(calls, "function_call", "Responses: take openaiResponsesTools");
      // A call without its function is answered, too: the API refuses a request that leaves a call without an answer.
      const own = (calls ?? []).filter((call) => Boolean(call.function) || call.type === "function");
      return await Promise.all(own.map(async ({ id, function: called }): Promise<OpenAiToolMessage> => {
        const content = await functions.call(called?.name, called?.arguments, id, runOptions);
        return { role: "tool", tool_call_id: id, content };
      }));
    },
  };
}

/**
 * Tools for Responses: `tools` for the request, `run` for the `output` of the response.
 *
 * @example One turn
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { openaiResponsesTools } from "jsr:@toolwire/toolwire/agents";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const { run } = await openaiResponsesTools(createServer({ tools: [ping] }));
 *
 * const output = [{ type: "function_call", call_id: "call_1", name: "ping", arguments: "{}" }];
 * deepStrictEqual(await run(output), [{ type: "function_call_output", call_id: "call_1", output: "pong" }]);
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function openaiResponsesTools(
  source: AgentSource,
  options: OpenAiOptions = {},
): Promise<RunnableTools<OpenAiResponsesTool, OpenAiResponseItem, OpenAiFunctionOutput>> {
  const functions = await openFunctions(source, options);
  return {
    tools: functions.described.map((described) => ({ type: "function", ...described })),
    names: functions.names,
    async run(items, runOptions) {
      assertNoItems(items, "function", "Chat Completions: take openaiTools");
      const calls = (items ?? []).filter(isFunctionCall);
      return await Promise.all(calls.map(async ({ name, arguments: text, call_id: id, caller, namespace }) => {
        const output = await functions.call(name, text, id, runOptions);
        return {
          type: "function_call_output",
          call_id: id,
          output,
          ...(caller !== undefined && { caller }),
          ...(namespace !== undefined && { namespace }),
        };
      }));
    },
  };
}

/** Refuses items of the other API, which would be skipped silently, so that the model never got an answer. */
function assertNoItems(items: readonly OpenAiResponseItem[] | null | undefined, type: string, owner: string): void {
  if (items?.some((item) => item.type === type)) {
    throw new TypeError(`Cannot run calls: "${type}" is of ${owner}`);
  }
}

interface FunctionCallItem extends OpenAiResponseItem {
  readonly call_id: string;
  readonly name: unknown;
  readonly arguments: unknown;
  readonly caller?: OpenAiCaller | null;
  readonly namespace?: string;
}

function isFunctionCall(item: OpenAiResponseItem): item is FunctionCallItem {
  return item.type === "function_call";
}

const OPENAI_RULES: OptionRules<OpenAiOptions> = { ...AGENT_RULES, strict: BOOLEAN };

async function openFunctions(source: AgentSource, given: OpenAiOptions): Promise<Functions> {
  checkOptions("give tools to a model", given, OPENAI_RULES);
  const { strict = true, ...options } = given;
  return new Functions(await openToolbox(source, options, toParameters), strict);
}

/** A toolbox with strict schemas where possible. */
class Functions {
  readonly described: readonly OpenAiFunction[];
  readonly names: ReadonlyMap<string, string>;
  readonly #toolbox: Toolbox;
  readonly #fromStrict = new Map<string, (said: unknown) => unknown>();

  constructor(toolbox: Toolbox, isStrict: boolean) {
    this.#toolbox = toolbox;
    this.names = toolbox.names;
    this.described = toolbox.tools.map((tool) => {
      const strict = isStrict ? toStrict(tool.parameters, OPENAI_STRICT) : undefined;
      if (strict === undefined || "reason" in strict) return describe(tool, undefined);
      this.#fromStrict.set(tool.name, strict.toArguments);
      return describe(tool, strict.schema);
    });
  }

  /** @param called What should be a name, as `text` should be JSON: both are a model's. */
  async call(called: unknown, text: unknown, id: string, options?: RunOptions): Promise<string> {
    const name = String(called);
    const toArguments = this.#fromStrict.get(name) ?? ((said: unknown) => said);
    const { text: result } = await this.#toolbox.call(name, toArguments(readArguments(text)), { ...options, id });
    return result;
  }
}

function describe({ name, listing, parameters }: AgentTool, strict: ParameterSchema | undefined): OpenAiFunction {
  const { description } = listing;
  return {
    name,
    ...(description !== undefined && { description }),
    parameters: { ...(strict ?? parameters.schema) },
    strict: strict !== undefined,
  };
}
