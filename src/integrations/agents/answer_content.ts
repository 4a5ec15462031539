/** Content of answers: MCP servers without structured output answer with texts and images, which models should get as such. */
import { isJsonObject } from "../../internal/json.ts";

/** A text or an image of an answer. */
export type AnswerPart = { readonly type: "text"; readonly text: string } | AnswerImage;

/** An image of an answer. */
export interface AnswerImage {
  /** Discriminant. */
  readonly type: "image";
  /** The bytes, in base64. */
  readonly data: string;
  /** Media type, such as `image/png`. */
  readonly mimeType: string;
}

/** Reads an answer as content blocks of MCP; `undefined` if it is any other value. Audio, resources and links become texts. */
export function readContent(value: unknown): readonly AnswerPart[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts = value.map(readBlock);
  return parts.includes(undefined) ? undefined : parts as AnswerPart[];
}

/** Content as one text, for models that take no images in answers: an image is only named, with its media type and size. */
export function contentText(parts: readonly AnswerPart[]): string {
  return parts.map((part) => part.type === "text" ? part.text : describeBytes(part.mimeType, part.data)).join("\n");
}

function readBlock(block: unknown): AnswerPart | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, text, data, mimeType, resource, uri, name } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? { type, text } : undefined;
    case "image":
    case "audio":
      if (typeof data !== "string" || typeof mimeType !== "string") return undefined;
      return type === "image" ? { type, data, mimeType } : toText(describeBytes(mimeType, data));
    case "resource":
      return isJsonObject(resource) ? readResource(resource) : undefined;
    case "resource_link":
      return typeof uri === "string" ? toText(`[${typeof name === "string" ? `${name}: ` : ""}${uri}]`) : undefined;
    default:
      return undefined;
  }
}

function readResource(
  { uri, text, blob, mimeType = "bytes" }: Readonly<Record<string, unknown>>,
): AnswerPart | undefined {
  if (typeof text === "string") return toText(text);
  return typeof blob === "string" ? toText(describeBytes(`${String(uri)}, ${String(mimeType)}`, blob)) : undefined;
}

function toText(text: string): AnswerPart {
  return { type: "text", text };
}

function describeBytes(what: string, base64: string): string {
  return `[${what}, ${Math.floor(base64.replace(/=+$/, "").length * 3 / 4)} bytes]`;
}
