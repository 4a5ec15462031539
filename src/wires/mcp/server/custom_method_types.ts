/** Types of the methods that a server adds to those of MCP. */
import type { ContentCtx } from "../../../core/handler/context.ts";
import type { PlainArguments, PlainSchema } from "../../../core/schema/plain_schema.ts";
import type { Schema } from "../../../core/schema/standard_schema.ts";

/** What a method has beside its schemas and its handler. */
export interface McpMethodOptions {
  /** Scopes that callers need, all of them. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /** Time limit of a request, in milliseconds. Default: `timeoutMs` of the server. */
  readonly timeoutMs?: number | undefined;
  /**
   * Numbers of JSON-RPC for the failures that the handler throws, by code: `{ locked: 4001 }` for `throw new Failure("locked", "…")`.
   * Default: -32000. Numbers of JSON-RPC and MCP (-32768 to -32020, -32001 and -32002) are refused, since clients give them their own meaning.
   */
  readonly errors?: Readonly<Record<string, number>> | undefined;
}

/** A method that a server adds to those of MCP. {@link TypedMcpMethods} has it with the types of its schemas. */
export interface McpMethod extends McpMethodOptions {
  /** Schema of the parameters, an object. Names that it does not declare are refused. Default: any object, which is not validated. */
  readonly params?: Schema | PlainSchema | undefined;
  /** Schema of the result, an object. Default: any object. */
  readonly result?: Schema | PlainSchema | undefined;
  /** Answers a request, with an object or nothing. */
  handle(params: never, ctx: ContentCtx): unknown;
}

/** Methods that a server adds to those of MCP, by name with a prefix: `acme/stats`. */
export type McpMethods = Readonly<Record<string, McpMethod>>;

/** Type of the parameters that a handler receives, from their schema. */
export type MethodParams<Given> = Given extends Schema<unknown, infer Output> ? Output
  : Given extends PlainSchema ? PlainArguments<Given>
  : Readonly<Record<string, unknown>>;

/** Type of the result that a handler returns, from its schema. */
export type MethodResult<Given> = Given extends Schema<infer Input, unknown> ? Input
  : Given extends PlainSchema ? PlainArguments<Given>
  : Readonly<Record<string, unknown>> | void;

/** What TypeScript compares with a method whose result does not fit its schema: the handler that it has to have. */
export type CheckedMethod<Given> = Given extends
  { readonly result: infer Result; handle(...args: never): infer Returned }
  ? Awaited<Returned> extends MethodResult<Result> ? unknown
  : { handle(...args: never): MethodResult<Result> | Promise<MethodResult<Result>> }
  : unknown;

/**
 * Methods of a server, with the types of their schemas.
 *
 * @typeParam Params Schemas of the parameters, by name of the method.
 * @typeParam Given The methods as they are written.
 */
export type TypedMcpMethods<Params, Given> =
  & {
    readonly [Name in keyof Params]: McpMethodOptions & {
      readonly params?: Params[Name];
      readonly result?: Schema | PlainSchema | undefined;
      handle(params: MethodParams<Params[Name]>, ctx: ContentCtx): unknown;
    };
  }
  & Given
  & { readonly [Name in keyof Given]: CheckedMethod<Given[Name]> };
