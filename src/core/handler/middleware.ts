import type { InnerCallFunction } from "./inner_calls.ts";
import type { Call, TraceContext } from "../call/call.ts";
import type { CallEvent, CallResult, ErrorResult } from "../call/outcome.ts";
import type { Clock } from "../../internal/time.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Failure } from "../errors/failure.ts";
import type { ToolError } from "../errors/tool_error.ts";
import type { Ctx, ErrorMap, Logger, OpenState } from "./context.ts";

/** Hints about a tool's behaviour, as defined by MCP. They are not enforced. */
export interface ToolAnnotations {
  /** Title for people. */
  readonly title?: string | undefined;
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** The tool may delete or overwrite data. */
  readonly destructiveHint?: boolean | undefined;
  /** A repeated call with the same arguments has no further effect. The client may then retry it. */
  readonly idempotentHint?: boolean | undefined;
  /** The tool interacts with systems outside of the server. */
  readonly openWorldHint?: boolean | undefined;
  /**
   * Intended audience. This and the following members are MCP's hints on content, which some clients read from tools
   * too.
   */
  readonly audience?: readonly ("user" | "assistant")[] | undefined;
  /** Importance, from 0 to 1. */
  readonly priority?: number | undefined;
  /** Time of the last change, in ISO 8601. */
  readonly lastModified?: string | undefined;
}

/** The called tool, as `ctx.tool` of middleware. For a prompt or a resource, a definition that stands for it. */
export interface CalledTool {
  /** Name of the tool. */
  readonly name: string;
  /** Hints about the tool's behaviour, which `.annotate()` has set. */
  readonly annotations: ToolAnnotations | undefined;
  /** Whether it is a system tool: `redeem`, `cancel` or `more`. */
  readonly isSystem: boolean;
}

/**
 * The context of middleware: that of a handler, the call, and functions to observe or end it.
 *
 * @typeParam Added Members that the middleware adds to `ctx.state`.
 */
export interface MiddlewareCtx<Added = unknown> extends Ctx<ErrorMap, unknown, Partial<Added> & OpenState> {
  /** The call as received, before validation. */
  readonly call: Call & InnerCallFunction;
  /** The called tool. Prompts and resources have names that are not valid for tools. */
  readonly tool: CalledTool;
  /** Clock of the server. */
  readonly clock: Clock;
  /** Logger of the server, whose lines its caller does not get, unlike those of `log()`; `undefined` without one. It never throws. */
  readonly logger: Logger | undefined;
  /**
   * Trace context that the caller sent in `_meta`. Middleware may replace it; a deferred run then receives the new one
   * in `ctx.trace`.
   */
  trace: TraceContext | undefined;
  /**
   * Calls `listener` for each following event of the call, even if the caller does not stream: partials, progress, the
   * promise. Events are read-only. Exceptions of the listener are logged.
   */
  onEvent(listener: (event: CallEvent) => void): void;
  /**
   * Calls `listener` if the call is promised while its work continues: `next` then returns the promise. `work` resolves with the result
   * of the work, and never rejects. Exceptions of the listener are logged.
   */
  onPromised(listener: (work: Promise<CallResult>) => void): void;
  /**
   * Has a resource closed when the server closes, such as the store of a rate limit that this call uses. One that several servers
   * of the process use is closed with the last of them. It may be passed in each call; without `close` it is ignored.
   */
  closeWithServer(resource: { close?(): MaybePromise<void> }): void;
  /** Whether the run of a job follows one of a process that has died; `ctx.attempt` is its number. */
  readonly isTakenOver: boolean;
  /** Ends the call: `ctx.signal` aborts and the caller receives the error result, whatever the handler returns. */
  end(error: ErrorResult): void;
}

/**
 * Wraps a call. `next` continues the call and returns its result. A different return value replaces that result. An
 * exception is treated as if the handler had thrown it.
 *
 * @example A user on `ctx.state`, typed for the handlers of tools that use it
 * ```ts
 * import { createServer, defineTool, type Middleware, ToolError } from "jsr:@toolwire/toolwire";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const signedIn: Middleware<{ user: { name: string } }> = (ctx, next) => {
 *   const name = ctx.metadata.get("x-user");
 *   if (name === null) throw new ToolError("unauthenticated", "Who are you?");
 *   ctx.state.user = { name };
 *   return next();
 * };
 * const greet = defineTool("greet").describe("Greet").use(signedIn).handle((_, ctx) => `Hello, ${ctx.state.user.name}`);
 *
 * const client = testClient(createServer({ tools: [greet] }), { metadata: new Headers({ "x-user": "Ada" }) });
 * console.log(await client.greet()); // → Hello, Ada
 * ```
 * @typeParam Added Members that it adds to `ctx.state` before `next`.
 */
export type Middleware<Added = unknown> = AroundCall<Added>["around"];

/** Middleware that has a part for requests for lists, such as a rate limit. Only that of a server is asked. */
export interface ListMiddleware {
  /**
   * Runs before a list is sent, as middleware does around a call: `ctx.tool.name` is the kind of the list, such as `list:tools`.
   *
   * @internal
   */
  readonly "~lists"?: Middleware | undefined;
}

/** Middleware that wraps each run of a tool, those of jobs included, although it is given to the server: it runs within the server's other middleware. */
export interface PerRunMiddleware {
  /** @internal */
  readonly "~perRun"?: true | undefined;
}

/** A logger that also logs calls, such as `pretty()` and `json()` of `./middleware`. */
export interface CallLogger extends Logger {
  /** Logs a line for each call. A server runs it around its other middleware. */
  readonly calls: Middleware;
}

/**
 * Converts an unexpected exception to a {@link Failure} or {@link ToolError}, which is then treated as thrown. Called for exceptions
 * that are not one of these, and for a `ToolError` with the code `internal`. If it returns nothing, the exception is masked and logged.
 */
export type OnError = (error: unknown, ctx: MiddlewareCtx) => Failure | ToolError | undefined;

/**
 * Method form of {@link Middleware}. Parameters of methods are bivariant, so middleware that adds state is accepted
 * where any is.
 */
export interface AroundCall<Added> {
  /** Wraps a call, as described at {@link Middleware}. */
  around(ctx: MiddlewareCtx<Added>, next: () => MaybePromise<CallResult>): MaybePromise<CallResult>;
}

/** Members that several middleware functions add to `ctx.state`: the intersection of a tuple of their type parameters. */
export type StateOf<Added extends readonly unknown[]> = Added extends readonly [infer First, ...infer Rest]
  ? First & StateOf<Rest>
  : unknown;

/**
 * Validates that middleware consists of functions. A wrong import would otherwise be ignored silently.
 *
 * @throws {TypeError} If an item is not a function.
 */
export function assertMiddleware(middleware: readonly Middleware[], where: string): void {
  if (Array.isArray(middleware) && middleware.every((one) => typeof one === "function")) return;
  throw new TypeError(`Cannot add middleware to ${where}: each is a function (ctx, next) => next()`);
}
