/**
 * The answer to a call of a tool that is not there, where its message names the tool: people and models see that alone.
 *
 * MCP-lite over HTTP has the name among the data (A.5), so its message is the bare one; readers give that back.
 *
 * @module
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { asObject } from "../../../internal/json.ts";

/** Longest part of a name that is told back, in UTF-16 code units: as long as MCP lets names be. */
const MAX_NAME = 128;

/** What a name may show that a stranger chose: no controls, no marks that turn text around, no line breaks. */
const HIDDEN = /[^\p{L}\p{N}\p{P}\p{S} ]/gu;

/** The message of a refusal; of one for an unknown tool, with the tool's name, and the one that may be meant, if that is wanted. */
export function messageOf({ code, message, data }: ErrorResult, hasHint: boolean): string {
  const { requested_tool: requested, suggestion } = asObject(data);
  if (code !== "tool_not_found" || typeof requested !== "string") return message;
  const name = requested.slice(0, MAX_NAME).replace(HIDDEN, "?");
  const hint = hasHint && suggestion !== undefined ? `. ${suggestion}` : "";
  return `${message}: ${name}${requested.length > MAX_NAME ? "…" : ""}${hint}`;
}

/** A refusal as it was before its message was given the tool's name, which is among the data. */
export function withoutToolName(refusal: ErrorResult): ErrorResult {
  if (refusal.code !== "tool_not_found") return refusal;
  return { ...refusal, message: refusal.message.replace(/^(Tool not found): [^]*$/, "$1") };
}
