import { type Complete, isJsonObject, type Members } from "../../../internal/json.ts";
import { OBJECT, type OptionRules, POSITIVE, rule, wholeNumber } from "../../../internal/options.ts";
import type { RequestWire, WireHost } from "../../wire.ts";
import { LEGACY_VERSIONS, type LegacyVersion, MODERN_VERSION, TASKS_EXTENSION } from "../protocol/constants.ts";
import { ChangeStreams } from "./change_streams.ts";
import type { ContentHandlers } from "./content_handlers.ts";
import type { McpMethods } from "./custom_method_types.ts";
import type { CustomMethods } from "./custom_methods.ts";
import type { McpFeatures, ServedTasks } from "./features.ts";
import { type CacheHints, Revision } from "./revision.ts";
import { ToolCallRunner } from "./tool_calls.ts";
import { McpTools } from "./tools.ts";

/** Options of MCP that do not depend on the transport. */
export interface ProtocolOptions<Methods = McpMethods> {
  /**
   * Whether messages of `ctx.log` are sent to callers that request them. Lines for which the handler names no logger have the name of the
   * tool or method, or with `"unnamed"` none. Default: `false`; a log may contain data that callers must not see.
   */
  readonly logging?: boolean | "unnamed" | undefined;
  /** How long clients of 2026-07-28 may cache lists, contents of resources and `server/discover`, and who may share them. Default: not. */
  readonly cache?: CacheHints | undefined;
  /** Maximum number of items on a page of a list. Default: 250. */
  readonly pageSize?: number | undefined;
  /**
   * Time limit for the answer to a question in milliseconds, in revisions where the server asks over the open stream. Default:
   * 600,000 (ten minutes, as long as a continuation is valid): people answer. The client's own request may end before.
   */
  readonly askTimeoutMs?: number | undefined;
  /** Methods beside those of MCP, by name: `{ "acme/stats": { params, result, handle } }`. Default: none. */
  readonly methods?: Methods | undefined;
}

/** The wire that `mcp()` creates. `serveStdio` reads its options, so that they apply there, too. */
export interface McpWire extends RequestWire {
  readonly "~protocol": ProtocolOptions;
}

/** The members of {@link ProtocolOptions} other than methods, with defaults for those that are left out. */
export type ProtocolSettings = Complete<Omit<ProtocolOptions, "methods">>;

export const PROTOCOL_RULES: OptionRules<ProtocolOptions> = {
  logging: rule('true, false or "unnamed"', (value) => typeof value === "boolean" || value === "unnamed"),
  cache: rule('{ ttlMs: 0, scope: "private" }, or the like', isCacheHints),
  pageSize: wholeNumber(1),
  askTimeoutMs: POSITIVE,
  methods: OBJECT,
};

function isCacheHints(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { ttlMs, scope } = value;
  return Number.isInteger(ttlMs) && (ttlMs as number) >= 0 && (scope === "public" || scope === "private");
}

/** A capability of a server. Without it, the methods that need it are unknown. */
export type Capability = "tools" | "logging" | "completions" | "prompts" | "resources" | "tasks";

/** Condition and optional features of each capability, in the order of their declaration. All features are notifications. */
const CAPABILITIES: Readonly<
  Record<Capability, { isOffered(server: McpServer): boolean; readonly features?: Members }>
> = {
  tools: { isOffered: () => true, features: { listChanged: true } },
  logging: { isOffered: ({ settings }) => settings.logging !== false },
  completions: { isOffered: ({ host: { catalog } }) => catalog?.canComplete === true },
  prompts: {
    isOffered: ({ host: { catalog } }) => catalog?.hasPrompts === true,
    features: { listChanged: true },
  },
  resources: {
    isOffered: ({ host: { catalog } }) => catalog?.hasResources === true,
    features: { subscribe: true, listChanged: true },
  },
  tasks: { isOffered: ({ tasks, tools }) => tasks !== undefined && tools.canPromise },
};

/** The parts of an MCP server that all revisions share. There is one for each server and transport. */
export class McpServer {
  readonly host: WireHost;
  readonly settings: ProtocolSettings;
  readonly tools: McpTools;
  readonly calls: ToolCallRunner;
  /** Resources, prompts and completion; `undefined` if `catalog` is not among the features. */
  readonly content: ContentHandlers | undefined;
  /** Deferred calls as tasks; `undefined` if `tasks` is not among the features. */
  readonly tasks: ServedTasks | undefined;
  /** Methods beside those of MCP; `undefined` without the option. */
  readonly custom: CustomMethods | undefined;
  readonly changeStreams: ChangeStreams;
  readonly #revisions: ReadonlyMap<string, Revision>;

  /** @throws {TypeError} If a tool or method violates the rules of MCP, or needs a part that is not among the features. */
  constructor(host: WireHost, options: ProtocolOptions, { tasks, catalog, customMethods }: McpFeatures) {
    const { logging = false, cache = { ttlMs: 0, scope: "private" }, pageSize = 250, askTimeoutMs = 600_000 } = options;
    this.host = host;
    this.settings = { logging, cache, pageSize, askTimeoutMs };
    this.tools = new McpTools(host);
    this.calls = new ToolCallRunner(host, this.tools, this.namesLogger);
    this.content = catalog?.["~serve"](host, pageSize);
    this.tasks = tasks?.["~serve"](host, this.tools, this.calls);
    const { methods } = options;
    this.custom = methods && customMethods?.["~serve"](host, methods);
    if (methods !== undefined && this.custom === undefined) throw missing("methods", "customMethods: mcpMethods");
    if (tasks === undefined && this.tools.canPromise) throw missing("tools that give promises", "tasks: mcpTasks");
    if (catalog === undefined && host.catalog !== undefined) {
      throw missing("resources and prompts", "catalog: mcpCatalog");
    }
    this.changeStreams = new ChangeStreams(host);
    const versions = [MODERN_VERSION, ...LEGACY_VERSIONS] as const;
    this.#revisions = new Map(versions.map((version) => [version, new Revision(version, host.info, cache)]));
  }

  revision(version: LegacyVersion | typeof MODERN_VERSION): Revision {
    return this.#revisions.get(version) as Revision;
  }

  /** Whether log lines for which a handler names no logger get the name of the tool or method. */
  get namesLogger(): boolean {
    return this.settings.logging !== "unnamed";
  }

  offers(capability: Capability): boolean {
    return CAPABILITIES[capability].isOffered(this);
  }

  /**
   * The capabilities that the server declares in a revision.
   *
   * @param hasNotifications Whether the transport can notify clients of changes.
   */
  capabilities({ isModern, version }: Revision, hasNotifications: boolean): Members {
    const offered = Object.entries(CAPABILITIES).filter(([, { isOffered }]) => isOffered(this));
    const { tasks, ...capabilities } = Object.fromEntries(
      offered.map(([name, { features = {} }]) => [name, hasNotifications ? features : {}]),
    );
    const hasTasks = tasks !== undefined;
    const extensions = { ...(hasTasks && isModern && { [TASKS_EXTENSION]: {} }), ...this.content?.extensions.declared };
    return {
      ...capabilities,
      ...(this.custom && { experimental: this.custom.declared }),
      ...(hasTasks && version === "2025-11-25" && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
      ...(Object.keys(extensions).length > 0 && { extensions }),
    };
  }

  /** Ends the open streams of change notifications. */
  close(): void {
    this.changeStreams.close();
  }
}

function missing(what: string, option: string): TypeError {
  return new TypeError(`Cannot create server: ${what} need mcp({ ${option} }), from "toolwire/mcp"`);
}
