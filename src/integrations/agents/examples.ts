/** Examples of a tool's arguments, as vendors take them beside the schema. */
import { compileCheck } from "../../core/json_schema/check.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./dialects.ts";
import type { ModelParameters } from "./parameters.ts";

/** A schema without its examples, and the examples. */
export interface SeparatedExamples {
  /** The schema. Its root has no `examples` if there are any beside it. */
  readonly schema: ParameterSchema;
  /** Arguments as the model writes them. Empty without examples. */
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Moves the examples of an input schema beside the schema that is sent. Examples that do not fit that schema are left out, because
 * vendors refuse a request for one of them.
 *
 * @param schema The schema that is sent: that of the parameters, or a strict form of it.
 */
export function takeExamples(
  inputSchema: ParameterSchema | undefined,
  parameters: ModelParameters,
  schema: ParameterSchema = parameters.schema,
): SeparatedExamples {
  const given = inputSchema?.["examples"];
  if (!Array.isArray(given) || given.length === 0) return { schema, examples: [] };
  const { examples: _, ...rest } = schema;
  const check = compileCheck(rest);
  const examples = given.filter(isJsonObject).map((args) => parameters.toModelArguments(args));
  return { schema: rest, examples: examples.filter((example) => check(example).length === 0) };
}
