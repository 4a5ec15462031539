/** The check of a call before its job is stored. */
import type { ErrorResult } from "../../core/call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import { configure } from "../../core/dispatch/run_config.ts";
import { invalidArguments } from "../../core/dispatch/run_tool.ts";
import { formatIssues } from "../../core/schema/issues.ts";
import type { SchemaResult } from "../../core/schema/standard_schema.ts";

/** The error of a call whose config or arguments do not fit, which is not stored; `undefined` if they fit. At once, unless a schema is asynchronous. */
export function refusalOf(run: CallContext): MaybePromise<ErrorResult | undefined> {
  const configError = configure(run);
  return configError instanceof Promise
    ? configError.then((error) => error ?? argumentsErrorOf(run))
    : configError ?? argumentsErrorOf(run);
}

function argumentsErrorOf(
  { definition: { input }, request: { args } }: CallContext,
): MaybePromise<ErrorResult | undefined> {
  const errorOf = (checked: SchemaResult | undefined) =>
    checked?.issues && invalidArguments(formatIssues(checked.issues, args));
  const checked = input?.validate(args);
  return checked instanceof Promise ? checked.then(errorOf) : errorOf(checked);
}
