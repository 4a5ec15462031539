/**
 * Decodes the results of `tools/call`.
 *
 * Toolwire servers send in `_meta` what MCP has no member for: the code of a failure, a wrapped output, a promise.
 * Source: MCP, revision 2026-07-28, "Tools".
 */
import {
  type CallResult,
  type ErrorResult,
  type FailureOutcome,
  type UnknownOutcome,
  withShown,
} from "../../../core/call/outcome.ts";
import { isToolErrorCode } from "../../../core/errors/code.ts";
import { asObject, type Members, omitUndefined, typedOr } from "../../../internal/json.ts";
import { decodeResult } from "../../framing/result/decode.ts";
import { RESULT_META } from "../protocol/constants.ts";

/** Code of a failure without a code. */
const DEFAULT_FAILURE_CODE = "tool_error";

/**
 * Decodes a complete result of `tools/call`: an answer, failure, error or promise.
 *
 * @param wraps Whether the tool's list entry states that its values are wrapped: `x-fastmcp-wrap-result` of FastMCP.
 */
export function decodeToolResult(result: Members, wraps = false): CallResult | UnknownOutcome {
  const meta = asObject(result["_meta"]);
  if (result["isError"] === true && meta[RESULT_META.shape] === undefined) return decodeFailure(result, meta);
  const promise = promiseOf(meta);
  if (promise !== undefined) return decodeResult({ _meta: { response_type: "promise", ...promise } });
  const text = loneText(result, meta);
  if (text !== undefined) return { kind: "answer", value: text, isText: true, meta };
  const isWrapped = wraps || meta[RESULT_META.wrapped] === true || asObject(meta["fastmcp"])["wrap_result"] === true;
  const value = decodeAnswer(result, meta, isWrapped);
  const { structuredContent: structured } = result;
  // A gateway lists the schema without the wrapper, and wraps the value itself where a revision needs it.
  const isOurs = (isWrapped && !hasMedia(result["content"])) || meta[RESULT_META.shape] === "content" ||
    structured === undefined ||
    structured === value;
  const answer = { kind: "answer", value, ...(!isOurs && { structured }), meta } as const;
  return meta[RESULT_META.rendered] === true ? withShown(answer, () => result["content"]) : answer;
}

/** The promise in a result of a Toolwire server. */
function promiseOf(meta: Members): Members | undefined {
  const promise = asObject(meta[RESULT_META.promise]);
  return typeof promise["promise_token"] === "string" ? promise : undefined;
}

function decodeAnswer(answer: Members, meta: Members, isWrapped: boolean): unknown {
  const { structuredContent, content, isError } = answer;
  if (meta[RESULT_META.shape] === "content") return omitUndefined({ content, structuredContent, isError });
  if (structuredContent === undefined) {
    if (meta[RESULT_META.shape] === "text") return "";
    if (isEmpty(content)) return undefined;
    return meta[RESULT_META.single] === true && Array.isArray(content) && content.length === 1 ? content[0] : content;
  }
  // Servers that repeat a picture in structured content have it there as characters, which no model can see.
  if (meta[RESULT_META.rendered] !== true && hasMedia(content)) return content;
  const { result = structuredContent } = asObject(structuredContent);
  return isWrapped ? result : structuredContent;
}

/**
 * The text of a result that is one block of text, without structured content: the value that the tool returned, as most servers send a string.
 * A block with annotations remains a block, and so does what servers of ours mark.
 */
function loneText({ structuredContent, content }: Members, meta: Members): string | undefined {
  if (structuredContent !== undefined) return undefined;
  if (meta[RESULT_META.single] !== undefined || meta[RESULT_META.shape] !== undefined) return undefined;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const { type, text, ...others } = asObject(content[0]);
  const isPlain = type === "text" && typeof text === "string" && text !== "" && Object.keys(others).length === 0;
  return isPlain ? text : undefined;
}

/** Whether there is a block other than text. */
function hasMedia(content: unknown): boolean {
  return Array.isArray(content) &&
    content.map(asObject).some(({ type }) => typeof type === "string" && type !== "text");
}

/** MCP requires content: a tool that returns nothing sends one empty text. */
function isEmpty(content: unknown): boolean {
  if (!Array.isArray(content) || content.length === 0) return true;
  const [{ type, text }] = content.map(asObject) as [Members];
  return content.length === 1 && type === "text" && text === "";
}

/** `_meta` with the names of today: servers of ours had type, code and data without a prefix. */
function withNames(meta: Members): Members {
  if (meta["response_type"] === undefined) return meta;
  const { response_type: type, code, data } = meta;
  return { [RESULT_META.type]: type, [RESULT_META.code]: code, [RESULT_META.data]: data, ...meta };
}

function decodeFailure({ content, structuredContent }: Members, meta: Members): FailureOutcome | ErrorResult {
  const { [RESULT_META.type]: type, [RESULT_META.code]: code, [RESULT_META.data]: data = structuredContent } =
    withNames(meta);
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
