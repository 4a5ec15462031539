import { describeReceived, shorten } from "../../internal/text.ts";
import type { SchemaIssue } from "./standard_schema.ts";

/** An issue of a caller's input, as sent to the caller. */
export interface InputIssue {
  /** Path from the root of the arguments: `["filters", 0, "name"]`. */
  readonly path: readonly (string | number)[];
  /** Expected value. */
  readonly expected: string;
  /** Received value, shortened. */
  readonly received: string;
  /** Message of the validation library. */
  readonly message: string;
}

/** Maximum number of issues to send. A hostile input may have a million. */
const MAX_ISSUES = 20;

/** Maximum length of a message to send. Libraries quote whole values. */
const MAX_MESSAGE = 200;

/** Converts issues of a library for the caller: the first 20, with the expected and the received value, all shortened. */
export function formatIssues(issues: readonly SchemaIssue[], input: unknown): InputIssue[] {
  return firstOf(issues).map((issue) => {
    const path = Array.from(issue.path ?? [], segmentKey);
    const value = valueAt(input, path);
    // For a missing member valibot reports its name as the expected value.
    if (value === undefined && issue.expected === `"${path.at(-1)}"`) {
      return { path, expected: "a value", received: "nothing", message: `"${path.at(-1)}" is required` };
    }
    const message = shorten(issue.message, MAX_MESSAGE);
    const expected = typeof issue.expected === "string" ? shorten(issue.expected, MAX_MESSAGE) : message;
    return { path, expected, received: describeReceived(value), message };
  });
}

/** Returns paths and expectations of the first 20 issues, without values and messages, which may contain secrets. */
export function locateIssues(issues: readonly SchemaIssue[]): Pick<InputIssue, "path" | "expected">[] {
  return firstOf(issues).map(({ path = [], expected }) => ({
    path: Array.from(path, segmentKey),
    // A message without an expectation may quote the value.
    expected: typeof expected === "string" ? shorten(expected, MAX_MESSAGE) : "what its schema says",
  }));
}

/** The issues to send, and their paths, as plain arrays: those of ArkType are of classes, whose `slice` and `map` keep the class. */
function firstOf(issues: readonly SchemaIssue[]): readonly SchemaIssue[] {
  const first: SchemaIssue[] = [];
  for (const issue of issues) if (first.push(issue) === MAX_ISSUES) break;
  return first;
}

function segmentKey(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
