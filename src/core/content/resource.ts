import {
  type ContentAnnotations,
  type Icon,
  type ResourceContents,
  type ResourceDescription,
  type ResourcePart,
  toResourceContents,
} from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { PartDefinition } from "../tool/part.ts";
import type { Completers } from "./completion.ts";
import type { UriTemplate, UriVariables } from "./uri_template/uri_template.ts";
import { ToolError } from "../errors/tool_error.ts";
import { isJsonObject, omitUndefined } from "../../internal/json.ts";
import type { ContentCtx, ListingCtx } from "../handler/context.ts";

/**
 * What reading a resource gives: text, bytes, one or several parts; `undefined` or `null` if there is no such resource. A part may have
 * a URI of its own, as the files of a folder do.
 */
export type ResourceAnswer =
  | string
  | Uint8Array
  | ResourcePartAt
  | readonly ResourcePartAt[]
  | null
  | undefined;

/** One part of what a resource holds. */
export type ResourcePartAt = ResourcePart & {
  /** Where it can be read by itself. Default: the URI that was read. */
  readonly uri?: string;
};

/** One resource of a template, as `.list()` gives it. Type, icons and annotations that are left out are the template's; the name is the URI. */
export interface ListedResource<Variables = UriVariables> extends Partial<Omit<ResourceDescription, "uri">> {
  /** What makes its URI of the template. */
  readonly variables: Variables;
  /** Hints on its use. */
  readonly annotations?: ContentAnnotations;
}

/** Everything about a resource that does not change from request to request; made once, by `defineResource`. */
export interface ResourceDefinition {
  /** The URI, or the template of URIs. */
  readonly uri: string;
  /** `undefined` if the URI is one. */
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
  /** What callers have to have, all of them. */
  readonly scopes: readonly string[];
  /** The part of the server that it is of; `undefined` for the server itself. */
  readonly part: PartDefinition | undefined;
  /** The server elsewhere that reads it; `undefined` if it is read here. */
  readonly remote: object | undefined;
  readonly list: ((ctx: ListingCtx) => MaybePromise<readonly ListedResource[]>) | undefined;
  readonly reader: (variables: UriVariables, ctx: ContentCtx, uri: string) => MaybePromise<ResourceAnswer>;
}

/**
 * What was read, as it is sent.
 *
 * @throws {ToolError} `resource_not_found` if nothing was there.
 * @throws {TypeError} If the reader gave something else than text or bytes.
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
        `undefined says that there is no such resource`,
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

/** A resource as it is listed to callers. Members that are absent are left out. */
export interface ResourceListing extends ResourceDescription {
  /** Hints on its use. */
  readonly annotations?: ContentAnnotations;
  /** The resource's own metadata. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A template of resources as it is listed to callers. Members that are absent are left out. */
export interface ResourceTemplateListing extends Omit<ResourceListing, "uri" | "size"> {
  /** Gives their URIs (RFC 6570). */
  readonly uriTemplate: string;
}

/** Describes a resource with a URI of its own to callers. */
export function listResource(definition: ResourceDefinition): ResourceListing {
  const { uri, size } = definition;
  return { uri, ...commonMembers(definition), ...omitUndefined({ size }) };
}

/** Describes a template of resources to callers. */
export function listTemplate(definition: ResourceDefinition): ResourceTemplateListing {
  return { uriTemplate: definition.uri, ...commonMembers(definition) };
}

function commonMembers(definition: ResourceDefinition): Omit<ResourceListing, "uri"> {
  const { name, title, description, icons, mimeType, annotations, meta } = definition;
  return { name, ...omitUndefined({ title, description, icons, mimeType, annotations, _meta: meta }) };
}
