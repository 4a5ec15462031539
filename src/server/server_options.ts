/**
 * Options of a server. They are in one interface, so that a reader of its documentation sees all of them; the others are parts of it.
 *
 * A server within another one is an option of the whole and has such options itself, so its types are here, too.
 */
import type { ChangeBus } from "../core/call/changes.ts";
import type { Icon } from "../core/call/content.ts";
import type { Prompt, Resource } from "../core/content/content_catalog.ts";
import type { CompletionTarget } from "../core/dispatch/job_notifier.ts";
import type { Schedule } from "../core/dispatch/schedule_contract.ts";
import type { Logger } from "../core/handler/context.ts";
import type { CallLogger, Middleware, OnError } from "../core/handler/middleware.ts";
import type { UnknownArgumentsMode } from "../core/schema/unknown_arguments.ts";
import type { TokenKeys } from "../core/token/token.ts";
import type { AccessOptions } from "../core/tool/access.ts";
import type { AnyTool, ToolDefinition } from "../core/tool/definition.ts";
import type { PartTools } from "../core/tool/registry.ts";
import type { Engine, WorkOptions } from "../core/dispatch/engine.ts";
import type { Optional } from "../internal/json.ts";
import type { Clock } from "../internal/time.ts";
import type { Limits, RequestWire } from "../wires/wire.ts";
import type { Auth } from "./auth.ts";
import type { Discovery } from "./discovery/discover.ts";

/**
 * Options of `createServer`.
 *
 * @typeParam Tools The tools, as a tuple.
 * @typeParam Parts The parts, as a tuple.
 */
export interface ServerOptions<
  Tools extends readonly AnyTool[] = readonly AnyTool[],
  Parts extends readonly ServerPart[] = readonly [],
> {
  /** Name of the server. Default: `"toolwire"`. */
  readonly name?: string | undefined;
  /** Version of the server. Default: `"0.0.0"`. */
  readonly version?: string | undefined;
  /** Title, for people. */
  readonly title?: string | undefined;
  /** Purpose of the server, for people. */
  readonly description?: string | undefined;
  /** Instructions for models that use the tools. */
  readonly instructions?: string | undefined;
  /** URL of a page about the server. */
  readonly websiteUrl?: string | undefined;
  /** Icons of the server. */
  readonly icons?: readonly Icon[] | undefined;
  /** The tools, in the order in which they are listed. */
  readonly tools: Tools;
  /** Servers within this one, by `group` and `mount` of `./compose`; their tools are listed after its own. Default: none. */
  readonly parts?: Parts | undefined;
  /** Resources, by `defineResource` of `./mcp`, in the order in which they are listed. Default: none. */
  readonly resources?: readonly Resource[] | undefined;
  /** Prompts, by `definePrompt` of `./mcp`, in the order in which they are listed. Default: none. */
  readonly prompts?: readonly Prompt[] | undefined;
  /** Protocols of the server over HTTP. Default: `[mcp(), mcpLite()]`; of `./core`, `[mcpLite()]`. */
  readonly wires?: readonly RequestWire[] | undefined;
  /** Path below which all wires answer, such as `/api`. gRPC and metadata of protected resources also answer at the root. Default: the root. */
  readonly basePath?: string | undefined;
  /** Lists few tools and lets models search for the others: `discover()` of `./discovery`. Default: all tools are listed. */
  readonly discovery?: Discovery | undefined;
  /** Authenticates callers on every wire, by `jwt`, `bearer` or `authenticate` of `./auth`. Default: callers are anonymous. */
  readonly auth?: Auth | undefined;
  /** Host names (with or without port) under which the server may be reached. Default: any. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins, beside the server's own, whose pages may call it: `https://app.example`; `"*"` for all. Default: none. */
  readonly origins?: readonly string[] | "*" | undefined;
  /** Whether to answer preflights and send CORS headers to the allowed `origins`. Default: no. */
  readonly cors?: boolean | CorsOptions | undefined;
  /** Runs around every call of every tool; the first is the outermost. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Converts errors that no tool declared to errors for the caller. Default: the caller gets a correlation id only. */
  readonly onError?: OnError | undefined;
  /** Time limit of calls whose tool sets none, in milliseconds; for streams, the longest time between two events. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Limits on requests and results: body size, nesting, and lengths of answers and results. */
  readonly limits?: Optional<Limits> | undefined;
  /**
   * What happens to arguments that a tool does not declare, unless the tool has `.unknownArguments()`. `"suggest"` refuses a name
   * that is close to a declared one that is absent, and drops any other; `"refuse"` refuses all; `"drop"` drops all. A schema
   * that allows or refuses other properties decides for itself. Default: `"suggest"`.
   */
  readonly unknownArguments?: UnknownArgumentsMode | undefined;
  /**
   * Config for tools with `.config()` whose calls bring none, as on all wires but Webtools. It is checked at each call, and
   * neither logged nor sent. Default: `{}`, so that defaults of the schema apply.
   */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Receives masked errors, warnings and the lines of `ctx.log`; `pretty()` and `json()` of `./middleware` also write a line for
   * each call. Default: warnings and errors are written with `console.error`; `false` for no log.
   */
  readonly logger?: Logger | CallLogger | false | undefined;
  /**
   * Signs promise tokens, continuations and caller state; replicas need the same keys. `kid:secret`, several of them, separated by
   * commas or in an array, or what `keyRing()`, `sealed()` or `keysFromEnv()` gives. The first signs, all verify; each secret has at
   * least 32 bytes. Default: a random key of this process, with a warning at its first use.
   */
  readonly keys?: string | readonly string[] | TokenKeys | undefined;
  /** Runs the work of tools with `.promise()`. Default: `memoryEngine()`, which loses jobs when the process ends. */
  readonly engine?: Engine | undefined;
  /**
   * Calls of tools at times of the clock, by `every` and `cron` of `./schedules`: each once over all replicas. They begin when the
   * server listens by `serve`, at `server.work()`, or at the first call that needs the engine.
   */
  readonly schedules?: readonly Schedule[] | undefined;
  /**
   * What is notified when jobs end, by `webhook` of `./webhooks`: promised work, calls with an idempotency key, and calls of
   * schedules. All replicas need the same.
   */
  readonly onComplete?: readonly CompletionTarget[] | undefined;
  /** Number of jobs that run at once in this process; `false` for none. Default: `{ concurrency: 10 }`. */
  readonly work?: WorkOptions | false | undefined;
  /**
   * Runs around every run of deferred work that an engine starts, outside of the tool's middleware; the first is the outermost.
   * There is no caller then: no headers, but the principal of the call, if it had one. Default: none.
   */
  readonly jobMiddleware?: readonly Middleware[] | undefined;
  /** Carries notifications of changes to all replicas. Default: a bus within this process. */
  readonly changes?: ChangeBus | undefined;
  /** Source of time. Default: the system's clock; others are for tests. */
  readonly clock?: Clock | undefined;
}

/** CORS for pages of the allowed origins. */
export interface CorsOptions {
  /** Time that a browser may cache the answer to a preflight, in seconds. Default: 600. */
  readonly maxAgeSeconds?: number | undefined;
  /** Response headers that pages may read, beside those that the server's wires need them to. Default: `["retry-after", "www-authenticate"]`. */
  readonly exposeHeaders?: readonly string[] | undefined;
}

/** The hosts and origins that requests may have. */
export type OriginPolicy = Pick<ServerOptions, "hosts" | "origins" | "cors">;

/**
 * A server within another one: returned by `group` and `mount` of `./compose`, for `createServer({ parts: [ … ] })`.
 *
 * @typeParam Tools Its tools, under the names that they have there.
 */
export interface ServerPart<Tools extends AnyTool = AnyTool> {
  /** Types only; never present at run time. */
  readonly "~tools"?: readonly Tools[] | undefined;
  /**
   * Joins all parts of a server. Each part carries this function, so that a server without parts does not include the code.
   *
   * @internal
   */
  readonly "~join": MergeParts;
}

/** A server, or a gateway of `./compose`: what can be a part of a server. */
export interface Composable<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** Types only; never present at run time. */
  readonly "~tools"?: Tools | undefined;
  /**
   * For the server; not part of the public interface.
   *
   * @internal
   */
  readonly "~contents": ServerContents;
}

/**
 * Options of a server that `group` and `mount` read where it is a part of another one. `auth` and `logger` are then the whole's.
 *
 * @typeParam Parts The parts, as a tuple.
 */
export type ComposableOptions<Parts extends readonly ServerPart[] = readonly ServerPart[]> = Pick<
  ServerOptions<readonly AnyTool[], Parts>,
  | "name"
  | "parts"
  | "resources"
  | "prompts"
  | "auth"
  | "middleware"
  | "jobMiddleware"
  | "onError"
  | "timeoutMs"
  | "limits"
  | "config"
  | "logger"
>;

/** The contents of a server, for another one that it is a part of. */
export interface ServerContents {
  /** Options of the server, as they were passed. */
  readonly options: ComposableOptions;
  /** The current tools; system tools, too. */
  definitions(): readonly ToolDefinition[];
  /** The joined parts of the server; `undefined` if it has none. */
  readonly parts: MergedParts | undefined;
  /** Bus of the changes of its lists and resources. */
  readonly changes: Pick<ChangeBus, "subscribe">;
  /** Which callers may use it, in addition to what its tools state. Default: all. */
  readonly access?: AccessOptions | undefined;
}

/** The parts of a server as one: their tools, resources, prompts and changes. */
export interface MergedParts extends PartTools {
  /** Resources of the server and of its parts. */
  readonly resources: readonly Resource[];
  /** Prompts of the server and of its parts. */
  readonly prompts: readonly Prompt[];
  /** Changes of the server and of its parts; publishes as the server. */
  readonly changes: ChangeBus;
  /** Calls `listener` before a change of the parts' tools is announced. Returns a function that ends this. */
  onDefinitionsChanged(listener: () => void): () => void;
  /** Closes the connections of gateways, and ends notifications. */
  close(): void;
}

/**
 * Joins all parts of a server.
 *
 * @throws {TypeError} If a value is not a part, or a part authenticates its callers and the server does not.
 */
export type MergeParts = (options: ServerContents["options"], own: ChangeBus) => MergedParts;

/** The tools of a server and of its parts. */
export type AllTools<Tools extends readonly AnyTool[], Parts extends readonly ServerPart[]> = Parts extends readonly []
  ? Tools
  : readonly (Tools[number] | NonNullable<Parts[number]["~tools"]>[number])[];
