/** How a call ended, from what each wire answered. */
import { type Asked, readAsked, readInputRequests } from "./questions.ts";

/** How a call ended. */
export interface Outcome {
  readonly kind: "answer" | "failure" | "error" | "promise" | "questions";
  readonly value: unknown;
  /** The questions, if it ended with some that the page can answer. */
  readonly asked?: Asked | undefined;
  /** The result of MCP, as it was sent. */
  readonly result?: unknown;
}

export function mcpAnswer(body: unknown): Outcome {
  const { result, error } = asObject(body);
  if (error !== undefined) return { kind: "error", value: error };
  const { isError, structuredContent, content, resultType, inputRequests, _meta } = asObject(result);
  if (inputRequests !== undefined) {
    return { kind: "questions", value: inputRequests, asked: readInputRequests(asObject(result)) };
  }
  const {
    "toolwire/code": code,
    "toolwire/wrapped": wrapped,
    "toolwire/response-type": type,
    "toolwire/data": data = structuredContent,
  } = asObject(_meta);
  const isTask = resultType === "task" || asObject(result)["task"] !== undefined;
  if (isTask || (isError !== true && type === "promise")) return { kind: "promise", value: result };
  const texts = Array.isArray(content) ? content.map((block) => asObject(block)["text"]) : [];
  // Results of 2025-11-25 are objects: other values are wrapped.
  const structured = wrapped === true && isError !== true ? asObject(structuredContent)["result"] : structuredContent;
  const value = structured ?? (texts.length === 1 && typeof texts[0] === "string" ? texts[0] : content);
  if (isError !== true) return { kind: "answer", value: structured === null ? null : value, result };
  // The other texts repeat the data for a model.
  const failure = code === undefined ? value : { code, message: texts[0] ?? "", data };
  return { kind: type === "error" ? "error" : "failure", value: failure, result };
}

export function mcpLiteAnswer(body: unknown, pieces: readonly unknown[] = [], _?: number, event?: string): Outcome {
  // The last event of a failed stream is the error itself.
  const { result, error = event === "error" ? body : undefined } = asObject(body);
  if (error !== undefined) return { kind: "error", value: error };
  // The last event of another stream is the result itself.
  const { content = joined(pieces), _meta } = asObject(result ?? body);
  return decoded(asObject(_meta)["response_type"], content, _meta);
}

/** The answer that was sent in pieces: one text, or a list. */
export function joined(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : pieces;
}

/** An outcome by the type that MCP-lite and its gRPC binding give each response. */
export function decoded(type: unknown, content: unknown, meta: unknown): Outcome {
  switch (String(type ?? "answer").toLowerCase()) {
    case "answer":
      return { kind: "answer", value: content };
    case "failure":
      return { kind: "failure", value: content };
    case "promise":
      return { kind: "promise", value: meta };
    default:
      return { kind: "questions", value: meta, asked: readAsked(meta) };
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
