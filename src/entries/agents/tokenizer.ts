/**
 * Tokens of a text by the vocabulary of OpenAI's models, in place of the estimate. It is needed where a limit in tokens has to be exact,
 * and requires the package `gpt-tokenizer`, which is not installed with Toolwire.
 *
 * @example Count tokens
 * ```ts
 * import { loadTokenizer } from "jsr:@toolwire/toolwire/agents/tokenizer";
 *
 * const countTokens = await loadTokenizer();
 * console.log(countTokens("define a tool once")); // → 4
 * ```
 *
 * @module
 */
export { loadTokenizer } from "../../integrations/tokenizer/load_tokenizer.ts";
