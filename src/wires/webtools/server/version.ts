/**
 * One version of a webtool on a server: its metadata, encoded once so that its digest stays the same, and its calls.
 */
import { CallConfig, type CheckConfig } from "../../../core/call/call_config.ts";
import { configure } from "../../../core/dispatch/run_config.ts";
import type { Call, Principal } from "../../../core/call/call.ts";
import type { CallResult } from "../../../core/call/outcome.ts";
import { encodeBase64, sha256, toHex } from "../../../internal/encoding.ts";
import type { MaybeFuture } from "../../../internal/future.ts";
import { RecentMap } from "../../../internal/recent_map.ts";
import { SCHEMA_ADAPTERS } from "../../../core/schema/all_adapters.ts";
import { type CompiledSchema, compileSchema } from "../../../core/schema/compile.ts";
import { assertReferences } from "../../../core/schema/references.ts";
import type { JsonSchema, Schema } from "../../../core/schema/standard_schema.ts";
import { isVisibleTo } from "../../../core/tool/access.ts";
import type { ToolListing } from "../../../core/tool/listing.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import type { WebtoolAction, WebtoolMetadata } from "../messages/metadata.ts";

type Config = Readonly<Record<string, unknown>>;

/** Options of a {@link ServedVersion}. */
export interface VersionOptions {
  readonly name: string;
  /** Purpose, for people and models. */
  readonly description: string;
  readonly version: string;
  /** Schema of the config; `undefined` for the schemas of the tools. */
  readonly config: Schema | undefined;
  /** Values of the config that the caller does not set. */
  readonly defaultConfig: Config | undefined;
}

/** Tools of one version of a webtool. */
interface VersionTools {
  readonly tools: readonly ToolListing[];
  /** Definitions, in the same order. */
  readonly definitions: readonly ToolDefinition[];
  /** Definitions of all tools that can be called, if `tools` is a selection of them. Default: `definitions`. */
  readonly callable?: readonly ToolDefinition[];
  call(call: Call): MaybeFuture<CallResult>;
}

/** SHA-256 of the metadata as it is sent. */
interface MetadataDigest {
  readonly hex: string;
  /** In Base64, as in the header `Repr-Digest`. */
  readonly base64: string;
}

/** Maximum number of versions that are kept for callers that see different tools. */
const MAX_VIEWS = 16;

/** One version of a webtool: its metadata, and the calls of its actions. */
export class ServedVersion {
  /** JSON text of the metadata. */
  readonly json: string;
  /** Whether all tools are visible to all callers. */
  readonly isForAll: boolean;
  /** Default action: the only one that is not a system tool; `undefined` if there are several or none. */
  readonly onlyAction: string | undefined;
  readonly actions: readonly string[];
  readonly call: VersionTools["call"];
  readonly #options: VersionOptions;
  readonly #tools: VersionTools;
  readonly #check: CheckConfig | undefined;
  /** The tools that only some callers may see, with their positions. */
  readonly #restricted: readonly (readonly [number, ToolDefinition])[];
  /** The latest versions for callers that see different tools: each call would otherwise encode the metadata of all tools. */
  readonly #views = new RecentMap<ServedVersion>(MAX_VIEWS);
  #digest: Promise<MetadataDigest> | undefined;

  /** @throws {TypeError} If a schema cannot become JSON Schema, or a default cannot be written as JSON. */
  constructor(options: VersionOptions, tools: VersionTools, isForAll: boolean = hasOnlyPublicTools(tools)) {
    const { name, description, version, config, defaultConfig } = options;
    const where = `Config schema of webtool "${name}" ${version}`;
    const compiled = config &&
      compileSchema(config, { where, isObject: true, adapters: SCHEMA_ADAPTERS, check: assertReferences });
    const [system, own] = [true, false].map((isSystem) =>
      tools.tools.filter((tool) => isSystemTool(tool) === isSystem)
    );
    // System tools come last: callers may use the first action by default.
    const actions = [...own ?? [], ...system ?? []].map(toAction);
    const metadata: WebtoolMetadata = {
      name,
      description,
      version,
      actions,
      configSchema: compiled?.jsonSchema ?? mergeConfigs(callableOf(tools), where),
      defaultConfig: defaultConfig ?? {},
    };
    this.json = JSON.stringify(metadata);
    this.isForAll = isForAll;
    this.actions = actions.map((action) => action.name);
    this.onlyAction = own?.length === 1 ? own[0]?.name : undefined;
    this.call = tools.call;
    this.#options = options;
    this.#tools = tools;
    this.#check = compiled?.validate;
    this.#restricted = [...callableOf(tools).entries()].filter(([, { isVisible }]) => isVisible !== undefined);
  }

  /** Returns the config of a call; `undefined` if neither the caller nor the webtool has any. Then that of the server is used. */
  configure(config: Config | undefined): CallConfig | undefined {
    const { defaultConfig } = this.#options;
    if (config === undefined && defaultConfig === undefined && this.#check === undefined) return undefined;
    return new CallConfig({ ...defaultConfig, ...config }, this.#check, configure);
  }

  /** Returns this version with only the tools that are visible to a caller. */
  visibleTo(principal: Principal | undefined): ServedVersion {
    const hidden = this.#restricted.filter(([, definition]) => !isVisibleTo(definition, principal));
    if (hidden.length === 0) return this;
    return this.#views.getOrMake(hidden.map(([index]) => index).join(), () => this.#without(hidden));
  }

  #without(hidden: readonly (readonly [number, ToolDefinition])[]): ServedVersion {
    const { tools, definitions, call } = this.#tools;
    const left = new Set(hidden.map(([, definition]) => definition));
    const isVisible = (definition: ToolDefinition | undefined) => definition !== undefined && !left.has(definition);
    const visibleTools = {
      tools: tools.filter((_, index) => isVisible(definitions[index])),
      definitions: definitions.filter(isVisible),
      callable: callableOf(this.#tools).filter(isVisible),
      call,
    };
    return new ServedVersion(this.#options, visibleTools, false);
  }

  /** Returns the SHA-256 of the metadata as it is sent. Computed at the first call: some runtimes cannot while modules load. */
  digest(): Promise<MetadataDigest> {
    return this.#digest ??= sha256(this.json).then((bytes) => ({ hex: toHex(bytes), base64: encodeBase64(bytes) }));
  }
}

function callableOf({ definitions, callable = definitions }: VersionTools): readonly ToolDefinition[] {
  return callable;
}

function hasOnlyPublicTools(tools: VersionTools): boolean {
  return callableOf(tools).every(({ isVisible }) => isVisible === undefined);
}

function isSystemTool({ "@type": type }: ToolListing): boolean {
  return type === "system";
}

function toAction({ name, description, inputSchema, outputSchema, ...rest }: ToolListing): WebtoolAction {
  return { name, description, requestSchema: inputSchema, responseSchema: outputSchema ?? {}, ...rest };
}

/** Makes one config schema that requires those of all tools. */
function mergeConfigs(definitions: readonly ToolDefinition[], where: string): JsonSchema {
  const configs = definitions.flatMap(({ config }): CompiledSchema[] => (config === undefined ? [] : [config]));
  const distinct = new Map(configs.map(({ jsonSchema }) => [JSON.stringify(jsonSchema), jsonSchema]));
  const [first, ...others] = distinct.values();
  if (first === undefined) return { type: "object" };
  if (others.length === 0) return first;
  if ([...distinct.keys()].some((text) => text.includes('"$ref"'))) {
    throw new TypeError(
      `${where}: the schemas of its tools cannot be merged into one, because one has a $ref; pass { config: … }`,
    );
  }
  return { type: "object", allOf: [first, ...others] };
}

const PATTERN =
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;

/** Whether a text is a semantic version. */
export function isSemver(version: string): boolean {
  return PATTERN.test(version);
}

/** Returns the highest release; if there are only pre-releases, the highest of them. */
export function latestOf(versions: readonly string[]): string | undefined {
  const sorted = versions.toSorted(compareSemver);
  return sorted.findLast((version) => preReleaseOf(version) === undefined) ?? sorted.at(-1);
}

/** Compares as `Array.sort` needs it: negative if `one` is lower. */
function compareSemver(one: string, other: string): number {
  const [numbers, otherNumbers] = [numbersOf(one), numbersOf(other)];
  const at = numbers.findIndex((number, index) => number !== otherNumbers[index]);
  if (at !== -1) return (numbers[at] ?? 0) - (otherNumbers[at] ?? 0);
  const [pre, otherPre] = [preReleaseOf(one), preReleaseOf(other)];
  if (pre === undefined || otherPre === undefined) return Number(pre === undefined) - Number(otherPre === undefined);
  return comparePreReleases(pre.split("."), otherPre.split("."));
}

function comparePreReleases([one, ...rest]: readonly string[], [other, ...otherRest]: readonly string[]): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  if (one === other) return comparePreReleases(rest, otherRest);
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : 1;
}

function numbersOf(version: string): number[] {
  return (PATTERN.exec(version) ?? []).slice(1, 4).map(Number);
}

function preReleaseOf(version: string): string | undefined {
  return PATTERN.exec(version)?.[4];
}
