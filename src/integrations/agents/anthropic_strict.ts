/** The limits of strict tools in a request to Anthropic. */
import { ANTHROPIC_STRICT, type ParameterSchema } from "./dialects.ts";
import { ANTHROPIC_LIMITS, toStrict } from "./explain_schema.ts";
import type { ModelParameters } from "./parameters.ts";

/** What is left of the limits of one request. */
export class StrictBudget {
  #tools: number = ANTHROPIC_LIMITS.tools;
  #optional: number = ANTHROPIC_LIMITS.optional;
  #unions: number = ANTHROPIC_LIMITS.unions;

  /**
   * Reduces the schema of a tool; `undefined` if the tool cannot be strict in this request. The arguments stay as they are.
   *
   * @param hasExamples Whether examples stay in the schema, that is in a description: the API refuses them beside definitions that it defers.
   */
  reduce(parameters: ModelParameters, hasExamples: boolean): ParameterSchema | undefined {
    const { examples: _, ...schema } = parameters.schema;
    const reduced = toStrict(hasExamples ? parameters : { ...parameters, schema }, ANTHROPIC_STRICT);
    if ("reason" in reduced) return undefined;
    const { schema: strict, optional, unions } = reduced;
    if (this.#tools < 1 || optional > this.#optional || unions > this.#unions) return undefined;
    this.#tools--;
    this.#optional -= optional;
    this.#unions -= unions;
    return strict;
  }
}
