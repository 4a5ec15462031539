/** Answers of programs, within a budget. */
import { estimateTextTokens } from "../../internal/token_estimate.ts";
import { cutText } from "../../internal/text.ts";

/** Number of calls of each tool, and the time that they took together, in milliseconds. */
export type CountedCalls = Map<string, { readonly n: number; readonly ms: number }>;

/** Answer of `run_code`. */
export interface ProgramAnswer {
  /** What the program returned. If it was cut, the beginning of its JSON, as text. */
  readonly value: unknown;
  /** What `console.log` wrote, a line a call. */
  readonly log?: string;
  /** The tools that were called, how often, and for how many milliseconds. */
  readonly calls: readonly { readonly tool: string; readonly n: number; readonly ms: number }[];
  /** What was left out, and how to get it. */
  readonly note?: string;
}

/** Characters of a token, about, in JSON. */
const CHARS_OF_TOKEN = 3;

/** The answer of a program that returned a value. */
export function answerOf(
  json: string,
  logs: readonly string[],
  counts: CountedCalls,
  answerTokens: number,
): ProgramAnswer {
  const log = logs.join("\n");
  const calls = [...counts].map(([tool, { n, ms }]) => ({ tool, n, ms: Math.round(ms) }));
  const rest = { ...(log !== "" && { log }), calls };
  const maxChars = answerTokens * CHARS_OF_TOKEN;
  const isShort = json.length <= maxChars / 2 ||
    (json.length <= 4 * maxChars && estimateTextTokens(json) <= answerTokens);
  if (isShort) return { value: JSON.parse(json), ...rest };
  const value = cutText(json, maxChars);
  const note = `The value has ${json.length} characters of JSON, of which these are the first ${value.length}. ` +
    "Return less: filter, count or slice in the program";
  return { value, ...rest, note };
}
