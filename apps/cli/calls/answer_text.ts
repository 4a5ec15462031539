/** Answers as text for people: text as it is, content blocks of MCP by their kind, other values as JSON. */
import { asObject, isJsonObject, type Members } from "../../../src/internal/json.ts";

const BLOCK_TYPES: ReadonlySet<unknown> = new Set(["text", "image", "audio", "resource", "resource_link"]);

/** Formats an answer of a tool: text as it is, MCP content by block, other values as indented JSON. Foreign text, not escaped. */
export function formatAnswer(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (isContent(value)) return value.map(formatBlock).join("\n");
  return JSON.stringify(value, undefined, 2) ?? String(value);
}

/** Formats a content block of MCP: its text, a link as `[uri]`, or type and size of an image, as in `[image image/png, 120 bytes]`. */
export function formatBlock(block: Members): string {
  const { type, text, uri, mimeType, data } = block;
  if (type === "text") return String(text);
  if (type === "resource") return formatResource(asObject(block["resource"]));
  if (type === "resource_link") return `[${uri}]`;
  return `[${type} ${mimeType ?? ""}, ${sizeOf(data)}]`;
}

/** Formats the contents of a resource: its text, or if it is binary its URI, media type and size in brackets. */
export function formatResource({ uri, text, mimeType, blob }: Members): string {
  return typeof text === "string" ? text : `[${uri} ${mimeType ?? ""}, ${sizeOf(blob)}]`;
}

function isContent(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((one) => isJsonObject(one) && BLOCK_TYPES.has(one["type"]));
}

/** Size of base64 text. */
function sizeOf(data: unknown): string {
  return typeof data === "string" ? `${Math.floor(data.length * 3 / 4)} bytes` : "no data";
}
