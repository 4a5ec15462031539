import {
  type CallResult,
  type ErrorResult,
  errorResult,
  type FailureOutcome,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { withRetryAfter } from "../../../http_client/read.ts";
import { decodeError } from "../../framing/json_rpc/decode_error.ts";
import { asObject, type Members, typedOr } from "../../../internal/json.ts";
import { withoutToolName } from "../../framing/result/unknown_tool.ts";
import type { RpcReply } from "./message_transport.ts";
import { HEADER_MISMATCH, mcpErrorCodes, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from "../protocol/codes.ts";
import { decodeResult } from "../../framing/result/decode.ts";
import { isToolErrorCode } from "../../../core/errors/code.ts";

/** Why there is no result. */
export function toErrorResult(reply: Exclude<RpcReply, { readonly result: unknown }>): ErrorResult {
  if ("refusal" in reply) return reply.refusal;
  const { error: { code, message, data }, status, headers } = reply;
  const number = INVALID_REQUEST_NUMBERS.has(code) ? mcpErrorCodes.invalid_request.number : code;
  const refusal = withoutToolName(decodeError({ code: number, message, data }, status));
  // Of resources that are not there, the newer revision says no more than that an argument is wrong.
  const isResource = refusal.code === "invalid_input" && typeof asObject(data)["uri"] === "string";
  const known = isResource ? { ...refusal, code: "resource_not_found" as const } : refusal;
  return headers === undefined ? known : withRetryAfter(known, headers);
}

/** Numbers of rules that a request has broken: of its headers, of what its caller can do, of its revision. */
const INVALID_REQUEST_NUMBERS: ReadonlySet<unknown> = new Set([
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
]);

/** A result that is not what its method gives. */
export function invalidResultError(method: string): ErrorResult {
  return errorResult("internal", `The server's result of ${method} is not one of MCP`);
}

/** What a failure is called where the server does not say. */
const NAMELESS_FAILURE = "tool_error";

/** Reads a complete result. */
export function decodeToolResult(result: Members): CallResult | UnknownOutcome {
  const meta = asObject(result["_meta"]);
  if (result["isError"] === true) return decodeFailure(result, meta);
  if (meta["response_type"] === "promise" && typeof meta["promise_token"] === "string") {
    return decodeResult({ _meta: meta });
  }
  return { kind: "answer", value: valueOf(result, meta), meta };
}

function valueOf({ structuredContent, content }: Members, meta: Members): unknown {
  if (structuredContent === undefined) return isNothing(content) ? undefined : content;
  return meta["wrapped"] === true ? asObject(structuredContent)["result"] : structuredContent;
}

/** Content there must be; of a tool that returned nothing it says nothing. */
function isNothing(content: unknown): boolean {
  if (!Array.isArray(content) || content.length === 0) return true;
  const [{ type, text }] = content.map(asObject) as [Members];
  return content.length === 1 && type === "text" && text === "";
}

function decodeFailure({ content, structuredContent }: Members, meta: Members): FailureOutcome | ErrorResult {
  const { response_type: type, code, data = structuredContent } = meta;
  const texts = Array.isArray(content) ? content.map(asObject).map(({ text }) => typedOr(text, "")) : [];
  if (typeof code !== "string") {
    const message = texts.filter((text) => text !== "").join("\n");
    return { kind: "failure", code: NAMELESS_FAILURE, message, data, meta };
  }
  // What else stands in the content is the data, once more, for a model.
  const [message = ""] = texts;
  if (type !== "error" || !isToolErrorCode(code)) return { kind: "failure", code, message, data, meta };
  return data === undefined ? { kind: "error", code, message } : { kind: "error", code, message, data };
}
