/** Checks examples of tools when the tool is defined, and lists them in its schemas. */
import { isJsonObject } from "../../internal/json.ts";
import { formatPath } from "../../internal/text.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { formatIssues } from "../schema/issues.ts";
import type { ToolDefinition, ToolExample } from "./definition.ts";

/**
 * Adds the examples to the schemas of a tool, as the keyword `examples`.
 *
 * @throws {TypeError} If an example has no `input`, or a value does not fit its schema.
 */
export function listExamples(
  label: string,
  examples: readonly ToolExample<unknown, unknown>[],
  { input, inputSchema, output }: Pick<ToolDefinition, "input" | "inputSchema" | "output">,
): Pick<ToolDefinition, "inputSchema" | "output"> {
  examples.forEach((example, index) => {
    const problem = problemOf(example, "input", input) ?? problemOf(example, "output", output);
    if (problem !== undefined) throw new TypeError(`Cannot use example ${index} of ${label}: ${problem}`);
  });
  const outputs = examples.map((example) => example.output).filter((value) => value !== undefined);
  return {
    inputSchema: { ...inputSchema, examples: examples.map((example) => example.input) },
    // Inherits the compiled check, which is created when it is first read.
    output: output && outputs.length > 0
      ? Object.create(output, { jsonSchema: { value: { ...output.jsonSchema, examples: outputs } } })
      : output,
  };
}

function problemOf(
  example: Partial<ToolExample<unknown, unknown>> | undefined,
  name: "input" | "output",
  schema: CompiledSchema | undefined,
): string | undefined {
  const value = example?.[name];
  if (name === "output" ? value === undefined : !isJsonObject(value)) {
    return name === "output" ? undefined : "its input must be an object, the arguments of a call";
  }
  const checked = schema?.validate(value);
  if (checked instanceof Promise) {
    checked.catch(() => {});
    return `its ${name} cannot be checked, because the schema is asynchronous`;
  }
  const [issue] = formatIssues(checked?.issues ?? [], value);
  return issue && `${formatPath([name, ...issue.path])}: ${issue.message}`;
}
