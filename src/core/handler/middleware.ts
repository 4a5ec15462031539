import type { Call, TraceContext } from "../call/call.ts";
import type { CallEvent, CallResult, ErrorResult } from "../call/outcome.ts";
import type { Clock } from "../../internal/time.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { Failure } from "../errors/failure.ts";
import type { ToolError } from "../errors/tool_error.ts";
import type { Ctx, ErrorMap, OpenState } from "./context.ts";

/** Hints about what a tool does, with MCP's names. They are hints: nothing holds a tool to them. */
export interface ToolAnnotations {
  /** A title for people. */
  readonly title?: string;
  /** Changes nothing. */
  readonly readOnlyHint?: boolean;
  /** May destroy something. */
  readonly destructiveHint?: boolean;
  /** A repeat with the same arguments changes nothing more; the client may then retry by itself. */
  readonly idempotentHint?: boolean;
  /** Reaches beyond the server, into an open world. */
  readonly openWorldHint?: boolean;
  /** Whom it is for. This and what follows are MCP's hints on content, which some clients read of tools, too. */
  readonly audience?: readonly ("user" | "assistant")[];
  /** How much it matters, from 0 to 1. */
  readonly priority?: number;
  /** When it was changed, as ISO 8601. */
  readonly lastModified?: string;
}

/** What middleware can know of the tool that is called. */
export interface CalledTool {
  /** Its name. */
  readonly name: string;
  /** Its hints. */
  readonly annotations: ToolAnnotations | undefined;
  /** Whether it is one of Toolwire's own: `redeem` or `cancel`. */
  readonly isSystem: boolean;
}

/**
 * What middleware gets: all that a handler has, the call itself, and what ends or watches it.
 *
 * @typeParam Added What the middleware puts on `ctx.state`.
 */
export interface MiddlewareCtx<Added = unknown> extends Ctx<ErrorMap, unknown, Partial<Added> & OpenState> {
  /** The call as it came, before validation. */
  readonly call: Call;
  /** The tool that is called; a prompt or a resource has a name that no tool can have. */
  readonly tool: CalledTool;
  /** Where the server's time comes from. */
  readonly clock: Clock;
  /**
   * The trace that the call belongs to, as its caller said in `_meta`. Middleware may say another: what is deferred of the
   * call has that in `ctx.trace` when it is run, wherever that is.
   */
  trace: TraceContext | undefined;
  /**
   * Has `listener` see each event of the call from now on, whether or not its caller does: pieces as the handler yields them,
   * progress, the news of a promise. Events cannot be changed; what the listener throws is logged.
   */
  onEvent(listener: (event: CallEvent) => void): void;
  /** Ends the call now: `ctx.signal` aborts, and the caller gets the refusal, whatever the handler does. */
  end(refusal: ErrorResult): void;
}

/**
 * Runs around a call: `next` goes on with it, and its value is how the call ended. Whatever is returned instead takes
 * its place. What is thrown is treated as if the handler had thrown it.
 *
 * @example A user on `ctx.state`, typed for the handlers of tools that use it
 * ```ts
 * import { createServer, defineTool, type Middleware, ToolError } from "jsr:@toolwire/toolwire";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
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
 * strictEqual(await client.greet(), "Hello, Ada");
 * ```
 * @typeParam Added What it puts on `ctx.state` before it goes on.
 */
export type Middleware<Added = unknown> = AroundCall<Added>["around"];

/**
 * Says what the caller is told of an error that is no {@link Failure} and no {@link ToolError}: one of these, to be treated as
 * if it had been thrown; or nothing, and the error is masked and logged.
 */
export type OnError = (error: unknown, ctx: MiddlewareCtx) => Failure | ToolError | undefined;

/** What middleware is; a method, whose parameter is not held to be the same: middleware that adds something can stand where any can. */
export interface AroundCall<Added> {
  /** The middleware. */
  around(ctx: MiddlewareCtx<Added>, next: () => MaybePromise<CallResult>): MaybePromise<CallResult>;
}

/** What several pieces of middleware put on `ctx.state`, in all. */
export type StateOf<Added extends readonly unknown[]> = Added extends readonly [infer First, ...infer Rest]
  ? First & StateOf<Rest>
  : unknown;

/**
 * Holds middleware to being functions: one that was imported wrongly must not silently disappear.
 *
 * @throws {TypeError} If one is not.
 */
export function assertMiddleware(middleware: readonly Middleware[], where: string): void {
  if (Array.isArray(middleware) && middleware.every((one) => typeof one === "function")) return;
  throw new TypeError(`Cannot add middleware to ${where}: each has to be a function (ctx, next) => next()`);
}
