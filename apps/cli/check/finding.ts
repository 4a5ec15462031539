/** Findings of `toolwire check`, and the rules that make them. */

/** Severity of a finding, as SARIF names it. Errors and warnings end `toolwire check` with exit code 1, notes do not. */
export type FindingLevel = "error" | "warning" | "note";

/** Rules of `toolwire check`: a stable identifier, and a sentence that is true of a list without findings. */
export const CHECK_RULES = {
  "name": "Names of tools are 1 to 64 letters, digits, hyphens and underscores, each once.",
  "schema": "Schemas are valid JSON Schema, and those of arguments describe an object.",
  "open-schema": "Schemas say what a value is: each member has a type, and objects declare their members.",
  "large-schema": "The schemas and texts of a tool fit 1,000 tokens, with at most 5 levels of nesting.",
  "description": "Tools and their arguments have a description of their own that a model can choose by.",
  "hidden-text": "Texts have no characters that are invisible or change the display of others.",
  "annotations": "Hints are booleans, and do not contradict each other or the name of the tool.",
  "unbounded-output": "Outputs that are lists have a limit, so that an answer fits the context of a model.",
  "list-size": "The whole list fits the budget of tokens.",
  "openai": "Schemas of arguments fit the strict mode of OpenAI.",
  "anthropic": "Schemas of arguments fit the strict mode of Anthropic.",
  "gemini": "Schemas of arguments fit what Gemini takes.",
} as const;

/** Identifier of a rule: a key of {@link CHECK_RULES}. */
export type CheckRule = keyof typeof CHECK_RULES;

/** One problem that a rule of `toolwire check` found. Names of tools are foreign text, not escaped. */
export interface Finding {
  readonly rule: CheckRule;
  readonly level: FindingLevel;
  /** Name of the tool. `undefined` for the list. */
  readonly tool: string | undefined;
  /** Place within the tool: `arguments.limit`. Empty for the whole. */
  readonly place: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** Returns a function that creates findings about one tool, or about the list if `tool` is `undefined`. It checks nothing. */
export function findingsOf(
  tool: string | undefined,
): (rule: CheckRule, level: FindingLevel, message: string, place?: string) => Finding {
  return (rule, level, message, place = "") => {
    return { rule, level, tool, place, message };
  };
}
