/**
 * Content for people and models: blocks of prompts, and content that tools return in addition to their output.
 *
 * Plain JSON values as defined by MCP, independent of the wire.
 * Source: Model Context Protocol, revision 2026-07-28, content blocks and resource contents.
 */
import { encodeBase64 } from "../../internal/encoding.ts";
import { isJsonObject } from "../../internal/json.ts";
import type {
  BlockExtras,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResourceBlock,
  MediaBlock,
  ResourceContents,
  ResourceDescription,
  ResourceLinkBlock,
  Role,
  TextBlock,
} from "./content_blocks.ts";
import { type FileBlock, fileBlock, type FileOptions } from "./file_block.ts";
import { type DecodedFile, readFileBlock } from "./read_file_block.ts";

export type {
  BlockExtras,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResourceBlock,
  Icon,
  MediaBlock,
  ResourceContents,
  ResourceDescription,
  ResourceLinkBlock,
  Role,
  TextBlock,
} from "./content_blocks.ts";

/** One message of a prompt: an author and one content block. */
export interface PromptMessage {
  /** Author of the message. */
  readonly role: Role;
  /** Content of the message. */
  readonly content: ContentBlock;
}

/** Options of a content block. */
export interface ContentOptions {
  /** Hints for the use of the content: its audience, priority and last change. */
  readonly annotations?: ContentAnnotations | undefined;
  /** Metadata, sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Text or bytes of a resource, as a reader returns them; bytes are sent in base64. */
export type ResourcePart =
  & {
    /** Media type. Default: that of the resource, else `text/plain` or `application/octet-stream`. */
    readonly mimeType?: string | undefined;
    /** Metadata, sent as `_meta`. */
    readonly meta?: Readonly<Record<string, unknown>> | undefined;
  }
  & ({
    /** The text. */
    readonly text: string;
  } | {
    /** The bytes, or the bytes in base64. */
    readonly blob: Uint8Array | string;
  });

/** Functions that create content blocks. */
export interface ContentHelpers {
  /** Creates a text block. */
  text(text: string, options?: ContentOptions): TextBlock;
  /** Creates a block of an image, from bytes or base64 and a media type such as `image/png`. */
  image(data: Uint8Array | string, mimeType: string, options?: ContentOptions): MediaBlock<"image">;
  /** Creates a block of audio, from bytes or base64 and a media type such as `audio/wav`. */
  audio(data: Uint8Array | string, mimeType: string, options?: ContentOptions): MediaBlock<"audio">;
  /**
   * Creates the block of a file, from bytes or text: an image or audio as such, anything else as a resource with its contents. The media
   * type is recognized for PNG, JPEG, GIF, WebP and PDF.
   */
  file(data: Uint8Array | ArrayBuffer | string, options?: FileOptions & ContentOptions): FileBlock;
  /** Reads the bytes, media type and name of a file from its block, such as a client receives; `undefined` if it is not one. */
  readFile(block: unknown): DecodedFile | undefined;
  /** Creates a block that refers to a resource by its URI. */
  resourceLink(resource: ResourceDescription, options?: ContentOptions): ResourceLinkBlock;
  /** Creates a block with the contents of a resource. */
  embeddedResource(resource: ResourcePart & { readonly uri: string }, options?: ContentOptions): EmbeddedResourceBlock;
}

/**
 * Creates content blocks for prompts and tool results.
 *
 * @example Text and an image
 * ```ts
 * import { content } from "jsr:@toolwire/toolwire/mcp";
 *
 * console.log(content.text("Look at this:")); // → { type: "text", text: "Look at this:" }
 * console.log(content.image(new Uint8Array([1, 2, 3]), "image/png"));
 * // → { type: "image", data: "AQID", mimeType: "image/png" }
 * ```
 * @throws {TypeError} If annotations are invalid.
 */
export const content: ContentHelpers = {
  text: (text, options) => ({ type: "text", text, ...extras(options) }),
  image: (data, mimeType, options) => ({ type: "image", data: toBase64(data), mimeType, ...extras(options) }),
  audio: (data, mimeType, options) => ({ type: "audio", data: toBase64(data), mimeType, ...extras(options) }),
  file: (data, { type, name, ...options } = {}) =>
    fileBlock(data instanceof ArrayBuffer ? new Uint8Array(data) : data, { type, name }, extras(options)),
  readFile: readFileBlock,
  resourceLink: (resource, options) => ({ type: "resource_link", ...resource, ...extras(options) }),
  embeddedResource: ({ uri, ...part }, options) => ({
    type: "resource",
    resource: toResourceContents(part, uri, undefined),
    ...extras(options),
  }),
};

/** Creates a message of a prompt with the role `user`, from text or a content block. */
export function user(body: string | ContentBlock): PromptMessage {
  return toMessage("user", body);
}

/** Creates a message of a prompt with the role `assistant`, from text or a content block. */
export function assistant(body: string | ContentBlock): PromptMessage {
  return toMessage("assistant", body);
}

/** Encodes one part for `resources/read`, bytes in base64. Media type: that of the part, else `mimeType`, else by text or bytes. */
export function toResourceContents(part: ResourcePart, uri: string, mimeType: string | undefined): ResourceContents {
  const { meta } = part;
  const isText = "text" in part;
  return {
    uri,
    mimeType: part.mimeType ?? mimeType ?? (isText ? "text/plain" : "application/octet-stream"),
    ...(isText ? { text: part.text } : { blob: toBase64(part.blob) }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

/** Whether a value is a content block with the members that its type requires. Optional members, such as annotations, are not checked. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value)) return false;
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "image":
    case "audio":
      return typeof value["data"] === "string" && typeof value["mimeType"] === "string";
    case "resource_link":
      return typeof value["uri"] === "string" && typeof value["name"] === "string";
    case "resource":
      return isResourceContents(value["resource"]);
    default:
      return false;
  }
}

/**
 * Validates audience, priority and date of annotations. `where` names their owner in the error message.
 *
 * @throws {TypeError} If they are invalid.
 */
export function assertAnnotations(annotations: ContentAnnotations, where: string): void {
  const { audience = [], priority = 0, lastModified } = annotations;
  if (!Array.isArray(audience) || audience.some((role) => role !== "user" && role !== "assistant")) {
    throw new TypeError(`Cannot annotate ${where}: audience is an array of "user" and "assistant"`);
  }
  if (!(priority >= 0 && priority <= 1)) {
    throw new TypeError(`Cannot annotate ${where}: priority is a number from 0 to 1, not ${priority}`);
  }
  if (lastModified !== undefined && Number.isNaN(Date.parse(lastModified))) {
    throw new TypeError(`Cannot annotate ${where}: lastModified is a date in ISO 8601, such as 2026-11-20T12:00:00Z`);
  }
}

function isResourceContents(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value["uri"] !== "string") return false;
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

function toMessage(role: Role, body: string | ContentBlock): PromptMessage {
  return { role, content: typeof body === "string" ? content.text(body) : body };
}

function toBase64(data: Uint8Array | string): string {
  return typeof data === "string" ? data : encodeBase64(data);
}

function extras({ annotations, meta }: ContentOptions = {}): BlockExtras {
  if (annotations !== undefined) assertAnnotations(annotations, "content");
  return { ...(annotations !== undefined && { annotations }), ...(meta !== undefined && { _meta: meta }) };
}
