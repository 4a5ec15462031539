/**
 * Tokens of a text by the vocabulary of OpenAI's models, in place of the estimate. Needs the package `gpt-tokenizer`, which is not
 * installed with Toolwire.
 *
 * @module
 */
export { loadTokenizer } from "../integrations/tokenizer/load_tokenizer.ts";
