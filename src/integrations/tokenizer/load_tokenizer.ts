/** Longest run of letters, of white space or of other characters that is passed on at once. */
const LONG_RUN = /(\p{L}{256}|\s{256}|[^\s\p{L}]{256})/u;

/**
 * Loads the vocabulary `o200k_base` of OpenAI's models since GPT-4o: about 1 MB, compressed. Vocabularies of Claude and Gemini are not
 * public.
 *
 * @example The cost of a list of tools
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { estimateTokens } from "jsr:@toolwire/toolwire/agents";
 * import { loadTokenizer } from "jsr:@toolwire/toolwire/agents/tokenizer";
 *
 * const tokenizer = await loadTokenizer();
 * console.log(tokenizer("Tools for models")); // → 3
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * console.log(await estimateTokens(server, { vendor: "openai", tokenizer })); // → 32
 * ```
 * @returns A function that counts the tokens of a text, in time proportional to its length. Names of special tokens in it, such as
 * `<|endoftext|>`, are text. Rejects with `TypeError` if the package is not installed.
 */
export async function loadTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await importVocabulary();
  const options = { disallowedSpecial: new Set<string>() };
  // The package takes the square of the time for a run without an end. Some of these cuts add a token.
  return (text) => text.split(LONG_RUN).reduce((sum, part) => part === "" ? sum : sum + countTokens(part, options), 0);
}

async function importVocabulary(): Promise<typeof import("gpt-tokenizer/encoding/o200k_base")> {
  try {
    return await import("gpt-tokenizer/encoding/o200k_base");
  } catch (cause) {
    throw new TypeError("Cannot load the tokenizer: install the package gpt-tokenizer", { cause });
  }
}
