/**
 * Loggers that write lines of text: for a terminal, or as JSON for a log collector. Both also write a line for each call.
 *
 * @module
 */
import type { LogLevel } from "../../../core/call/outcome.ts";
import { isToolErrorCode } from "../../../core/errors/code.ts";
import type { CallLogger } from "../../../core/handler/middleware.ts";
import { BOOLEAN, checkOptions, FUNCTION, LINE_LEVELS, oneOf, type OptionRules } from "../../../internal/options.ts";
import { escapeControls, escapeLine } from "../../../internal/text.ts";
import { logging } from "../logging.ts";

/** Options of {@link json}, and of {@link pretty}. */
export interface LineLoggerOptions {
  /** Lowest level that is written. Default: `"info"`. */
  readonly level?: LogLevel | undefined;
  /** Receives each line, without a line break at its end. Default: `console.error`, so that standard output stays free. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Options of {@link pretty}. */
export interface PrettyOptions extends LineLoggerOptions {
  /** Whether lines have colours. Default: if standard error is a terminal, and the environment has no `NO_COLOR`. */
  readonly colors?: boolean | undefined;
}

const RULES: OptionRules<LineLoggerOptions> = { level: oneOf(...LINE_LEVELS), write: FUNCTION };

/** One line before it is formatted. */
interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Creates a logger for people: one line for each call, with time, tool, wire, status and milliseconds, and a line for each message,
 * with the stack of its error. The first line with a code of an error has the section of the documentation that explains it. Control
 * characters are escaped. Arguments and answers are not logged.
 *
 * @example One line for each call
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { pretty } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { match } from "node:assert/strict";
 *
 * const lines: string[] = [];
 * const logger = pretty({ write: (line) => lines.push(line), colors: false }); // most servers need pretty() alone
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * await testClient(createServer({ tools: [ping], logger })).ping();
 * match(lines.join("\n"), /^\d\d:\d\d:\d\d\.\d{3} ping memory answer [\d.]+ ms$/);
 * ```
 * @throws {TypeError} If an option is invalid or unknown.
 */
export function pretty(options: PrettyOptions = {}): CallLogger {
  checkOptions<PrettyOptions>("create a logger", options, { ...RULES, colors: BOOLEAN });
  const paint = options.colors ?? hasColors() ? withColor : withoutColor;
  const explained = new Set<string>();
  return lineLogger(options, (entry) => formatPretty(entry, paint) + explain(entry, explained, paint));
}

/**
 * Creates a logger for log collectors: each line is a JSON object with `time` (RFC 3339), `level`, `message`, and the fields of the
 * line. The line of a call has the message `Called` and the fields `tool`, `callId`, `wire`, `outcome` and `tookMs`; if they apply, also
 * `principal`, `code` and `attempt` (from 2). An error is an object with `name`, `message` and `stack`.
 *
 * @throws {TypeError} If an option is invalid or unknown.
 */
export function json(options: LineLoggerOptions = {}): CallLogger {
  checkOptions("create a logger", options, RULES);
  return lineLogger(options, formatJson);
}

function lineLogger(options: LineLoggerOptions, format: (entry: Entry) => string): CallLogger {
  const { level: least = "info", write = (line) => console.error("%s", line) } = options;
  const at = (level: LogLevel) => (message: string, fields: Entry["fields"] = {}): void => {
    if (LINE_LEVELS.indexOf(level) >= LINE_LEVELS.indexOf(least)) write(format({ level, message, fields }));
  };
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { ...logger, calls: logging({ logger }) };
}

function formatJson({ level, message, fields }: Entry): string {
  const head = { time: new Date().toISOString(), level, message };
  // Fields keep their place after the head, and do not replace its members.
  const members = Object.entries({ ...head, ...fields, ...head }).filter(([, value]) => value !== undefined);
  return escapeControls(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${encodeValue(value)}`).join()}}`);
}

/** Encodes a value as JSON. A value that is not JSON is replaced by a text, such as `"function"`. */
function encodeValue(value: unknown): string {
  try {
    return JSON.stringify(value, encodeField) ?? JSON.stringify(typeof value);
  } catch (thrown) {
    return JSON.stringify(`Not JSON: ${String(thrown)}`);
  }
}

/** A replacer of `JSON.stringify`. Reads the value before its `toJSON`, which could show requests with their credentials. */
function encodeField(this: unknown, name: string, value: unknown): unknown {
  const { [name]: original } = this as Readonly<Record<string, unknown>>;
  if (typeof original === "bigint") return String(original);
  if (!(original instanceof Error)) return value;
  return { name: original.name, message: original.message, stack: formatError(original) };
}

type Color = "dim" | "green" | "yellow" | "red";
/** Adds the codes of a colour to text, or none if the output is not a terminal. */
type Paint = (color: Color, text: string) => string;

/** Codes of ANSI escape sequences. */
const COLORS: Readonly<Record<Color, number>> = { dim: 2, green: 32, yellow: 33, red: 31 };

const withColor: Paint = (color, text) => `\x1b[${COLORS[color]}m${text}\x1b[0m`;
const withoutColor: Paint = (_, text) => text;

function formatPretty({ level, message, fields: { error, ...fields } }: Entry, paint: Paint): string {
  const now = new Date();
  const time = `${now.toTimeString().slice(0, 8)}.${String(now.getMilliseconds()).padStart(3, "0")}`;
  const members = Object.entries(fields).map(([name, value]) => `${name}=${encodeValue(value)}`);
  const text = message === "Called" || message === "Call refused"
    ? formatCall(level, fields, paint)
    : `${formatLevel(level, paint)} ${escapeLine([message, ...members].join(" "))}`;
  const stack = error === undefined ? "" : `\n${formatError(error).replace(/^/gm, "    ")}`;
  return `${paint("dim", time)} ${text}${escapeControls(stack)}`;
}

/** Status is the outcome, with the code of a failure or an error. */
function formatCall(level: LogLevel, fields: Entry["fields"], paint: Paint): string {
  const { tool, wire, outcome, code, tookMs, principal } = fields;
  const color = level === "error" ? "red" : outcome === "answer" || outcome === "promise" ? "green" : "yellow";
  const status = paint(color, escapeLine([outcome, code].filter((part) => part !== undefined).join(" ")));
  const took = typeof tookMs === "number" ? [`${Number(tookMs.toFixed(1))} ms`] : ["refused"];
  const caller = principal === undefined ? [] : [`by ${escapeLine(String(principal))}`];
  return [escapeLine(String(tool)), escapeLine(String(wire)), status, ...took, ...caller].join(" ");
}

/** Where the documentation explains the code of an error, with the first line that has the code. */
function explain({ fields: { outcome, code } }: Entry, explained: Set<string>, paint: Paint): string {
  if (outcome !== "error" || typeof code !== "string" || !isToolErrorCode(code) || explained.has(code)) return "";
  explained.add(code);
  return paint("dim", ` docs/errors.md#${code}`);
}

function formatLevel(level: LogLevel, paint: Paint): string {
  const color = level === "error" ? "red" : level === "warn" ? "yellow" : "dim";
  return paint(color, level.toUpperCase());
}

/** Maximum number of causes that are shown of an error. */
const MAX_CAUSES = 5;

/** The stack of an error and of its causes. */
function formatError(error: unknown): string {
  const texts: string[] = [];
  for (let next = error; next !== undefined && texts.length <= MAX_CAUSES;) {
    if (!(next instanceof Error)) {
      texts.push(typeof next === "string" ? next : encodeValue(next));
      break;
    }
    // Some engines leave the message out of the stack.
    const title = String(next);
    const { stack = title } = next;
    texts.push(stack.includes(title) ? stack : `${title}\n${stack}`);
    next = next.cause;
  }
  return texts.join("\ncaused by: ");
}

/** Without access to the environment on Deno, where it needs a permission. */
function hasColors(): boolean {
  const { Deno: deno, process } = globalThis as unknown as {
    readonly Deno?: { readonly noColor: boolean; readonly stderr: { isTerminal(): boolean } };
    readonly process?: {
      readonly stderr?: { readonly isTTY?: boolean };
      readonly env?: { readonly NO_COLOR?: string };
    };
  };
  if (deno !== undefined) return !deno.noColor && deno.stderr.isTerminal();
  return process?.stderr?.isTTY === true && !process.env?.NO_COLOR;
}
