/**
 * Tools for Cloudflare's code mode: programs of a model call them.
 *
 * Types are structural: they are those of the package `@cloudflare/codemode`, which is not needed.
 */
import { checkOptions } from "../../internal/options.ts";
import type { AgentTool } from "./agent_tool.ts";
import { type AiSchema, toAiSchema } from "./ai_schema.ts";
import { type AgentSource, APPROVAL_RULES, type ApprovalOptions, isDestructive } from "./options.ts";
import { openToolbox } from "./toolbox.ts";

/** A tool of the server for `createCodeTool({ tools })` of `@cloudflare/codemode`: programs of a model call it. */
export interface CloudflareTool {
  /** What the tool does. */
  readonly description: string;
  /** The arguments. */
  readonly inputSchema: AiSchema;
  /** The output, whose type the program knows. */
  readonly outputSchema?: AiSchema;
  /** Present if a person has to approve calls. `createCodeTool` leaves such tools out; `ToolSetConnector` pauses the program. */
  readonly needsApproval?: true;
  /** Calls the tool. Throws if the call fails; the message explains the error. */
  readonly execute: (input: unknown) => Promise<unknown>;
}

/** Options of {@link cloudflareTools}. Programs search by themselves, so that no tool is deferred. */
export type CloudflareOptions = Omit<ApprovalOptions, "defer" | "alwaysLoad" | "minTokens" | "logger" | "group">;

const RULES = programRules();

/** Names of functions in JavaScript. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * Tools for `createCodeTool` and `ToolSetConnector` of `@cloudflare/codemode`. A program gets answers as values. The tool of code mode has
 * a signature of each tool; `select` keeps it short.
 *
 * @example What code mode gets
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { cloudflareTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const ping = defineTool("net.ping").describe("Answer").handle(() => ({ pong: true }));
 * const tools = await cloudflareTools(createServer({ tools: [ping] })); // createCodeTool({ tools, executor })
 * console.log(await tools["net_ping"]?.execute({})); // → { pong: true }
 * ```
 * @param source A server of this process, a client, or a transport.
 * @throws {ToolError} If the tools cannot be listed.
 */
export async function cloudflareTools(
  source: AgentSource,
  given: CloudflareOptions = {},
): Promise<Record<string, CloudflareTool>> {
  checkOptions("give tools to a model", given, RULES);
  const { needsApproval = isDestructive, ...options } = given;
  const { tools } = await openToolbox(source, options, { names: NAME });
  return Object.fromEntries(tools.map((tool) => [tool.name, toCloudflareTool(tool, needsApproval(tool.listing))]));
}

function toCloudflareTool(tool: AgentTool, needsApproval: boolean): CloudflareTool {
  const { name, description = name, parameters, listing: { outputSchema } } = tool;
  return {
    description,
    inputSchema: toAiSchema(parameters.schema),
    ...(outputSchema !== undefined && { outputSchema: toAiSchema(outputSchema) }),
    ...(needsApproval && { needsApproval }),
    async execute(input) {
      const { text, value, error } = await tool.call(input ?? {});
      if (error !== undefined) throw new Error(text, { cause: error });
      return value;
    },
  };
}

/** A function, because bundlers keep a destructuring at the top level in programs that do not use it. */
function programRules() {
  const { defer: _, alwaysLoad: _load, minTokens: _tokens, logger: _logger, group: _group, ...rules } = APPROVAL_RULES;
  return rules;
}
