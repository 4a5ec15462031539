/**
 * Content for people and models: the blocks that prompts are made of, and what tools may show beside their output.
 *
 * Plain JSON values, as MCP has them; knows no wire.
 * Source: Model Context Protocol, revision 2026-07-28, content blocks and resource contents.
 *
 * @module
 */
import { encodeBase64 } from "../../internal/encoding.ts";
import { isJsonObject } from "../../internal/json.ts";

/** Whom something is for, or who says it. */
export type Role = "user" | "assistant";

/** Hints on how to use a piece of content. */
export interface ContentAnnotations {
  /** Whom it is for. */
  readonly audience?: readonly Role[];
  /** How much it matters: from 0, which can be left out, to 1, which cannot. */
  readonly priority?: number;
  /** When it was last changed, in ISO 8601. */
  readonly lastModified?: string;
}

/** An image that stands for something in a user interface. */
export interface Icon {
  /** Where it is: an `https:` or `data:` URI. */
  readonly src: string;
  /** Its type, such as `image/png`. */
  readonly mimeType?: string;
  /** Its sizes, such as `"48x48"`, or `"any"`. */
  readonly sizes?: readonly string[];
  /** The theme that it is made for. */
  readonly theme?: "light" | "dark";
}

/** What every block may have. */
export interface BlockExtras {
  /** Hints on its use. */
  readonly annotations?: ContentAnnotations;
  /** Its own metadata. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Text. */
export interface TextBlock extends BlockExtras {
  /** Discriminant. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An image or a recording, in base64. */
export interface MediaBlock<Type extends "image" | "audio" = "image" | "audio"> extends BlockExtras {
  /** Discriminant. */
  readonly type: Type;
  /** The bytes, in base64. */
  readonly data: string;
  /** What they are, such as `image/png`. */
  readonly mimeType: string;
}

/** What is known of a resource without reading it. */
export interface ResourceDescription {
  /** Where it can be read. */
  readonly uri: string;
  /** What programs call it. */
  readonly name: string;
  /** What people call it. */
  readonly title?: string;
  /** What is in it. */
  readonly description?: string;
  /** Images that stand for it. */
  readonly icons?: readonly Icon[];
  /** Its type, such as `text/markdown`. */
  readonly mimeType?: string;
  /** How many bytes it has, before any encoding. */
  readonly size?: number;
}

/** A resource that can be read by its URI. */
export interface ResourceLinkBlock extends ResourceDescription, BlockExtras {
  /** Discriminant. */
  readonly type: "resource_link";
}

/** Contents of a resource: text, or bytes in base64. */
export type ResourceContents =
  & {
    /** Where it can be read. */
    readonly uri: string;
    /** What it is, such as `text/markdown`. */
    readonly mimeType?: string;
    /** Its own metadata. */
    readonly _meta?: Readonly<Record<string, unknown>>;
  }
  & ({
    /** The text. */
    readonly text: string;
  } | {
    /** The bytes, in base64. */
    readonly blob: string;
  });

/** A resource with its contents. */
export interface EmbeddedResourceBlock extends BlockExtras {
  /** Discriminant. */
  readonly type: "resource";
  /** The contents. */
  readonly resource: ResourceContents;
}

/** One piece of content. */
export type ContentBlock = TextBlock | MediaBlock | ResourceLinkBlock | EmbeddedResourceBlock;

/** One message of a prompt. */
export interface PromptMessage {
  /** Who says it. */
  readonly role: Role;
  /** What is said. */
  readonly content: ContentBlock;
}

/** What goes with a block. */
export interface ContentOptions {
  /** Hints on its use. */
  readonly annotations?: ContentAnnotations;
  /** Its own metadata: `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Contents of a resource as a program has them. */
export type ResourcePart =
  & {
    /** What it is. Default: what its resource says, else `text/plain` or `application/octet-stream`. */
    readonly mimeType?: string;
    /** Its own metadata: `_meta`. */
    readonly meta?: Readonly<Record<string, unknown>>;
  }
  & ({
    /** The text. */
    readonly text: string;
  } | {
    /** The bytes, or their base64. */
    readonly blob: Uint8Array | string;
  });

/** Makes content blocks. */
export interface ContentHelpers {
  /** Text. */
  text(text: string, options?: ContentOptions): TextBlock;
  /** An image: its bytes or their base64, and its type, such as `image/png`. */
  image(data: Uint8Array | string, mimeType: string, options?: ContentOptions): MediaBlock<"image">;
  /** A recording: its bytes or their base64, and its type, such as `audio/wav`. */
  audio(data: Uint8Array | string, mimeType: string, options?: ContentOptions): MediaBlock<"audio">;
  /** A resource that can be read by its URI. */
  resourceLink(resource: ResourceDescription, options?: ContentOptions): ResourceLinkBlock;
  /** A resource with its contents. */
  embeddedResource(resource: ResourcePart & { readonly uri: string }, options?: ContentOptions): EmbeddedResourceBlock;
}

/**
 * Makes content blocks, for prompts and for what tools show.
 *
 * @example Text and an image
 * ```ts
 * import { content } from "jsr:@toolwire/toolwire/mcp";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * deepStrictEqual(content.text("Look at this:"), { type: "text", text: "Look at this:" });
 * deepStrictEqual(content.image(new Uint8Array([1, 2, 3]), "image/png"), {
 *   type: "image",
 *   data: "AQID",
 *   mimeType: "image/png",
 * });
 * ```
 * @throws {TypeError} If annotations are not what they should be.
 */
export const content: ContentHelpers = {
  text: (text, options) => ({ type: "text", text, ...extras(options) }),
  image: (data, mimeType, options) => ({ type: "image", data: toBase64(data), mimeType, ...extras(options) }),
  audio: (data, mimeType, options) => ({ type: "audio", data: toBase64(data), mimeType, ...extras(options) }),
  resourceLink: (resource, options) => ({ type: "resource_link", ...resource, ...extras(options) }),
  embeddedResource: ({ uri, ...part }, options) => ({
    type: "resource",
    resource: toResourceContents(part, uri, undefined),
    ...extras(options),
  }),
};

/** A message that the user says: text, or one content block. */
export function user(said: string | ContentBlock): PromptMessage {
  return say("user", said);
}

/** A message that the model says: text, or one content block. */
export function assistant(said: string | ContentBlock): PromptMessage {
  return say("assistant", said);
}

/** Contents as they are sent. */
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

/** Whether a value is a well-formed content block. */
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
 * Holds annotations to what they should be.
 *
 * @param where Names in errors what they belong to.
 * @throws {TypeError} If they are not.
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

function say(role: Role, said: string | ContentBlock): PromptMessage {
  return { role, content: typeof said === "string" ? content.text(said) : said };
}

function toBase64(data: Uint8Array | string): string {
  return typeof data === "string" ? data : encodeBase64(data);
}

function extras({ annotations, meta }: ContentOptions = {}): BlockExtras {
  if (annotations !== undefined) assertAnnotations(annotations, "content");
  return { ...(annotations !== undefined && { annotations }), ...(meta !== undefined && { _meta: meta }) };
}
