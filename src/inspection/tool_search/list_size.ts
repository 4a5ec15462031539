/** Whether a list of tools is long enough to be searched: one rule for `discover()` and for `defer: "auto"` of the adapters. */
import { estimateTextTokens } from "../../internal/token_estimate.ts";

/** Number of tools up to which a model gets the list itself. */
const MIN_TOOLS = 10;

/** Tokens of the definitions up to which a model gets the list itself, unless an option states another number. */
export const DEFAULT_MIN_TOKENS = 10_000;

/** What a model gets of a tool in a list. */
interface Definition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** Size of a list of tools in tokens, whether models should search in place of getting it, and the sentence for the log. */
export interface ListSize {
  /** Whether a model searches in place of getting the list. */
  readonly isLong: boolean;
  /** Line for the log: the numbers of tools and tokens, and the limit. */
  readonly line: string;
}

/** Measures a list of tools by the names, descriptions and schemas of arguments, which every vendor sends to its model. */
export function measureList(tools: readonly Definition[], minTokens: number): ListSize {
  const tokens = countTokens(tools, minTokens);
  const isLong = tools.length > MIN_TOOLS && tokens > minTokens;
  const found = `${tools.length} tools of about ${tokens} tokens`;
  const limit = `the limit is ${MIN_TOOLS} tools and minTokens: ${minTokens}`;
  return { isLong, line: isLong ? `A search replaces ${found}; ${limit}` : `All ${found} are listed; ${limit}` };
}

/** The estimated tokens. Beyond `enough` the rest is estimated by its characters alone: there may be thousands of tools. */
function countTokens(tools: readonly Definition[], enough: number): number {
  let tokens = 0;
  let counted = 0;
  let all = 0;
  for (const { name, description, inputSchema } of tools) {
    const text = JSON.stringify({ name, description, inputSchema });
    all += text.length;
    if (tokens > enough) continue;
    tokens += estimateTextTokens(text);
    counted += text.length;
  }
  return Math.round(tokens * all / (counted || 1));
}
