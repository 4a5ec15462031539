/**
 * One version of a webtool, as a server has it: its metadata as text that stays the same to the byte, and its calls.
 *
 * @module
 */
import { CallConfig, type CheckConfig } from "../../../core/call/call_config.ts";
import type { Call, Principal } from "../../../core/call/call.ts";
import type { CallResult } from "../../../core/call/outcome.ts";
import { encodeBase64, sha256, toHex } from "../../../internal/encoding.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { SCHEMA_ADAPTERS } from "../../../core/schema/adapters.ts";
import { type CompiledSchema, compileSchema } from "../../../core/schema/compile.ts";
import type { JsonSchema, Schema } from "../../../core/schema/standard_schema.ts";
import { isVisibleTo } from "../../../core/tool/access.ts";
import type { ToolListing } from "../../../core/tool/listing.ts";
import type { ToolDefinition } from "../../../core/tool/definition.ts";
import type { WebtoolAction, WebtoolMetadata } from "../messages/metadata.ts";

type Config = Readonly<Record<string, unknown>>;

/** What a version is made of. */
export interface VersionOptions {
  /** Name of the webtool. */
  readonly name: string;
  /** What it is for. */
  readonly description: string;
  /** Semantic version. */
  readonly version: string;
  /** What the config has to be; `undefined`: what its tools say. */
  readonly config: Schema | undefined;
  /** What the config is where the caller says nothing else. */
  readonly defaultConfig: Config | undefined;
}

/** Tools, and how they are called. */
export interface VersionTools {
  /** As they are listed. */
  readonly tools: readonly ToolListing[];
  /** As they are defined, in the same order. */
  readonly definitions: readonly ToolDefinition[];
  /** Runs one call. */
  call(call: Call): MaybePromise<CallResult>;
}

/** The metadata as it is sent, with its SHA-256. */
export interface MetadataDigest {
  /** In hexadecimal. */
  readonly hex: string;
  /** In Base64, as the header `Repr-Digest` has it. */
  readonly base64: string;
}

/** One version. */
export class ServedVersion {
  /** The metadata, as JSON text. */
  readonly json: string;
  /** Whether it is the same for all callers: some may not know of all tools. */
  readonly isForAll: boolean;
  /** The action that is meant where none is named: the only one. */
  readonly onlyAction: string | undefined;
  /** Names of the actions. */
  readonly actions: readonly string[];
  /** Runs one call. */
  readonly call: VersionTools["call"];
  readonly #options: VersionOptions;
  readonly #tools: VersionTools;
  readonly #check: CheckConfig | undefined;
  #digest: Promise<MetadataDigest> | undefined = undefined;

  /** @throws {TypeError} If a schema cannot become JSON Schema, or a default cannot be written as JSON. */
  constructor(options: VersionOptions, tools: VersionTools, isForAll: boolean = isKnownToAll(tools)) {
    const { name, description, version, config, defaultConfig } = options;
    const where = `Config schema of webtool "${name}" ${version}`;
    const compiled = config && compileSchema(config, { where, isObject: true, adapters: SCHEMA_ADAPTERS });
    const [system, own] = [true, false].map((isSystem) =>
      tools.tools.filter((tool) => isSystemTool(tool) === isSystem)
    );
    // Whoever takes the first action means one of the webtool's own.
    const actions = [...own ?? [], ...system ?? []].map(toAction);
    const metadata: WebtoolMetadata = {
      name,
      description,
      version,
      actions,
      configSchema: compiled?.jsonSchema ?? mergeConfigs(tools.definitions, where),
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
  }

  /** The config of a call; `undefined` if neither the caller nor the webtool says anything: then the server's counts. */
  configure(config: Config | undefined): CallConfig | undefined {
    const { defaultConfig } = this.#options;
    if (config === undefined && defaultConfig === undefined && this.#check === undefined) return undefined;
    return new CallConfig({ ...defaultConfig, ...config }, this.#check);
  }

  /** The same, as a caller may see it. */
  seenBy(principal: Principal | undefined): ServedVersion {
    const { tools, definitions: plans, call } = this.#tools;
    const isSeen = plans.map((plan) => isVisibleTo(plan, principal));
    if (!isSeen.includes(false)) return this;
    const seen = <Item>(items: readonly Item[]) => items.filter((_, index) => isSeen[index]);
    return new ServedVersion(this.#options, { tools: seen(tools), definitions: seen(plans), call }, false);
  }

  /** SHA-256 of the metadata as it is sent. Not made before it is asked for: some runtimes cannot while modules load. */
  digest(): Promise<MetadataDigest> {
    return this.#digest ??= sha256(this.json).then((bytes) => ({ hex: toHex(bytes), base64: encodeBase64(bytes) }));
  }
}

function isKnownToAll({ definitions: plans }: VersionTools): boolean {
  return plans.every(({ isVisible }) => isVisible === undefined);
}

function isSystemTool({ "@type": type }: ToolListing): boolean {
  return type === "system";
}

function toAction({ name, description, inputSchema, outputSchema, ...rest }: ToolListing): WebtoolAction {
  return { name, description, requestSchema: inputSchema, responseSchema: outputSchema ?? {}, ...rest };
}

/** What several tools want of one config: all of it. */
function mergeConfigs(plans: readonly ToolDefinition[], where: string): JsonSchema {
  const configs = plans.flatMap(({ config }): CompiledSchema[] => (config === undefined ? [] : [config]));
  const distinct = new Map(configs.map(({ jsonSchema }) => [JSON.stringify(jsonSchema), jsonSchema]));
  const [first, ...others] = distinct.values();
  if (first === undefined) return { type: "object" };
  if (others.length === 0) return first;
  if ([...distinct.keys()].some((text) => text.includes('"$ref"'))) {
    throw new TypeError(`${where} cannot be put together of its tools': one refers to itself; pass { config: … }`);
  }
  return { type: "object", allOf: [first, ...others] };
}
