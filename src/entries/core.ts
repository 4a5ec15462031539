/**
 * The core of Toolwire: define a tool, serve it over MCP-lite, call it. It is needed in place of the front door where the size of a bundle
 * counts: a feature arrives with the value that asks for it.
 *
 * - `engine: memoryEngine()` of `./engines`, or another engine, brings promises and idempotency keys.
 * - `keys: keyRing("k1:…")` of `./keys` brings questions (`ctx.elicit`), steps and caller state.
 * - `toolDefiner(valibotJsonSchema, compiledChecks)` of `./schema` brings schemas of valibot, and compiled checks.
 * - `toolDefiner(toolConfig)` brings `.config()`.
 * - `wires: [mcp()]` of `./mcp`, or another wire, brings its protocol.
 *
 * The front door, `jsr:@toolwire/toolwire`, is the core with all of these.
 *
 * @example Define, serve, call
 * ```ts
 * import { createClient, createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire/core";
 * import { jsonSchema } from "jsr:@toolwire/toolwire/json-schema";
 *
 * const Input = jsonSchema<{ a: number; b: number }>({
 *   type: "object",
 *   properties: { a: { type: "number" }, b: { type: "number" } },
 *   required: ["a", "b"],
 * });
 * const add = defineTool("add").describe("Add two numbers").input(Input).handle(({ a, b }) => a + b);
 *
 * const server = createServer({ name: "math", version: "1.0.0", tools: [add] });
 * const math = createClient<typeof server>(memoryTransport(server));
 * console.log(await math.add({ a: 1, b: 2 })); // → 3
 * ```
 *
 * @module
 */
export { defineCoreTool as defineTool, type DefineTool, toolDefiner } from "../core/tool/define_tool.ts";
export { toolConfig } from "../core/dispatch/run_config.ts";
export type { IsVisible, SeenIn } from "../core/tool/access.ts";
export type { ToolBuilder } from "../core/tool/builder_types.ts";
export type {
  AnyTool,
  InferErrors,
  InferInput,
  InferOutput,
  InferPartial,
  Tool,
  ToolConfig,
} from "../core/tool/definition.ts";
export type { Ctx, Logger, ToolHost } from "../core/handler/context.ts";
export { Failure } from "../core/errors/failure.ts";
export { ToolError, type ToolErrorOptions } from "../core/errors/tool_error.ts";
export type { ToolErrorCode } from "../core/errors/code.ts";
export type { Principal } from "../core/call/call.ts";
export type { CallResult, ErrorResult, Outcome, Progress } from "../core/call/outcome.ts";
export type { ExactCheck, SchemaAdapter } from "../core/schema/adapter.ts";
export type { UnknownArguments, UnknownArgumentsMode } from "../core/schema/unknown_arguments.ts";
export type { JsonSchema, Schema } from "../core/schema/standard_schema.ts";
export type { PromiseEngine } from "../core/dispatch/deferral.ts";
export type { QuestionKeys } from "../core/dispatch/services.ts";
export type { ListChangedOptions, Notify } from "../server/notify.ts";
export { createCoreServer as createServer, type Server } from "../server/server.ts";
export type { CoreServerOptions } from "../server/options.ts";
export { atBasePath, type BasePath } from "../server/base_path.ts";
export { originPolicy, type OriginRules } from "../server/origin_policy.ts";
export type { AllTools, ComposableOptions, CorsOptions, OriginPolicy, ServerPart } from "../server/server_options.ts";
export type { Limits, RequestWire, ServerInfo } from "../wires/wire.ts";
export { mcpLite, type McpLiteOptions } from "../wires/mcp_lite/server/mcp_lite.ts";
export { type MemoryOptions, type MemoryServer, memoryTransport } from "../wires/memory/client/transport.ts";
export type { ClientOptions } from "../client/client.ts";
export { createCoreClient as createClient } from "../client/core_client.ts";
export type { Client, InProcessServer, ToolsOf, UntypedClient } from "../client/types.ts";
export type { Middleware, MiddlewareCtx, OnError } from "../core/handler/middleware.ts";
