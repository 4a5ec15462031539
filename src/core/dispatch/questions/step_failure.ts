/** Errors of steps that have failed finally, as they are stored, and as each later run throws them. */
import type { StepFailure } from "../engine.ts";
import { isToolErrorCode } from "../../errors/code.ts";
import { Failure } from "../../errors/failure.ts";
import { isMistake, mistake } from "../../errors/mistake.ts";
import { ToolError } from "../../errors/tool_error.ts";
import { isJsonObject, type Json } from "../../../internal/json.ts";
import { shorten } from "../../../internal/text.ts";

/** Largest message and data that are stored of an error, in UTF-16 code units. */
const MAX_MESSAGE = 2_000;
const MAX_DATA = 16_384;

/** Classes of errors that are restored as such. Others are `Error`s with the name of their class. */
const BUILT_IN = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const;

/** A step that has failed finally, whose error a handler has thrown. */
export interface FailedStep {
  readonly key: string;
  readonly tries: number;
}

const FAILED = new WeakMap<object, FailedStep>();

/** The step whose final error was thrown; `undefined` for any other value. */
export function failedStepOf(thrown: unknown): FailedStep | undefined {
  return typeof thrown === "object" && thrown !== null ? FAILED.get(thrown) : undefined;
}

/** What is stored of the error of a step that is not tried again. */
export function toStepFailure(thrown: unknown, tries: number): StepFailure {
  const { message, ...stored } = readSafely(thrown);
  return { ...stored, message: shorten(message, MAX_MESSAGE), tries };
}

/** A proxy, or a getter, may throw. */
function readSafely(thrown: unknown): Omit<StepFailure, "tries"> {
  try {
    return read(thrown);
  } catch {
    return { kind: "thrown", name: "Error", message: "An error that cannot be read" };
  }
}

function read(thrown: unknown): Omit<StepFailure, "tries"> {
  if (thrown instanceof Failure) {
    return { kind: "failure", code: thrown.code, message: String(thrown.message), ...dataOf(thrown.data) };
  }
  if (thrown instanceof ToolError) {
    return { kind: "error", code: thrown.code, message: String(thrown.message), ...dataOf(thrown.details) };
  }
  if (!(thrown instanceof Error)) return { kind: "thrown", name: "Error", message: String(thrown) };
  return {
    // A subclass may have a message that is a number.
    ...{ kind: "thrown", name: String(thrown.name), message: String(thrown.message) },
    // Members such as `code` and `status`, which handlers look at.
    ...dataOf(Object.fromEntries(Object.entries(thrown).filter(isKeptMember))),
    ...(isMistake(thrown) && { isMistake: true }),
  };
}

/** Members of other errors that are stored. Others may have secrets, such as the URL or the headers of a request. */
const KEPT_MEMBERS: ReadonlySet<string> = new Set(["code", "errno", "status", "statusCode", "syscall"]);

function isKeptMember([name, value]: [string, unknown]): boolean {
  return KEPT_MEMBERS.has(name) && (typeof value === "string" || typeof value === "number");
}

function dataOf(value: unknown): { readonly data?: Json } {
  const text = toText(value);
  return text === undefined || text === "{}" || text.length > MAX_DATA ? {} : { data: JSON.parse(text) };
}

/** JSON of data; `undefined` for data that has none. */
function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/**
 * The error that the handler gets for a step that has failed finally: the same in the run in which it failed and in each later one, so
 * that `catch` takes the same way.
 *
 * @param cause The error itself, for logs; absent in later runs.
 */
export function restoreStepError(key: string, stored: StepFailure, cause?: unknown): Error {
  const error = restore(stored, cause);
  FAILED.set(error, { key, tries: stored.tries });
  return stored.isMistake ? mistake(error) : error;
}

function restore({ kind, code = "", name = "Error", message, data }: StepFailure, cause: unknown): Error {
  if (kind === "failure") return new Failure(code, message, data);
  const options = cause === undefined ? {} : { cause };
  if (kind === "error" && isToolErrorCode(code)) return new ToolError(code, message, { ...options, details: data });
  const Kind = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name as keyof typeof BUILT_IN] : Error;
  const error = new Kind(message, options);
  if (isJsonObject(data)) Object.assign(error, data);
  return error.name === name ? error : Object.defineProperty(error, "name", { value: name, configurable: true });
}
