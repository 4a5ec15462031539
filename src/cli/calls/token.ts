/** Promise tokens on the command line. */
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { takeTarget } from "../targets/target.ts";
import type { Target } from "../targets/target.ts";
import { readInput } from "../terminal/read_input.ts";

/** Splits the words of a command into target and token. The token `-` is that of standard input. */
export async function takeToken(
  words: readonly string[],
  context: CliContext,
): Promise<{ readonly target: Target; readonly token: string }> {
  const { target, rest: [word, ...others] } = takeTarget(words, context);
  if (others.length > 0) throw new CliError(EXIT.usage, `There is one argument too many: ${JSON.stringify(others[0])}`);
  const token = word === "-" ? (await readInput(context.host)).trim() : word;
  if (token === undefined || token === "") {
    throw new CliError(EXIT.usage, "The promise token is missing", { hint: "toolwire call … --detach prints it" });
  }
  return { target, token };
}
