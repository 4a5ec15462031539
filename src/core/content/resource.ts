import type { ContentAnnotations, Icon, ResourceDescription, ResourcePart } from "../call/content.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { PartDefinition } from "../tool/part.ts";
import type { CreateContentCatalog } from "./catalog.ts";
import type { Completers } from "./completion.ts";
import type { ContentCtx, ListingCtx } from "./prompt.ts";
import type { UriTemplate, UriVariables } from "./uri_template/uri_template.ts";

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
 * A finished resource, or template of resources: what `createServer({ resources })` takes.
 *
 * @typeParam Uri The URI or template, a literal.
 */
export interface Resource<Uri extends string = string> {
  /** Unique on a server. */
  readonly uri: Uri;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~resource": ResourceDefinition;
  /** @internal */
  readonly "~catalog": CreateContentCatalog;
}
