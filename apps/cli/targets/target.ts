/** Targets: how a server is named on the command line. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

/** A parsed target of the command line. Nothing has been opened. */
export type Target =
  | { readonly kind: "module"; readonly file: string; readonly exportName: string | undefined }
  | { readonly kind: "url"; readonly url: URL }
  | { readonly kind: "grpc"; readonly address: string }
  | { readonly kind: "program"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "recording"; readonly file: string }
  | { readonly kind: "configured"; readonly host: string | undefined; readonly name: string };

/** The forms that a target may have, for hints of errors. */
export const TARGET_FORMS: string =
  'a module (./server.ts), a URL (https://…), grpc://host:port, "stdio:program arguments", a name in a host\'s configuration ' +
  "(cursor:weather), or a program at the end (-- npx -y some-server)";

const MODULE = /\.[cm]?[jt]sx?(#[\w$]+)?$/;

/** An address without scheme: `localhost:8000/mcp`. */
const ADDRESS = /^(localhost|\[[\da-f:]+\]|[\w-]+(\.[\w-]+)*):\d{1,5}(\/.*)?$/i;

/**
 * Parses a target of the command line. A word that is not a module, a file, a URL or an address is a name in a host's configuration.
 *
 * @param cwd Working directory, for modules without a file extension.
 * @throws {CliError} If it has none of the forms.
 */
export function parseTarget(text: string, cwd: string): Target {
  if (text.startsWith("stdio:")) return parseProgram(splitWords(text.slice("stdio:".length)));
  if (text.startsWith("record:")) return { kind: "recording", file: text.slice("record:".length) };
  assertPort(text);
  if (/^grpcs?:\/\//i.test(text)) return { kind: "grpc", address: text.replace(/^grpc/i, "http") };
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return parseUrl(text);
  if (MODULE.test(text) || /^\.{0,2}\//.test(text) || isFile(resolve(cwd, text))) return parseModule(text);
  if (ADDRESS.test(text)) return parseUrl(`http://${text}`);
  const [, host, name = ""] = /^(?:([\w-]+):)?([^:]+)$/.exec(text) ?? [];
  if (name !== "") return { kind: "configured", host, name };
  throw new CliError(EXIT.usage, `${JSON.stringify(text)} is not a target`, { hint: `A target is ${TARGET_FORMS}` });
}

/** Whether a path is that of a file. A folder is not a target, and must not hide a name in a host's configuration. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Makes a target of the words of a program: its command and arguments. @throws {CliError} If the command is missing. */
export function parseProgram([command, ...args]: readonly string[]): Target {
  if (command !== undefined && command !== "") return { kind: "program", command, args };
  throw new CliError(EXIT.usage, "The program is missing", {
    hint: 'Write it as "stdio:npx -y some-server", or last: -- npx -y some-server',
  });
}

function assertPort(text: string): void {
  const [, port] = /^(?:[a-z][a-z\d+.-]*:\/\/)?(?:[\w.-]+|\[[\da-f:]+\]):(\d+)(?:[/?#]|$)/i.exec(text) ?? [];
  if (port === undefined || Number(port) < 65_536) return;
  throw new CliError(EXIT.usage, `The port ${port} of ${JSON.stringify(text)} is above 65535`);
}

function parseUrl(text: string): Target {
  if (/^(https?|wss?):/i.test(text) && URL.canParse(text)) return { kind: "url", url: new URL(text) };
  throw new CliError(
    EXIT.usage,
    `${JSON.stringify(text)} is not a URL that begins with http://, https://, ws:// or wss://`,
  );
}

function parseModule(text: string): Target {
  const [, file = text, exportName] = /^(.*?)(?:#([\w$]+))?$/s.exec(text) ?? [];
  return { kind: "module", file, exportName };
}

/** Splits the target off the words of a command: the first word. With a program after `--`, that is the target, and all words are left. */
export function takeTarget(
  words: readonly string[],
  { program, host }: { readonly program: readonly string[] | undefined; readonly host: { readonly cwd: string } },
): { readonly target: Target; readonly rest: readonly string[] } {
  if (program !== undefined) return { target: parseProgram(program), rest: words };
  const [first, ...rest] = words;
  if (first !== undefined) return { target: parseTarget(first, host.cwd), rest };
  throw new CliError(EXIT.usage, "The target is missing", { hint: `A target is ${TARGET_FORMS}` });
}

const WORD = /((?:[^\s"'\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)|(\S)/gs;

/**
 * Splits a command line as a POSIX shell does, without expansions: quotes and backslashes.
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
