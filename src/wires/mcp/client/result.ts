/**
 * Reads how a call of a tool ended, from the result of `tools/call`.
 *
 * Our servers say in `_meta` what the protocol has no word for: the code of a failure, that an output was wrapped, a promise.
 * Source: MCP, revision 2026-07-28, "Tools".
 *
 * @module
 */
import type { CallResult, ErrorResult, FailureOutcome, UnknownOutcome } from "../../../core/call/outcome.ts";
import { decodeResult } from "../../framing/result/decode.ts";
import { asObject, type Members, typedOr } from "../../../internal/json.ts";
import { isToolErrorCode } from "../../../core/errors/code.ts";

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
