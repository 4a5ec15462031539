/**
 * Vocabulary of the REST wire: media types, headers and the types of problem documents.
 *
 * Source: {@link https://www.rfc-editor.org/rfc/rfc9457 | RFC 9457}.
 *
 * @module
 */

/** Media type of errors, failures and questions. */
export const PROBLEM_TYPE = "application/problem+json";

/**
 * Media type of calls and answers with metadata: `{ "arguments": …, "_meta": … }` in a request, `{ "content": …, "_meta": … }` in
 * a response. `_meta` has the members of MCP-lite.
 */
export const ENVELOPE_TYPE = "application/vnd.toolwire+json";

/** Header of the idempotency key of a call, as a string of RFC 9651 or as plain text. */
export const KEY_HEADER = "idempotency-key";

/** Header of the caller's time limit, in milliseconds. */
export const DEADLINE_HEADER = "toolwire-deadline-ms";

/** Kind of the result that a problem document describes. The `type` of the document is `urn:toolwire:<kind>:<code>`. */
export type ProblemKind = "error" | "failure" | "question";

/** Returns the `type` of a problem. The code of a failure is any text, so it is percent-encoded. */
export function problemType(kind: ProblemKind, code: string): string {
  return `urn:toolwire:${kind}:${encodeURIComponent(code.toWellFormed())}`;
}

/** Returns the kind of a problem by its `type`; `undefined` for the problem of another server. */
export function problemKind(type: unknown): ProblemKind | undefined {
  const [, kind] = /^urn:toolwire:(error|failure|question):/.exec(String(type)) ?? [];
  return kind as ProblemKind | undefined;
}
