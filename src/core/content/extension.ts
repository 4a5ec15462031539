/** Extensions of MCP that resources bring. */
import type { ErrorResult } from "../call/outcome.ts";

/** What a method of an extension returns: members of its result, a list that is sent in pages, or an error. */
export type ExtensionAnswer = { readonly members: Readonly<Record<string, unknown>> } | ExtensionPage | ErrorResult;

/** A list that is sent in pages. */
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

/** What a resource says of its extension. */
export interface ResourceExtension {
  /** Creates the extension of a server from the data of all resources that have this function. */
  readonly join: (data: readonly unknown[]) => ContentExtension;
  /** Data of the resource for the extension. */
  readonly data: unknown;
}
