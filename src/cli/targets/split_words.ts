/** Splits a command line as a POSIX shell does, without expansions: quotes and backslashes. */
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

const WORD = /((?:[^\s"'\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)|(\S)/gs;

/**
 * Returns the words of a command line.
 *
 * @throws {CliError} If a quote is not closed.
 */
export function splitWords(line: string): readonly string[] {
  return Array.from(line.matchAll(WORD), ([, word, stray]) => {
    if (word !== undefined) return unquote(word);
    throw new CliError(EXIT.usage, `A quote ${stray} in ${JSON.stringify(line)} is not closed`);
  });
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_, single, double, escaped) => {
    return single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped;
  });
}
