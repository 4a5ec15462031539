/** Tools for any loop: what every framework needs of a function, without the shapes of one. */
import { checkOptions } from "../../internal/options.ts";
import type { AgentCallOptions, AgentTool } from "./agent_tool.ts";
import { type AnswerPart, IMAGES_AND_PDF } from "./answer_content.ts";
import { approvalOf, LOOP_RULES, type LoopOptions } from "./approval.ts";
import type { AgentSource } from "./options.ts";
import { openToolbox } from "./toolbox.ts";

/** A tool of the server as a function. */
export interface FunctionTool {
  /** The name that the model knows, of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  /** What the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments: an object without alternatives at its root. */
  readonly parameters: Record<string, unknown> & { type: "object" };
  /** The tool's name on its server. */
  readonly tool: string;
  /**
   * Calls the tool with the arguments that the model wrote. Returns the answer as text, an answer with files as parts, or an explanation of
   * the error as text. Rejects with the signal's reason if it is aborted.
   */
  readonly execute: (args: unknown, options?: FunctionCallOptions) => Promise<string | readonly AnswerPart[]>;
}

/** Options of a call of a {@link FunctionTool}: a signal that aborts it, and the model's id of the call. */
export type FunctionCallOptions = AgentCallOptions;

/**
 * Tools for a loop that has no adapter here, such as those of LlamaIndex, Genkit or Strands, or your own. Destructive tools ask
 * `approve`, as with the other loops.
 *
 * @example A loop over any model
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { functionTools } from "jsr:@toolwire/toolwire/agents";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const add = defineTool("math.add").describe("Add").input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) => a + b);
 * const tools = await functionTools(createServer({ tools: [add] }));
 *
 * const call = { name: "math_add", args: { a: 1, b: 2 } }; // as your model wrote it, given name, description and parameters of each
 * const tool = tools.find(({ name }) => name === call.name);
 * console.log(await tool?.execute(call.args, { signal: AbortSignal.timeout(10_000) })); // → 3
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function functionTools(source: AgentSource, given: LoopOptions = {}): Promise<FunctionTool[]> {
  checkOptions("give tools to a model", given, LOOP_RULES);
  const { approve: _approve, needsApproval: _needs, ...options } = given;
  const approval = approvalOf(source, given);
  const { tools } = await openToolbox(source, options, { approval, media: IMAGES_AND_PDF });
  return tools.map(toFunction);
}

function toFunction(tool: AgentTool): FunctionTool {
  const { name, description = name, parameters, listing } = tool;
  return {
    name,
    description,
    parameters: { ...parameters.schema, type: "object" },
    tool: listing.name,
    async execute(args, options) {
      const { text, content } = await tool.call(args, options);
      return content ?? text;
    },
  };
}
