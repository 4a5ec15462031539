/** What `pack` and `publish` share: environment variables that the user of a server sets, and problems of a package. */
import { type PackageVariable, PackagingError } from "../../../src/integrations/packaging/package_manifest.ts";
import type { FlagParametersForType } from "@stricli/core";
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";

/** Flags that name variables of the environment of a packaged server. */
interface VariableFlags {
  readonly env?: readonly string[];
}

/** Definition of the flag `--env` of `pack` and `publish`, for the parser. It checks the form `NAME` or `NAME=default`. */
export const VARIABLE_FLAG: FlagParametersForType<VariableFlags, CliContext>["env"] = {
  kind: "parsed",
  parse: checkVariable,
  optional: true,
  variadic: true,
  placeholder: "NAME=default",
  brief: "Environment variable that users set; without a default it is a required secret",
};

function checkVariable(text: string): string {
  if (/^[A-Za-z_]\w*(=|$)/.test(text)) return text;
  throw new TypeError("a variable is written NAME, or NAME=default");
}

/** Splits a value of `--env` into name and default: `LEVEL=info`. Without a default, as in `API_KEY`, users must set it. */
export function parsePackageVariable(text: string): PackageVariable {
  const at = text.indexOf("=");
  return at < 0 ? { name: text } : { name: text.slice(0, at), default: text.slice(at + 1) };
}

/** Values with which a command itself starts the server: those of this environment, else the defaults, else the text `unset`. */
export function variableEnv(
  variables: readonly PackageVariable[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(variables.map(({ name, default: given }) => [name, env[name] ?? given ?? "unset"]));
}

/** Throws the problems of a `PackagingError` as a `CliError` with exit code 1: one a line. Other causes are thrown as they are. */
export function throwPackaging(cause: unknown): never {
  if (!(cause instanceof PackagingError)) throw cause;
  const [first = "", ...others] = cause.problems;
  const action = cause.message.slice(0, cause.message.indexOf(`: ${first}`));
  throw new CliError(EXIT.found, `${action}: ${first}`, {
    code: "packaging",
    hint: others.join("\n") || undefined,
    cause,
  });
}
