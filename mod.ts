/**
 * Toolwire: define a tool once; serve it on every wire; call it, typed, from anywhere. Each program needs it first: this is the core with
 * all of its features on, MCP and MCP-lite as wires, and the clients of both.
 *
 * @example Define, serve, call
 * ```ts
 * import { createClient, createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 *
 * const add = defineTool("add")
 *   .describe("Add two numbers")
 *   .input(v.object({ a: v.number(), b: v.number() }))
 *   .handle(({ a, b }) => a + b);
 *
 * const server = createServer({ name: "math", version: "1.0.0", tools: [add] });
 * // Deno.serve(server.fetch), Bun.serve(server), or serve(server) of "jsr:@toolwire/toolwire/serve"
 *
 * const math = createClient<typeof server>(memoryTransport(server)); // or createClient<typeof server>("https://…/mcp-lite/v1")
 * console.log(await math.add({ a: 1, b: 2 })); // → 3
 * ```
 *
 * @module
 */
export { defineTool } from "./src/server/preset/define_tool.ts";
export type { IsVisible, SeenIn } from "./src/core/tool/access.ts";
export type { ToolBuilder } from "./src/core/tool/builder_types.ts";
export type { ExternalWork } from "./src/core/tool/last_steps.ts";
export type {
  AnyTool,
  InferErrors,
  InferInput,
  InferOutput,
  InferPartial,
  PromiseOptions,
  RenderedOutput,
  Tool,
  ToolExample,
} from "./src/core/tool/definition.ts";
export type { Ctx, Logger } from "./src/core/handler/context.ts";
export { type CallerState, type CallerStateSlot, defineCallerState } from "./src/core/handler/caller_state.ts";
export type {
  ElicitAnswer,
  ElicitRequest,
  MoreRequest,
  QuestionSpec,
  RootsRequest,
  RootsResult,
  SampleMessage,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "./src/core/handler/questions.ts";
export type { Pending, PendingOptions } from "./src/core/handler/context.ts";
export type { JsonSchema, Schema } from "./src/core/schema/standard_schema.ts";
export type { InputIssue } from "./src/core/schema/issues.ts";
export type { ToolErrorCode } from "./src/core/errors/code.ts";
export { ToolError, type ToolErrorOptions } from "./src/core/errors/tool_error.ts";
export { Failure } from "./src/core/errors/failure.ts";
export type { Principal, TraceContext } from "./src/core/call/call.ts";
export type {
  AnswerOutcome,
  CallResult,
  ErrorResult,
  FailureOutcome,
  LogLevel,
  Outcome,
  Progress,
  PromiseOutcome,
  Question,
  QuestionsResult,
  UnknownOutcome,
} from "./src/core/call/outcome.ts";
export { keyRing } from "./src/core/keys/key_ring.ts";
export { memoryEngine, type MemoryEngineOptions } from "./src/jobs/engines/memory/memory_engine.ts";
export { createServer } from "./src/server/preset/create_server.ts";
export type { ListChangedOptions, Notify } from "./src/server/notify.ts";
export type { Server } from "./src/server/server.ts";
export type { CorsOptions, OriginPolicy, ServerOptions } from "./src/server/server_options.ts";
export { mcp, type McpOptions } from "./src/wires/mcp/http/server/mcp.ts";
export { mcpLite, type McpLiteOptions } from "./src/wires/mcp_lite/server/mcp_lite.ts";
export type { HeadersFunction, HeaderValues, HttpClientOptions } from "./src/http_client/send.ts";
export { mcpLiteTransport } from "./src/wires/mcp_lite/client/transport.ts";
export { type MemoryOptions, memoryTransport } from "./src/wires/memory/client/transport.ts";
export type { ClientOptions } from "./src/client/client.ts";
export { createClient } from "./src/client/create_client.ts";
export type { RetryOptions } from "./src/client/call_result.ts";
export type { ListedTool, OutgoingCall } from "./src/core/call/transport.ts";
export type {
  AnswerQuestion,
  CallOptions,
  Client,
  ClientMethods,
  PromisedAnswer,
  QuestionAnswer,
  RedeemOptions,
  ToolCall,
  ToolOutcome,
  ToolQuestion,
  ToolStream,
  UntypedClient,
} from "./src/client/types.ts";
export type { Middleware, MiddlewareCtx, OnError, ToolAnnotations } from "./src/core/handler/middleware.ts";
