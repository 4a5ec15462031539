/** Errors of programs, for the models that wrote them. */
import { Failure } from "../../core/errors/failure.ts";
import type { GuestError } from "../../sandbox/executor.ts";

/** What a model reads of a program that failed. */
export interface ProgramProblem {
  /** `syntax`: it is not JavaScript; `type`: a value is not what the program takes it for; `runtime`: it threw; `limit`: it exceeded a limit. */
  readonly kind: "syntax" | "type" | "runtime" | "limit";
  /** What is wrong. */
  readonly message: string;
  /** Line of the program, from 1. */
  readonly line?: number;
  /** The line, with those around it. */
  readonly excerpt?: string;
  /** The call that failed. */
  readonly call?: { readonly tool: string; readonly code: string; readonly data?: unknown };
  /** Calls that the program has made, in their order. */
  readonly calls: readonly string[];
  /** What `console.log` wrote before. */
  readonly log?: string;
  /** What to do, such as the declaration of the tool. */
  readonly hint?: string;
}

/** Names of errors that are those of a type. */
const TYPE_ERRORS: ReadonlySet<string> = new Set(["TypeError", "ReferenceError"]);

/** A line that begins as those of a module. */
const MODULE_SYNTAX = /^\s*(?:im|ex)port\b/m;

/** Number of lines before and after the line of an error. */
const LINES_AROUND = 1;
const MAX_LINE = 160;
const MAX_CALLS = 20;

/** A call of a program that failed, as its errors name it. */
export interface FailedCall {
  readonly tool: string;
  readonly code: string;
  readonly message: string;
  readonly data?: unknown;
}

/** What is known of a program that failed. */
export interface ProgramFacts {
  readonly source: string;
  /** Names of the tools that were called, in order. */
  readonly calls: readonly string[];
  /** What the program wrote. */
  readonly logs: readonly string[];
  /** The failed call that ended the program. */
  readonly failed?: FailedCall | undefined;
  /** Declaration of a tool, for the hint; `undefined` if the caller may not call it. */
  declarationOf(tool: string): string | undefined;
}

/** The failure `program` of a program that did not end with a value. */
export function programFailure(error: GuestError, facts: ProgramFacts): Failure {
  const { failed, source, calls, logs } = facts;
  const line = lineOf(error.stack);
  const kind = kindOf(error, failed);
  const named = TYPE_ERRORS.has(error.name) || error.name === "Error" || error.name === "ToolError";
  const text = named || kind !== "runtime" ? error.message : `${error.name}: ${error.message}`;
  const message = failed === undefined ? text : `${failed.tool} failed with ${failed.code}: ${failed.message}`;
  const hint = hintFor(error, kind, line, facts);
  const problem: ProgramProblem = {
    kind,
    message,
    ...(line !== undefined && { line, excerpt: excerptOf(source, line) }),
    ...(failed !== undefined && { call: callOf(failed) }),
    calls: calls.length > MAX_CALLS ? [...calls.slice(0, MAX_CALLS), `… ${calls.length - MAX_CALLS} more`] : calls,
    ...(logs.length > 0 && { log: logs.join("\n") }),
    ...(hint !== undefined && { hint }),
  };
  const where = line === undefined ? "" : `, line ${line}`;
  return new Failure<string, unknown>("program", `The program failed${where}: ${message}`, problem) as Failure;
}

function callOf({ tool, code, data }: FailedCall): NonNullable<ProgramProblem["call"]> {
  return { tool, code, ...(data !== undefined && { data }) };
}

function kindOf({ kind, name }: GuestError, failed: FailedCall | undefined): ProgramProblem["kind"] {
  if (kind === "syntax" || kind === "limit") return kind;
  if (failed !== undefined) return failed.code === "invalid_input" ? "type" : "runtime";
  return TYPE_ERRORS.has(name) ? "type" : "runtime";
}

/** The first line of the program in a stack. */
function lineOf(stack: string): number | undefined {
  const found = /program\.js:(\d+)/.exec(stack);
  return found === null ? undefined : Number(found[1]);
}

function excerptOf(source: string, line: number): string {
  const lines = source.split("\n");
  const from = Math.max(1, line - LINES_AROUND);
  const to = Math.min(lines.length, line + LINES_AROUND);
  const shown: string[] = [];
  for (let at = from; at <= to; at++) {
    const text = lines[at - 1] ?? "";
    const cut = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
    shown.push(`${at === line ? ">" : " "} ${at} | ${cut}`);
  }
  return shown.join("\n");
}

function hintFor(
  error: GuestError,
  kind: ProgramProblem["kind"],
  line: number | undefined,
  { source, failed, declarationOf }: ProgramFacts,
): string | undefined {
  if (kind === "syntax") return syntaxHint(source, line);
  if (error.kind === "open") return "Write await before each call, or await Promise.all([…])";
  if (failed !== undefined && kind !== "type") return undefined;
  const tool = failed?.tool ?? nearestTool(source, line);
  const declaration = tool === undefined ? undefined : declarationOf(tool);
  if (kind === "type" && declaration !== undefined) return declaration;
  return globalHint(error);
}

function syntaxHint(source: string, line: number | undefined): string | undefined {
  const text = line === undefined ? source : source.split("\n")[line - 1] ?? "";
  if (MODULE_SYNTAX.test(source)) return "There are no modules: tools is there already";
  if (
    /\b(interface|type)\s+\w+|:\s*(string|number|boolean|any|unknown|void|Record|Array|Promise)\b|\bas\s+\w+/.test(text)
  ) {
    return "Programs are JavaScript: leave the types out";
  }
  return undefined;
}

function globalHint({ name, message }: GuestError): string | undefined {
  if (name !== "ReferenceError") return undefined;
  if (/\b(fetch|require|process|XMLHttpRequest|Deno|Bun)\b/.test(message)) {
    return "A program has no network, no modules and no files: it has tools, console.log and sleep(ms)";
  }
  if (/\b(setTimeout|setInterval|setImmediate)\b/.test(message)) return "There are no timers: await sleep(ms)";
  return undefined;
}

/** The tool that is called on a line of a program, or on the nearest one before it. */
function nearestTool(source: string, line: number | undefined): string | undefined {
  const lines = source.split("\n");
  for (let at = Math.min(line ?? lines.length, lines.length); at >= 1; at--) {
    const found = /\btools(?:\.([A-Za-z_$][\w$]*)|\[\s*["'`]([^"'`]+)["'`]\s*\])/.exec(lines[at - 1] ?? "");
    if (found !== null) return found[1] ?? found[2];
  }
  return undefined;
}
