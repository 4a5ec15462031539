/**
 * Encodes the results of `tools/call`.
 *
 * Each value is encoded as JSON once. The methods throw if `JSON.stringify` or the tool's `.render()` throws.
 *
 * @module
 */
import { type ContentBlock, isContentBlock } from "../../../core/call/content.ts";
import type { AnswerOutcome, ErrorResult, FailureOutcome, PromiseOutcome } from "../../../core/call/outcome.ts";
import { outcomeMeta, promiseToJson } from "../../framing/result/encode.ts";
import type { RenderedOutput } from "../../../core/tool/definition.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { Revision } from "./revision.ts";
import type { McpTool, McpTools } from "./tools.ts";

/** Encodes the results of one server's tools. */
export class ToolResults {
  readonly #tools: McpTools;

  constructor(tools: McpTools) {
    this.#tools = tools;
  }

  /** Encodes a returned value: as content, and as structured content if the revision has it. */
  answer(revision: Revision, outcome: AnswerOutcome, tool: McpTool | undefined): string {
    const { value, renderedBy } = outcome;
    const meta = outcomeMeta(outcome);
    const render = renderedBy === undefined ? undefined : this.#tools.get(renderedBy)?.definition.render;
    const blocks = render === undefined && tool?.definition.output === undefined ? blocksOf(value) : undefined;
    if (blocks !== undefined) return revision.result(contentMember(blocks, revision), meta);
    const json = JSON.stringify(value);
    const content = render === undefined ? textMember(textOf(value, json)) : contentMember(render(value), revision);
    if (json === undefined || revision.structured === "none") return revision.result(content, meta);
    const wraps = revision.structured === "objects" && (tool?.wrapsOutput || !isJsonObject(value));
    if (!wraps) return revision.result(`${content},"structuredContent":${json}`, meta);
    return revision.result(`${content},"structuredContent":{"result":${json}}`, { ...meta, wrapped: true });
  }

  /** Encodes a failure of the tool. */
  failure(revision: Revision, outcome: FailureOutcome): string {
    const { code, message, data } = outcome;
    const meta = { ...outcomeMeta(outcome), response_type: "failure", code, data };
    return encodeErrorContent(revision, message, data, meta);
  }

  /** Encodes an error that the caller's model should see. */
  error(revision: Revision, { code, message, data }: ErrorResult): string {
    const meta = { response_type: "error", code, data };
    // Models see the issues of invalid input. Other data is for programs.
    return encodeErrorContent(revision, message, code === "invalid_input" ? data : undefined, meta);
  }

  /** Encodes a promise for a caller without support for tasks: as text that names the tools for it. */
  promise(revision: Revision, promise: PromiseOutcome): string {
    const text =
      `The work continues in the background. Call the tool "redeem" with {"promise":"${promise.token}"} for its result, ` +
      `in ${promise.retryAfterMs} ms or later; the tool "cancel" ends it.`;
    return revision.result(textMember(text), { response_type: "promise", ...promiseToJson(promise) });
  }
}

/** Encodes text as the content of a result. */
function textMember(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}

function encodeErrorContent(revision: Revision, message: string, data: unknown, meta: Members): string {
  const details = data === undefined ? "" : `,{"type":"text","text":${JSON.stringify(JSON.stringify(data))}}`;
  const content = `"content":[{"type":"text","text":${JSON.stringify(message)}}${details}],"isError":true`;
  return revision.result(content, meta);
}

/** A string as it is, any other value as JSON. */
function textOf(value: unknown, json: string | undefined): string {
  return typeof value === "string" ? value : json ?? "";
}

/** The blocks of a value that consists only of content blocks; otherwise `undefined`. */
function blocksOf(value: unknown): readonly ContentBlock[] | undefined {
  if (typeof value !== "object") return undefined;
  if (isContentBlock(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock) ? value : undefined;
}

function contentMember(rendered: RenderedOutput | readonly ContentBlock[], revision: Revision): string {
  if (typeof rendered === "string") return textMember(rendered);
  if (rendered.length === 0) return textMember("");
  return `"content":${JSON.stringify(rendered.map((block) => revision.toBlock(block)))}`;
}
