/**
 * Content blocks as MCP defines them: plain JSON, independent of the wire.
 *
 * Source: Model Context Protocol, revision 2026-07-28, content blocks and resource contents.
 */
/** Author or audience of content. */
export type Role = "user" | "assistant";

/** Hints for the use of content. */
export interface ContentAnnotations {
  /** Intended audience. */
  readonly audience?: readonly Role[] | undefined;
  /** Importance, from 0 (optional) to 1 (required). */
  readonly priority?: number | undefined;
  /** Time of the last change, in ISO 8601. */
  readonly lastModified?: string | undefined;
}

/** An icon for user interfaces. */
export interface Icon {
  /** An `https:` or `data:` URI. */
  readonly src: string;
  /** Media type, such as `image/png`. */
  readonly mimeType?: string | undefined;
  /** Sizes, such as `"48x48"` or `"any"`. */
  readonly sizes?: readonly string[] | undefined;
  /** Theme that the icon is designed for. */
  readonly theme?: "light" | "dark" | undefined;
}

/** Members that every content block may have. */
export interface BlockExtras {
  /** Hints for its use. */
  readonly annotations?: ContentAnnotations | undefined;
  /** Metadata of the block for programs, under names with a prefix. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A content block of text. */
export interface TextBlock extends BlockExtras {
  /** Discriminant. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An image or audio, in base64. */
export interface MediaBlock<Type extends "image" | "audio" = "image" | "audio"> extends BlockExtras {
  /** Discriminant. */
  readonly type: Type;
  /** The bytes, in base64. */
  readonly data: string;
  /** Media type, such as `image/png`. */
  readonly mimeType: string;
}

/** URI, names and further metadata of a resource, without its contents. */
export interface ResourceDescription {
  /** URI at which it can be read. */
  readonly uri: string;
  /** Name for programs. */
  readonly name: string;
  /** Title for people. */
  readonly title?: string | undefined;
  /** Description of the contents. */
  readonly description?: string | undefined;
  /** Icons. */
  readonly icons?: readonly Icon[] | undefined;
  /** Media type, such as `text/markdown`. */
  readonly mimeType?: string | undefined;
  /** Size in bytes, before any encoding. */
  readonly size?: number | undefined;
}

/** A link to a resource, which the receiver reads by its URI. */
export interface ResourceLinkBlock extends ResourceDescription, BlockExtras {
  /** Discriminant. */
  readonly type: "resource_link";
}

/** Contents of a resource: text, or bytes in base64. */
export type ResourceContents =
  & {
    /** URI at which it can be read. */
    readonly uri: string;
    /** Media type, such as `text/markdown`. */
    readonly mimeType?: string | undefined;
    /** Metadata of the block for programs, under names with a prefix. */
    readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  }
  & ({
    /** The text. */
    readonly text: string;
  } | {
    /** The bytes, in base64. */
    readonly blob: string;
  });

/** A block that contains the contents of a resource, where {@link ResourceLinkBlock} only refers to them. */
export interface EmbeddedResourceBlock extends BlockExtras {
  /** Discriminant. */
  readonly type: "resource";
  /** The contents. */
  readonly resource: ResourceContents;
}

/** Any content block: text, an image, audio, a link to a resource, or a resource with its contents. */
export type ContentBlock = TextBlock | MediaBlock | ResourceLinkBlock | EmbeddedResourceBlock;
