/** Extensions of MCP that resources bring. */
import type { ErrorResult } from "../call/outcome.ts";
import { VIEW_EXTENSION, VIEW_SETTINGS } from "../call/views.ts";

/** What a method of an extension returns: members of its result, a list that is sent in pages, or an error. */
export type ExtensionAnswer = { readonly members: Readonly<Record<string, unknown>> } | ExtensionPage | ErrorResult;

/** A list that a method of an extension returns, and that the wire sends in pages. */
export interface ExtensionPage {
  /** Name of the list in the result. */
  readonly list: string;
  /** The items; the same array while they do not change. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** An extension of MCP that resources bring: what its servers declare, and its methods. */
export interface ContentExtension {
  /** Identifier, such as `io.modelcontextprotocol/skills`. */
  readonly id: string;
  /** Settings that the server declares. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The methods by name. All callers may cache the results. */
  readonly methods: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => ExtensionAnswer>>;
}

/** The MCP extension that a resource brings to its server, as a view brings MCP Apps. */
export interface ResourceExtension {
  /** Creates the extension of a server from the data of all resources that have this function. */
  readonly join: (data: readonly unknown[]) => ContentExtension;
  /** Data of the resource for the extension. */
  readonly data: unknown;
  /** Resources with the same URI and key are one. Tools may share a view. */
  readonly key?: string | undefined;
}

/**
 * Creates the extension of a server with views (MCP Apps) from their URIs.
 *
 * @throws {TypeError} If two views that differ have the same URI.
 */
export function joinViews(uris: readonly unknown[]): ContentExtension {
  const twice = uris.find((uri, index) => uris.indexOf(uri) !== index);
  if (twice !== undefined) {
    throw new TypeError(`Cannot create server: two views that differ are at "${twice}"; give one of them another uri`);
  }
  return { id: VIEW_EXTENSION, settings: { ...VIEW_SETTINGS }, methods: {} };
}
