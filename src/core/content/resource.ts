import {
  type ContentAnnotations,
  type Icon,
  type ResourceContents,
  type ResourceDescription,
  type ResourcePart,
  toResourceContents,
} from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Access } from "../tool/access.ts";
import type { PartDefinition } from "../tool/part.ts";
import type { Completers } from "./completion.ts";
import type { ResourceExtension } from "./extension.ts";
import type { UriTemplate, UriVariables } from "./uri_template/uri_template.ts";
import { ToolError } from "../errors/tool_error.ts";
import { isJsonObject, omitUndefined } from "../../internal/json.ts";
import type { ContentCtx, ListingCtx } from "../handler/context.ts";

/**
 * Return value of a reader: text, bytes, one or several parts. `undefined`, `null` or an empty array: there is no such resource. A
 * part may have its own URI, like a file in a folder.
 */
export type ResourceAnswer =
  | string
  | Uint8Array
  | ResourcePartAt
  | readonly ResourcePartAt[]
  | null
  | undefined;

/** One part of the contents that a reader returns: text or bytes, with its own URI if it has one. */
export type ResourcePartAt = ResourcePart & {
  /** URI of the part. Default: the URI that was read. */
  readonly uri?: string;
};

/**
 * A resource in the return value of `.list()`. Its URI is expanded from the variables, and is its default name. Media type, icons
 * and annotations default to those of the template.
 */
export interface ListedResource<Variables = UriVariables> extends Partial<Omit<ResourceDescription, "uri">> {
  /** Variables from which its URI is expanded. */
  readonly variables: Variables;
  /** Hints for the use of the resource: its audience, priority and last change. */
  readonly annotations?: ContentAnnotations;
  /** Metadata: members of its `_meta`. That of the template is not among them. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Definition of a resource or template, created by `defineResource`, by an extension such as MCP Apps, or for a remote server. */
export interface ResourceDefinition {
  /** URI or URI template. */
  readonly uri: string;
  /** The parsed URI template; `undefined` for a resource with a fixed URI. */
  readonly template: UriTemplate | undefined;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly icons: readonly Icon[] | undefined;
  readonly mimeType: string | undefined;
  readonly annotations: ContentAnnotations | undefined;
  readonly size: number | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly completers: Completers;
  /** Scopes that callers need, all of them. */
  readonly scopes: readonly string[];
  /** Part of the server that the resource belongs to. `undefined` for the server itself. */
  readonly part: PartDefinition | undefined;
  /** Whether a caller may see the page of a view: as its tool, that of the part included. Default: as the part. */
  readonly isVisible?: Access["isVisible"];
  /** Remote server that reads it. `undefined` if it is read here. */
  readonly remote: object | undefined;
  /** Whether `resources/list` has it. A resource of an extension may be listed by the extension alone. */
  readonly isListed: boolean;
  /** Extension that the resource belongs to. `undefined` for none. */
  readonly extension: ResourceExtension | undefined;
  readonly list: ((ctx: ListingCtx) => MaybePromise<readonly ListedResource[]>) | undefined;
  readonly reader: (variables: UriVariables, ctx: ContentCtx, uri: string) => MaybePromise<ResourceAnswer>;
}

/**
 * Converts the return value of a reader to MCP contents. Parts without a URI get `uri`, those without a media type get the resource's.
 *
 * @throws {ToolError} `resource_not_found` if there is no part: `undefined`, `null` or an empty array. Empty text is a part.
 * @throws {TypeError} If it contains anything but text and bytes.
 */
export function toResourceContentsList(
  definition: ResourceDefinition,
  uri: string,
  answer: ResourceAnswer,
): readonly ResourceContents[] {
  const parts = partsOf(answer);
  if (parts.length === 0) throw new ToolError("resource_not_found", "Resource not found", { details: { uri } });
  if (!parts.every(isPart)) {
    throw new TypeError(
      `The reader of resource "${definition.uri}" has to return text, bytes, or parts such as { text } and { blob }; ` +
        `undefined means that there is no such resource`,
    );
  }
  return parts.map(({ uri: own = uri, ...part }) => toResourceContents(part, own, definition.mimeType));
}

function partsOf(answer: ResourceAnswer): readonly ResourcePartAt[] {
  if (answer === undefined || answer === null) return [];
  if (typeof answer === "string") return [{ text: answer }];
  return answer instanceof Uint8Array ? [{ blob: answer }] : [answer].flat();
}

function isPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  const { text, blob } = part;
  if ("text" in part) return typeof text === "string" && !("blob" in part);
  return typeof blob === "string" || blob instanceof Uint8Array;
}

/** Entry of a resource in `resources/list`. Undefined members are omitted. */
export interface ResourceListing extends ResourceDescription {
  /** Hints for the use of the resource: its audience, priority and last change. */
  readonly annotations?: ContentAnnotations | undefined;
  /** Metadata of the resource. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Entry of a resource template in `resources/templates/list`. Undefined members are omitted. */
export interface ResourceTemplateListing extends Omit<ResourceListing, "uri" | "size"> {
  /** URI template (RFC 6570). */
  readonly uriTemplate: string;
}

/** Creates the entry of a resource with a fixed URI for `resources/list`. */
export function listResource(definition: ResourceDefinition): ResourceListing {
  const { uri, size } = definition;
  return { uri, ...commonMembers(definition), ...omitUndefined({ size }) };
}

/** Creates the entry of a resource template for `resources/templates/list`. */
export function listTemplate(definition: ResourceDefinition): ResourceTemplateListing {
  return { uriTemplate: definition.uri, ...commonMembers(definition) };
}

function commonMembers(definition: ResourceDefinition): Omit<ResourceListing, "uri"> {
  const { name, title, description, icons, mimeType, annotations, meta } = definition;
  return { name, ...omitUndefined({ title, description, icons, mimeType, annotations, _meta: meta }) };
}
