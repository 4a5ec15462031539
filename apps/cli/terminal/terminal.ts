/**
 * Output of a command: the answer goes to standard output, and everything for people to standard error.
 *
 * Text of a server, a file or a user is foreign: `printable()` keeps its control characters out of the terminal.
 */
import { styleText } from "node:util";
import { escapeControls } from "../../../src/internal/text.ts";
import type { CliProcess, OutputStream } from "./process.ts";
import { StatusLine } from "./status_line.ts";

/** A colour or a style of `styleText()` of `node:util`: `"red"`, `"dim"`. */
export type TextStyle = Parameters<typeof styleText>[0];

/** Width of a terminal that does not state it, in columns. */
const DEFAULT_COLUMNS = 80;

/** Output of a command: answers to standard output, lines for people to standard error. Each write hides the status line first. */
export class Terminal {
  /** Whether a person can be asked: standard input and standard error are terminals, and `CI` is not `true`. */
  readonly isInteractive: boolean;
  /** One line of status on standard error. */
  readonly status: StatusLine;
  readonly #process: CliProcess;

  constructor(process: CliProcess) {
    const { stdin, stderr } = process;
    this.#process = process;
    this.isInteractive = stdin.isTTY === true && stderr.isTTY === true && process.env["CI"] !== "true";
    this.status = new StatusLine(stderr);
  }

  /** Width of standard output, in columns. Unlimited if it is not a terminal. */
  get columns(): number {
    const { isTTY, columns = DEFAULT_COLUMNS } = this.#process.stdout;
    return isTTY === true ? columns : Infinity;
  }

  /** Whether standard output is a terminal. */
  get isOutputTerminal(): boolean {
    return this.#process.stdout.isTTY === true;
  }

  /** Writes text to standard output, without a line break. */
  write(text: string): void {
    this.status.hide();
    this.#process.stdout.write(text);
  }

  /** Writes a line to standard output. */
  print(line: string): void {
    this.write(`${line}\n`);
  }

  /** Writes one line of JSON to standard output, for `--json`. It contains no control characters. */
  printJson(value: unknown): void {
    this.print(escapeControls(JSON.stringify(value) ?? "null"));
  }

  /** Writes a line for people to standard error. */
  note(line: string): void {
    this.status.hide();
    this.#process.stderr.write(`${line}\n`);
  }

  /** Styles text for standard output. Plain if that is not a terminal, or with `NO_COLOR`. */
  style(format: TextStyle, text: string): string {
    return this.#style(format, text, this.#process.stdout);
  }

  /** Styles text for standard error. */
  styleNote(format: TextStyle, text: string): string {
    return this.#style(format, text, this.#process.stderr);
  }

  /** Foreign text for standard output: escaped on a terminal, unchanged in a file or a pipe. */
  foreign(text: string): string {
    return this.isOutputTerminal ? printable(text) : text;
  }

  #style(format: TextStyle, text: string, { isTTY }: OutputStream): string {
    const { NO_COLOR, TERM } = this.#process.env;
    const isPlain = isTTY !== true || (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb";
    return isPlain ? text : styleText(format, text, { validateStream: false });
  }
}

/** Escapes control and invisible format characters of foreign text as `\uXXXX`, except line breaks and tabs. */
export function printable(text: string): string {
  return text.split("\t").map(escapeControls).join("\t");
}

/** Foreign text as one line: white space becomes single spaces, control characters are escaped. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, " ").trim());
}
