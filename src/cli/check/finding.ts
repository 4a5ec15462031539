/** Findings of `toolwire check`, and the rules that make them. */

/** Severity of a finding, as SARIF names it. Notes do not change the exit code. */
export type FindingLevel = "error" | "warning" | "note";

/** A rule of `toolwire check`, with what it looks for. The identifiers are stable. */
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

/** Identifier of a rule. */
export type CheckRule = keyof typeof CHECK_RULES;

/** A finding. Names of tools are foreign text. */
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

/** Creates a function that makes the findings of one tool. */
export function findingsOf(
  tool: string | undefined,
): (rule: CheckRule, level: FindingLevel, message: string, place?: string) => Finding {
  return (rule, level, message, place = "") => {
    return { rule, level, tool, place, message };
  };
}
