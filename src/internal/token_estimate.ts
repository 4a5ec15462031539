/** Runs of characters that a tokenizer treats alike: letters of Latin script, digits, white space, punctuation, one other character. */
const RUNS = /[A-Za-z\u00c0-\u024f]+|\d+|\s+|[!-/:-@[-`{-~]+|./gsu;

const SHORT_WORD = 8;
const CHARS_OF_LONG_WORD = 5.5;
const CHARS_OF_MIXED_WORD = 2;
const CHARS_OF_DIGITS = 3;
const CHARS_OF_PUNCTUATION = 2.5;

/**
 * Estimates how many tokens a text takes, by runs of characters. Against the tokenizer of GPT-4o the estimate is 4 to 25 % too
 * high for lists of tools and 0 to 7 % for rows of JSON, where a quarter of the characters is 40 % too low.
 */
export function estimateTextTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(RUNS)) tokens += tokensOfRun(run);
  return Math.ceil(tokens);
}

function tokensOfRun(run: string): number {
  if (/^[A-Za-z\u00c0-\u024f]/.test(run)) return tokensOfWord(run);
  if (/^\d/.test(run)) return Math.ceil(run.length / CHARS_OF_DIGITS);
  if (/^\s/.test(run)) return run === " " ? 0 : 1;
  return /^[!-~]/.test(run) && run.length > 3 ? run.length / CHARS_OF_PUNCTUATION : 1;
}

function tokensOfWord(word: string): number {
  if (word.length > SHORT_WORD) return word.length / CHARS_OF_LONG_WORD;
  const isMixed = /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(word);
  return isMixed ? Math.max(1, word.length / CHARS_OF_MIXED_WORD) : 1;
}
