import { Failure } from "../errors/failure.ts";
import { mistake } from "../errors/mistake.ts";
import { formatIssues } from "../schema/issues.ts";
import { omitUndeclared } from "../schema/undeclared_members.ts";
import type { ToolDefinition } from "../tool/definition.ts";

/**
 * Creates a failure that a tool has declared, for `ctx.fail`.
 *
 * @throws {TypeError} If it has not declared the code, or the data does not fit the schema of the code.
 */
export function declaredFailure(
  { errors, name }: ToolDefinition,
  code: string,
  message: string,
  data: unknown,
): Failure<string, unknown> {
  if (!errors.has(code)) {
    throw mistake(
      new TypeError(`Cannot fail with "${code}": declare it with .errors({ ${code}: … }) on tool "${name}"`),
    );
  }
  const schema = errors.get(code);
  const checked = schema?.validate(data);
  if (checked instanceof Promise) {
    throw new TypeError(`Cannot check the data of "${code}": its schema is asynchronous`);
  }
  if (checked?.issues !== undefined) {
    const [issue] = formatIssues(checked.issues, data);
    throw new TypeError(`Cannot fail with "${code}": its data does not fit the declared schema: ${issue?.message}`);
  }
  const sent = checked === undefined ? data : omitUndeclared(data, checked.value, schema!.jsonSchema);
  return new Failure<string, unknown>(code, message, sent);
}
