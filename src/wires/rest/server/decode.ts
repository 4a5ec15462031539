/**
 * Decodes the path, the headers and the body of requests.
 *
 * Never throws: the error for invalid input is a return value.
 *
 * @module
 */
import type { CallMeta, Metadata } from "../../../core/call/call.ts";
import { decodeCallMeta } from "../../../core/call/call_meta.ts";
import { type ErrorResult, errorResult, invalidInputResult } from "../../../core/call/outcome.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { shorten } from "../../../internal/text.ts";
import { mediaTypeError } from "../../framing/http.ts";
import { parseJson } from "../../framing/json_rpc/decode.ts";
import { DEADLINE_HEADER, KEY_HEADER } from "../messages/problem.ts";

/** The tool, and the promise token if there is one, that a path names. */
export interface ToolPath {
  /** Name of the tool; `""` for the list of tools. */
  readonly tool: string;
  /** Promise token of a call of the tool. */
  readonly token: string | undefined;
}

/** Decodes a path below that of the wire; `undefined` if it is not below `/tools`. */
export function decodePath(path: string): ToolPath | undefined {
  const match = /^\/tools(?:\/(.*?)(?:\/promises\/([^/]+))?)?$/s.exec(path);
  return match === null ? undefined : { tool: decodePart(match[1] ?? ""), token: match[2] && decodePart(match[2]) };
}

/** A part that is not percent-encoded UTF-8 is taken as it is. No tool and no token has such a name. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Arguments and `_meta` of a call, not validated. */
export interface DecodedBody {
  readonly args: unknown;
  readonly meta: Members | undefined;
}

const ENVELOPE_PATTERN = /^application\/vnd\.toolwire\+json(?=\s*(?:;|$))/i;

/** Whether a request has the envelope with metadata, by its media type. */
function isEnvelope(headers: Metadata): boolean {
  return ENVELOPE_PATTERN.test(headers.get("content-type") ?? "");
}

/** Returns the error for a body that is not JSON in UTF-8, by its headers; status 415. */
export function bodyTypeError(headers: Metadata): ErrorResult | undefined {
  if (!isEnvelope(headers)) return mediaTypeError(headers);
  const asJson = headers.get("content-type")?.replace(ENVELOPE_PATTERN, "application/json") ?? null;
  return mediaTypeError({ get: (name) => name === "content-type" ? asJson : headers.get(name) });
}

/** Decodes a body: the arguments, or the envelope. An empty body has no arguments. */
export function decodeBody(text: string, headers: Metadata, maxDepth: number): DecodedBody | ErrorResult {
  if (text === "") return { args: {}, meta: undefined };
  const parsed = parseJson(text, maxDepth);
  if ("error" in parsed) return parsed.error;
  if (!isEnvelope(headers)) return { args: parsed.value, meta: undefined };
  if (!isJsonObject(parsed.value)) return errorResult("invalid_request", "The body is not an object");
  const { arguments: args = {}, _meta: meta, ...others } = parsed.value;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const place = other === "continuation" || other === "responses" ? "_meta" : "arguments";
    const problem = `The body has arguments and _meta, not ${JSON.stringify(shorten(other, 64))}: put it into ${place}`;
    return errorResult("invalid_request", problem);
  }
  if (meta === undefined || isJsonObject(meta)) return { args, meta };
  return invalidInputResult("_meta must be an object", ["_meta"], "object", meta);
}

/** Decodes the metadata of a call: `_meta` of its body, and the headers for idempotency key and deadline. They must not contradict it. */
export function decodeMeta(headers: Metadata, meta: Members | undefined): CallMeta | undefined | ErrorResult {
  const added = readHeaders(headers);
  if (added === undefined) return meta && decodeCallMeta(meta, "_meta");
  if ("kind" in added) return added as ErrorResult;
  const twice = Object.keys(added).find((name) => meta?.[name] !== undefined && meta[name] !== added[name]);
  if (twice !== undefined) {
    return errorResult("invalid_request", `A header and _meta.${twice} have different values: send one of them`);
  }
  return decodeCallMeta({ ...meta, ...added }, "_meta");
}

/** Members of `_meta` that headers state; `undefined` if there is no such header. */
function readHeaders(headers: Metadata): Members | undefined | ErrorResult {
  const key = headers.get(KEY_HEADER);
  const deadline = headers.get(DEADLINE_HEADER);
  if (key === null && deadline === null) return undefined;
  if (deadline !== null && !/^[1-9]\d{0,14}$/.test(deadline)) {
    const expected = "a whole number of milliseconds above 0";
    return invalidInputResult(
      `The header ${DEADLINE_HEADER} must be ${expected}`,
      [DEADLINE_HEADER],
      expected,
      deadline,
    );
  }
  return {
    ...(key !== null && { idempotency_key: unquote(key) }),
    ...(deadline !== null && { deadline_ms: Number(deadline) }),
  };
}

/** Text of a string of RFC 9651, section 3.3.3. Other text is taken as it is. */
function unquote(value: string): string {
  const [, quoted] = /^\s*"((?:[^"\\]|\\["\\])*)"\s*$/.exec(value) ?? [];
  return quoted === undefined ? value : quoted.replace(/\\(["\\])/g, "$1");
}
