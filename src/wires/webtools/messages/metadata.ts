/**
 * What a webtool says about itself.
 *
 * Source: Webtools 2025-06-30, "GET {webtoolUrl}/".
 *
 * @module
 */

/** One action of a webtool. */
export interface WebtoolAction {
  /** Names it, uniquely in its version. */
  readonly name: string;
  /** What it does, for people and models. */
  readonly description: string;
  /** JSON Schema of `request`. */
  readonly requestSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of `data`. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  /** Whatever else it says: `title`, `annotations`, … */
  readonly [member: string]: unknown;
}

/** What `GET` gives: a webtool, in one version. */
export interface WebtoolMetadata {
  /** Name of the webtool. */
  readonly name: string;
  /** What it is for, for people and models. */
  readonly description: string;
  /** Semantic version. */
  readonly version: string;
  /** What it can do. */
  readonly actions: readonly WebtoolAction[];
  /** JSON Schema of `config`. */
  readonly configSchema: Readonly<Record<string, unknown>>;
  /** What `config` is where the caller says nothing else. */
  readonly defaultConfig: Readonly<Record<string, unknown>>;
  /** Whatever else it says. */
  readonly [member: string]: unknown;
}
