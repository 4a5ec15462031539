/** Requests and replies of the console's API. */
import type { ErrorResult } from "../core/call/outcome.ts";
import type { MaybeFuture } from "../internal/future.ts";
import { isJsonObject, type Members } from "../internal/json.ts";
import { JSON_HEADERS } from "../wires/framing/http.ts";
import type { Head, Reply } from "../wires/wire.ts";

/** Answers requests to one path of the console's API. `input` is the JSON object of the body. */
export type Answer = (input: Members, head: Head) => MaybeFuture<Reply>;

/** Makes a reply with status 200 and a value as JSON. */
export function ok(value: unknown): Reply {
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** Makes an error reply of the API: `{ error: { code, message } }`. */
export function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify({ error: { code, message } }) };
}

/** Parses the body of a request: a JSON object, or `{}` if it is empty; else `invalid_request`. An error of reading it is returned. */
export function parseInput(text: string | ErrorResult): ErrorResult | { readonly members: Members } {
  if (typeof text !== "string") return text;
  try {
    const members: unknown = text === "" ? {} : JSON.parse(text);
    if (isJsonObject(members)) return { members };
  } catch {
    // The same error as for other values.
  }
  return { kind: "error", code: "invalid_request", message: "Send a JSON object" };
}
