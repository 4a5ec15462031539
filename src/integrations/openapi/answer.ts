/**
 * Maps an API's response to a value, a failure or an error.
 *
 * @module
 */
import { addRetryAfter } from "../../http_client/read.ts";
import { errorResult } from "../../core/call/outcome.ts";
import { Failure } from "../../core/errors/failure.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import { shorten } from "../../internal/text.ts";
import { nestsDeeperThan } from "../../internal/json.ts";
import { isJsonType } from "./input.ts";

/** Maximum length of an error's body in messages, in UTF-16 code units. */
const MAX_EXCERPT = 1_000;

/** Maximum nesting of a response. */
const MAX_DEPTH = 512;

/**
 * Reads the value of a response.
 *
 * @param what Names the operation: `GET /pets/{id}`.
 * @param isTyped Whether the document declares JSON.
 * @throws {Failure} If the API refuses the request, or the response is not what the document declares.
 * @throws {ToolError} If the API is busy or fails.
 */
export function readAnswer({ status, headers }: Response, text: string, what: string, isTyped: boolean): unknown {
  if (status < 200 || status > 299) throw errorOf(status, headers, text, what);
  const isJson = isJsonType(headers.get("content-type") ?? "");
  if (isJson && text.trim() !== "") return parseAnswer(text, status, what);
  if (isTyped) throw unexpected(text, status, `${what} answered what is not JSON`);
  return text === "" ? null : text;
}

function parseAnswer(text: string, status: number, what: string): unknown {
  if (nestsDeeperThan(text, MAX_DEPTH)) throw unexpected(text, status, `${what} answered what nests too deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(text, status, `${what} answered what is no JSON`);
  }
}

function unexpected(text: string, status: number, message: string): Failure {
  return new Failure("unexpected_answer", message, { status, body: shorten(text, MAX_EXCERPT) });
}

/** Failure codes by status; other statuses of 400 to 499 are `rejected`. */
const FAILURES: ReadonlyMap<number, readonly [code: string, hint: string]> = new Map([
  [401, ["upstream_unauthenticated", "the server's own credentials for it are missing or wrong"]],
  [403, ["upstream_forbidden", "the server's own credentials for it do not allow this"]],
  [404, ["not_found", "there is no such thing; check what names it"]],
  [409, ["conflict", "what is there stands against it; look at it first"]],
  [410, ["not_found", "it is there no longer"]],
]);

function errorOf(status: number, headers: Headers, text: string, what: string): Error {
  const message = `${what} answered ${status}`;
  if (status === 429 || status >= 500) {
    const code = status === 429 ? "rate_limited" : "unavailable";
    const { data } = addRetryAfter(errorResult(code, message, { status }), headers);
    return new ToolError(code, `${message}: try again later`, { details: data });
  }
  if (status < 400) return new Failure("redirected", `${message}: redirects are not followed`, { status });
  const [code, hint] = FAILURES.get(status) ?? ["rejected", "mend the arguments by what its body says"];
  // The response is withheld: some APIs quote the credentials of the request.
  if (status === 401 || status === 403) return new Failure(code, `${message}: ${hint}`, { status });
  return new Failure(code, `${message}: ${hint}`, { status, body: shorten(text, MAX_EXCERPT) });
}
