/**
 * Metadata of a webtool.
 *
 * Source: Webtools 2025-06-30, "GET {webtoolUrl}/".
 *
 * @module
 */

/** One action of a webtool in its metadata: a tool with its schemas. */
export interface WebtoolAction {
  /** Name, unique in its version. */
  readonly name: string;
  /** Purpose, for people and models. */
  readonly description: string;
  /** JSON Schema of `request`. */
  readonly requestSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of `data`. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  /** Further members: `title`, `annotations`, … */
  readonly [member: string]: unknown;
}

/** Metadata of one version, as `GET` returns it. */
export interface WebtoolMetadata {
  /** Name of the webtool. */
  readonly name: string;
  /** Purpose, for people and models. */
  readonly description: string;
  /** Semantic version. */
  readonly version: string;
  /** Actions. */
  readonly actions: readonly WebtoolAction[];
  /** JSON Schema of `config`. */
  readonly configSchema: Readonly<Record<string, unknown>>;
  /** Values of `config` that the caller does not set. */
  readonly defaultConfig: Readonly<Record<string, unknown>>;
  /** Further members. */
  readonly [member: string]: unknown;
}
