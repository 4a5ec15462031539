/**
 * Decodes the results of `tools/call`.
 *
 * Toolwire servers send in `_meta` what MCP has no member for: the code of a failure, a wrapped output, a promise.
 * Source: MCP, revision 2026-07-28, "Tools".
 */
import type { CallResult, ErrorResult, FailureOutcome, UnknownOutcome } from "../../../core/call/outcome.ts";
import { isToolErrorCode } from "../../../core/errors/code.ts";
import { asObject, type Members, typedOr } from "../../../internal/json.ts";
import { decodeResult } from "../../framing/result/decode.ts";

/** Code of a failure without a code. */
const DEFAULT_FAILURE_CODE = "tool_error";

/** Decodes a complete result of `tools/call`: an answer, failure, error or promise. */
export function decodeToolResult(result: Members): CallResult | UnknownOutcome {
  const meta = asObject(result["_meta"]);
  if (result["isError"] === true) return decodeFailure(result, meta);
  if (meta["response_type"] === "promise" && typeof meta["promise_token"] === "string") {
    return decodeResult({ _meta: meta });
  }
  return { kind: "answer", value: decodeAnswer(result, meta), meta };
}

function decodeAnswer({ structuredContent, content }: Members, meta: Members): unknown {
  if (structuredContent === undefined) return isEmpty(content) ? undefined : content;
  return meta["wrapped"] === true ? asObject(structuredContent)["result"] : structuredContent;
}

/** MCP requires content: a tool that returns nothing sends one empty text. */
function isEmpty(content: unknown): boolean {
  if (!Array.isArray(content) || content.length === 0) return true;
  const [{ type, text }] = content.map(asObject) as [Members];
  return content.length === 1 && type === "text" && text === "";
}

function decodeFailure({ content, structuredContent }: Members, meta: Members): FailureOutcome | ErrorResult {
  const { response_type: type, code, data = structuredContent } = meta;
  const texts = Array.isArray(content) ? content.map(asObject).map(({ text }) => typedOr(text, "")) : [];
  if (typeof code !== "string") {
    const message = texts.filter((text) => text !== "").join("\n");
    return { kind: "failure", code: DEFAULT_FAILURE_CODE, message, data, meta };
  }
  // The other texts repeat the data for a model.
  const [message = ""] = texts;
  if (type !== "error" || !isToolErrorCode(code)) return { kind: "failure", code, message, data, meta };
  return data === undefined ? { kind: "error", code, message } : { kind: "error", code, message, data };
}
