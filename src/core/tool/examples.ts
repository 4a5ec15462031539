/** Lists examples of tools in their schemas, and checks them when a tool is defined. */
import { isJsonObject } from "../../internal/json.ts";
import { formatPath } from "../../internal/text.ts";
import type { CompiledSchema } from "../schema/compile.ts";
import { formatIssues } from "../schema/issues.ts";
import type { ToolDefinition, ToolExample } from "./definition.ts";

/** An example of any tool. */
export type AnyExample = ToolExample<unknown, unknown>;

/** The schemas of a tool to which examples are added, and against which they are checked. */
export type ExampleSchemas = Pick<ToolDefinition, "input" | "inputSchema" | "output">;

/** Returns the schemas of a tool with the examples as the keyword `examples`. The given schemas are not changed. */
export function listExamples(
  examples: readonly AnyExample[],
  { inputSchema, output }: ExampleSchemas,
): Pick<ToolDefinition, "inputSchema" | "output"> {
  const outputs = examples.map((example) => example.output).filter((value) => value !== undefined);
  return {
    inputSchema: { ...inputSchema, examples: examples.map((example) => example.input) },
    // Inherits the compiled check, which is created when it is first read.
    output: output && outputs.length > 0
      ? Object.create(output, { jsonSchema: { value: { ...output.jsonSchema, examples: outputs } } })
      : output,
  };
}

/** @throws {TypeError} If an example has no object `input`, a value does not fit its schema, or that schema is asynchronous. */
export function checkExamples(label: string, examples: readonly AnyExample[], { input, output }: ExampleSchemas): void {
  examples.forEach((example, index) => {
    const problem = problemOf(example, "input", input) ?? problemOf(example, "output", output);
    if (problem !== undefined) throw new TypeError(`Cannot use example ${index} of ${label}: ${problem}`);
  });
}

function problemOf(
  example: Partial<AnyExample> | undefined,
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
