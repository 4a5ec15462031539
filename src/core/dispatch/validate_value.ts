import { ToolError } from "../errors/tool_error.ts";
import type { SchemaAdapter } from "../schema/adapter.ts";
import { compileValidator } from "../schema/compile.ts";
import { formatIssues } from "../schema/issues.ts";
import type { AnySchema } from "../schema/plain_schema.ts";

/**
 * Returns the output of a schema for a value, for `ctx.validate`.
 *
 * @throws {ToolError} `invalid_input`, with the issues, if the value does not match.
 * @throws {TypeError} If the schema is asynchronous.
 */
export function validateValue<Output>(
  schema: AnySchema<Output>,
  value: unknown,
  adapters: readonly SchemaAdapter[],
): Output {
  const checked = compileValidator(schema, { where: "The schema", adapters })(value);
  if (checked instanceof Promise) throw new TypeError("Cannot validate: the schema is asynchronous");
  if (checked.issues === undefined) return checked.value as Output;
  const issues = formatIssues(checked.issues, value);
  throw new ToolError("invalid_input", `Invalid value: ${issues[0]?.message}`, { details: { issues } });
}
