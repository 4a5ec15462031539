import { describeReceived, shorten } from "../../internal/text.ts";
import type { SchemaIssue } from "./standard_schema.ts";

/** One thing that is wrong with a caller's input, as it is sent to the caller. */
export interface InputIssue {
  /** Where, from the root of the arguments: `["filters", 0, "name"]`. */
  readonly path: readonly (string | number)[];
  /** What the schema expected there. */
  readonly expected: string;
  /** What was there, shortened. */
  readonly received: string;
  /** The sentence of the validation library. */
  readonly message: string;
}

/** Most issues that are sent: a hostile input may have a million. */
const MAX_ISSUES = 20;

/** Longest sentence that is sent back: libraries quote the whole value. */
const MAX_MESSAGE = 200;

/** Words a library's issues for the caller. `input` is what was checked. */
export function formatIssues(issues: readonly SchemaIssue[], input: unknown): InputIssue[] {
  return issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = (issue.path ?? []).map(segmentKey);
    const value = valueAt(input, path);
    // Of a missing member valibot says that it expected the member's name.
    if (value === undefined && issue.expected === `"${path.at(-1)}"`) {
      return { path, expected: "a value", received: "nothing", message: `"${path.at(-1)}" is required` };
    }
    const message = shorten(issue.message, MAX_MESSAGE);
    const expected = typeof issue.expected === "string" ? shorten(issue.expected, MAX_MESSAGE) : message;
    return { path, expected, received: describeReceived(value), message };
  });
}

/** Where a library found issues, and what it expected there: nothing of the value itself, which may be a secret. */
export function locateIssues(issues: readonly SchemaIssue[]): Pick<InputIssue, "path" | "expected">[] {
  return issues.slice(0, MAX_ISSUES).map(({ path = [], expected }) => ({
    path: path.map(segmentKey),
    // The sentence of a library that does not say what it expected may quote what was there.
    expected: typeof expected === "string" ? shorten(expected, MAX_MESSAGE) : "what its schema says",
  }));
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
