import type { ListedTool, Transport } from "../../core/call/transport.ts";
import { errorResult } from "../../core/call/outcome.ts";
import { checkOptions, FUNCTION, oneOf, type OptionRules } from "../../internal/options.ts";
import { estimateTextTokens } from "../../internal/token_estimate.ts";
import { anthropicTools } from "./anthropic.ts";
import { openaiTools } from "./openai.ts";
import { type AgentSource, methodsOf } from "./options.ts";

/** Options of {@link estimateTokens}. */
export interface EstimateOptions {
  /** Form in which the tools are counted: as a vendor's request has them, or as MCP lists them. Default: `"mcp"`. */
  readonly vendor?: "mcp" | "openai" | "anthropic" | undefined;
  /** Counts the tokens of a text, such as a vendor's tokenizer. Default: an estimate by runs of characters. */
  readonly tokenizer?: ((text: string) => number) | undefined;
}

const RULES: OptionRules<EstimateOptions> = { vendor: oneOf("mcp", "openai", "anthropic"), tokenizer: FUNCTION };

/**
 * Counts the tokens that the list of a server's tools takes in each request to a model. Without a tokenizer the count is an
 * estimate, up to 25 % too high for lists.
 *
 * @example Count tokens before and after a change
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { estimateTokens } from "jsr:@toolwire/toolwire/agents";
 * import { ok } from "node:assert/strict";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * ok(await estimateTokens(server, { vendor: "anthropic" }) < 60);
 * console.log(await estimateTokens(server, { tokenizer: () => 7 })); // → 7
 * ```
 * @param source A server, a client or a transport, or a list of tools.
 * @returns The number of tokens. Rejects with `TypeError` if an option is invalid, or the source is not one.
 */
export async function estimateTokens(
  source: AgentSource | readonly ListedTool[],
  options: EstimateOptions = {},
): Promise<number> {
  checkOptions("estimate tokens", options, RULES);
  const { vendor = "mcp", tokenizer = estimateTextTokens } = options;
  const opened = isList(source) ? transportOf(source) : source;
  if (vendor === "mcp") return tokenizer(JSON.stringify(await methodsOf(opened).list()));
  const { tools } = vendor === "openai" ? await openaiTools(opened) : await anthropicTools(opened);
  return tokenizer(JSON.stringify(tools));
}

function isList(source: AgentSource | readonly ListedTool[]): source is readonly ListedTool[] {
  return Array.isArray(source);
}

/** A transport that lists the tools. */
function transportOf(tools: readonly ListedTool[]): Transport {
  return { list: () => tools, call: () => errorResult("unavailable", "There is no server behind this list") };
}
