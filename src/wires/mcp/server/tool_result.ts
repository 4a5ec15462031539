/**
 * Writes how a tool's call ended, as the result of `tools/call`.
 *
 * Each value is stringified once. Functions that stringify a tool's value throw what `JSON.stringify` throws, and what the
 * tool's own `.render()` throws.
 *
 * @module
 */
import { type ContentBlock, isContentBlock } from "../../../core/call/content.ts";
import type { AnswerOutcome, ErrorResult, FailureOutcome, PromiseOutcome } from "../../../core/call/outcome.ts";
import { addedMembers, promiseMembers } from "../../framing/result/encode.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import type { RenderedOutput } from "../../../core/tool/definition.ts";
import { blockFor } from "./blocks.ts";
import type { Dialect } from "./revision.ts";
import type { McpTool, McpTools } from "./tools.ts";

/** Writes the results of one server's tools. */
export class ToolResults {
  readonly #tools: McpTools;

  constructor(tools: McpTools) {
    this.#tools = tools;
  }

  /** What the tool returned: its content, and beside it the value itself where the revision has a place for it. */
  answer(dialect: Dialect, outcome: AnswerOutcome, tool: McpTool | undefined): string {
    const { value, renderedBy } = outcome;
    const meta = outcomeMeta(outcome);
    const render = renderedBy === undefined ? undefined : this.#tools.get(renderedBy)?.plan.render;
    const blocks = render === undefined && tool?.plan.output === undefined ? blocksOf(value) : undefined;
    if (blocks !== undefined) return dialect.result(contentMember(blocks, dialect), meta);
    const json = JSON.stringify(value);
    const content = render === undefined ? textMember(textOf(value, json)) : contentMember(render(value), dialect);
    if (json === undefined || dialect.structured === "none") return dialect.result(content, meta);
    const wraps = dialect.structured === "objects" && (tool?.wrapsOutput || !isJsonObject(value));
    if (!wraps) return dialect.result(`${content},"structuredContent":${json}`, meta);
    return dialect.result(`${content},"structuredContent":{"result":${json}}`, { ...meta, wrapped: true });
  }

  /** What the tool says against the call. */
  failure(dialect: Dialect, outcome: FailureOutcome): string {
    const { code, message, data } = outcome;
    const meta = { ...outcomeMeta(outcome), response_type: "failure", code, ...(data !== undefined && { data }) };
    return errorResult(dialect, message, data, meta);
  }

  /** A refusal that the caller's model should see. */
  refusal(dialect: Dialect, { code, message, data }: ErrorResult): string {
    const meta = { response_type: "error", code, ...(data !== undefined && { data }) };
    // What does not fit is in the message; the rest is for programs.
    return errorResult(dialect, message, code === "invalid_input" ? data : undefined, meta);
  }

  /** A promise, for a caller that knows of none: in words, with the tools that take it. */
  promise(dialect: Dialect, promise: PromiseOutcome): string {
    const text = `The work goes on. Call the tool "redeem" with {"promise":"${promise.token}"} for its result, ` +
      `in ${promise.retryAfterMs} ms or later; the tool "cancel" ends it.`;
    return dialect.result(textMember(text), { response_type: "promise", ...promiseMembers(promise) });
  }
}

/** Text as the content of a result. */
function textMember(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}

function errorResult(dialect: Dialect, message: string, data: unknown, meta: Members): string {
  const details = data === undefined ? "" : `,{"type":"text","text":${JSON.stringify(JSON.stringify(data))}}`;
  const content = `"content":[{"type":"text","text":${JSON.stringify(message)}}${details}],"isError":true`;
  return dialect.result(content, meta);
}

/** What stands in `_meta` beside the outcome itself; `undefined` if nothing does. */
export function outcomeMeta(outcome: AnswerOutcome | FailureOutcome): Members | undefined {
  if (outcome.meta === undefined && outcome.context === undefined) return undefined;
  return { ...addedMembers(outcome), ...(outcome.context !== undefined && { context: outcome.context }) };
}

/** Text as it is; anything else as JSON. */
function textOf(value: unknown, json: string | undefined): string {
  return typeof value === "string" ? value : json ?? "";
}

/** The blocks of an answer that is nothing else; `undefined` if it is something else. */
function blocksOf(value: unknown): readonly ContentBlock[] | undefined {
  if (typeof value !== "object") return undefined;
  if (isContentBlock(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock) ? value : undefined;
}

function contentMember(rendered: RenderedOutput | readonly ContentBlock[], dialect: Dialect): string {
  if (typeof rendered === "string") return textMember(rendered);
  if (rendered.length === 0) return textMember("");
  return `"content":${JSON.stringify(rendered.map((block) => blockFor(block, dialect)))}`;
}
