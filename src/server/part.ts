import type { ChangeBus } from "../core/call/changes.ts";
import type { Logger } from "../core/handler/context.ts";
import type { AnyTool, ToolDefinition } from "../core/tool/definition.ts";
import type { AccessOptions } from "../core/tool/access.ts";
import type { PartTools } from "../core/tool/registry.ts";
import type { Optional } from "../internal/json.ts";
import type { Limits } from "../wires/wire.ts";
import type { Auth } from "./auth.ts";
import type { Prompt, Resource } from "../core/content/content_catalog.ts";
import type { CallLogger, Middleware, OnError } from "../core/handler/middleware.ts";

/**
 * A server within another one: returned by `group` and `mount` of `./compose`, for `createServer({ parts: [ … ] })`.
 *
 * @typeParam Tools Its tools, under the names that they have there.
 */
export interface Part<Tools extends AnyTool = AnyTool> {
  /** Types only; never present at run time. */
  readonly "~tools"?: readonly Tools[] | undefined;
  /**
   * Joins all parts of a server. Each part carries this function, so that a server without parts does not include the code.
   *
   * @internal
   */
  readonly "~join": JoinParts;
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
  readonly "~offer": ServerOffer;
}

/**
 * Options of a server that `group` and `mount` read where it is a part of another one. `auth` and `logger` are then the whole's.
 *
 * @typeParam Parts The parts, as a tuple.
 */
export interface ComposableOptions<Parts extends readonly Part[] = readonly Part[]> {
  /** Name of the server. Default: `"toolwire"`. */
  readonly name?: string | undefined;
  /** Servers within this one, by `group` and `mount` of `./compose`; their tools are listed after its own. Default: none. */
  readonly parts?: Parts | undefined;
  /** Resources, by `defineResource` of `./mcp`, in the order in which they are listed. Default: none. */
  readonly resources?: readonly Resource[] | undefined;
  /** Prompts, by `definePrompt` of `./mcp`, in the order in which they are listed. Default: none. */
  readonly prompts?: readonly Prompt[] | undefined;
  /** Authenticates callers on every wire, by `jwt`, `bearer` or `authenticate` of `./auth`. Default: callers are anonymous. */
  readonly auth?: Auth | undefined;
  /** Runs around every call of every tool; the first is the outermost. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Runs around every run of deferred work that an engine starts, outside of the tool's middleware; the first is the outermost.
   * There is no caller then: no headers, but the principal of the call, if it had one. Default: none.
   */
  readonly jobMiddleware?: readonly Middleware[] | undefined;
  /** Converts errors that no tool declared to errors for the caller. Default: the caller gets a correlation id only. */
  readonly onError?: OnError | undefined;
  /** Time limit of calls whose tool sets none, in milliseconds; for streams, the longest time between two events. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Limits on requests and results: body size, nesting, and lengths of answers and results. */
  readonly limits?: Optional<Limits> | undefined;
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
}

/** The contents of a server, for another one that it is a part of. */
export interface ServerOffer {
  /** Options of the server, as they were passed. */
  readonly options: ComposableOptions;
  /** The current tools; system tools, too. */
  plans(): readonly ToolDefinition[];
  /** The joined parts of the server; `undefined` if it has none. */
  readonly parts: JoinedParts | undefined;
  /** Bus of the changes of its lists and resources. */
  readonly changes: Pick<ChangeBus, "subscribe">;
  /** Which callers may use it, in addition to what its tools state. Default: all. */
  readonly access?: AccessOptions | undefined;
}

/** The parts of a server as one: their tools, resources, prompts and changes. */
export interface JoinedParts extends PartTools {
  /** Resources of the server and of its parts. */
  readonly resources: readonly Resource[];
  /** Prompts of the server and of its parts. */
  readonly prompts: readonly Prompt[];
  /** Changes of the server and of its parts; publishes as the server. */
  readonly changes: ChangeBus;
  /** Calls `listener` before a change of the parts' tools is announced. Returns a function that ends this. */
  onPlans(listener: () => void): () => void;
  /** Closes the connections of gateways, and ends notifications. */
  close(): void;
}

/**
 * Joins all parts of a server.
 *
 * @throws {TypeError} If a value is not a part, or a part authenticates its callers and the server does not.
 */
export type JoinParts = (options: ServerOffer["options"], own: ChangeBus) => JoinedParts;

/** The tools of a server and of its parts. */
export type AllTools<Tools extends readonly AnyTool[], Parts extends readonly Part[]> = Parts extends readonly []
  ? Tools
  : readonly (Tools[number] | NonNullable<Parts[number]["~tools"]>[number])[];
