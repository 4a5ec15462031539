/**
 * Toolwire: define a tool once; serve it on every wire; call it, typed, from anywhere.
 *
 * @example Define, serve, call
 * ```ts
 * import { createClient, createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 * import * as v from "jsr:@toolwire/toolwire/schema";
 * import { strictEqual } from "node:assert/strict";
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
 * strictEqual(await math.add({ a: 1, b: 2 }), 3);
 * ```
 *
 * @module
 */
export { defineTool } from "./src/server/preset/define_tool.ts";
export type {
  AnswerOf,
  DeclaredExternal,
  DeclaredHandle,
  DescribeFirst,
  ErrorData,
  ExternalWork,
  EmptyToolBuilder,
  InferredOutput,
  InferringExternal,
  InferringHandle,
  JoinedPartials,
  PartialOf,
  ToolBuilder,
} from "./src/core/tool/builder_types.ts";
export type {
  AnyTool,
  InferErrors,
  InferInput,
  InferOutput,
  InferPartial,
  PromiseOptions,
  RenderedOutput,
  Tool,
  ToolTypes,
} from "./src/core/tool/definition.ts";
export type { CallingClient, Ctx, ErrorMap, Logger, OpenState } from "./src/core/handler/context.ts";
export { type CallerState, type CallerStateSlot, defineCallerState } from "./src/core/handler/caller_state.ts";
export type {
  Answers,
  AnswerTo,
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
export type { ToolListing } from "./src/core/tool/listing.ts";
export type { JsonSchema, Schema } from "./src/core/schema/standard_schema.ts";
export type { InputIssue } from "./src/core/schema/issues.ts";
export type { ToolErrorCode } from "./src/core/errors/code.ts";
export { ToolError, type ToolErrorOptions } from "./src/core/errors/tool_error.ts";
export { Failure } from "./src/core/errors/failure.ts";
export type {
  AskableKind,
  Call,
  CallMeta,
  ClientInfo,
  Metadata,
  Peer,
  Principal,
  TraceContext,
} from "./src/core/call/call.ts";
export type {
  AnswerOutcome,
  CallEvent,
  CallResult,
  ErrorResult,
  FailureOutcome,
  LogLevel,
  LogLine,
  Outcome,
  Progress,
  PromiseOutcome,
  Question,
  QuestionsResult,
  Sink,
  UnknownOutcome,
} from "./src/core/call/outcome.ts";
export type { Icon } from "./src/core/call/content.ts";
export type { Change, ChangeBus, ChangingList } from "./src/core/call/changes.ts";
export type {
  CallResultOf,
  CompletionRequest,
  ContentCatalog,
  ContentRequest,
  Prompt,
  Resource,
} from "./src/core/content/content_catalog.ts";
export { keyRing, type KeyRingOptions } from "./src/core/token/key_ring.ts";
export type { Hmac, TokenGuard } from "./src/core/token/guard.ts";
export type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "./src/core/token/token.ts";
export type { AskAnswer, Engine, EngineWorker, Job, JobState, Memo, WorkOptions } from "./src/engine/engine.ts";
export { memoryEngine, type MemoryEngineOptions } from "./src/engine/memory.ts";
export type { CallConfig, CheckConfig } from "./src/core/call/call_config.ts";
export type { Dispatch, PromiseTerms, Toolset } from "./src/core/dispatch/dispatcher.ts";
export { createServer, type Notify, type Server } from "./src/server/server.ts";
export type { ServerOptions } from "./src/server/options.ts";
export type { Auth, MountedAuth } from "./src/server/auth.ts";
export type { AllTools, Composable, Part } from "./src/server/part.ts";
export type { CorsOptions, GateOptions } from "./src/server/origin_guard.ts";
export type {
  Body,
  Head,
  Limits,
  MountedPaths,
  MountedWire,
  ProtectedResource,
  Reply,
  ServerInfo,
  Wire,
  WireHost,
} from "./src/wires/wire.ts";
export { mcpLite, type McpLiteOptions } from "./src/wires/mcp_lite/server/mcp_lite.ts";
export { type HttpOptions, mcpLiteTransport } from "./src/wires/mcp_lite/client/transport.ts";
export { type MemoryOptions, type MemoryServer, memoryTransport } from "./src/wires/memory/client/transport.ts";
export { type ClientOptions, createClient } from "./src/client/client.ts";
export type { RetryOptions } from "./src/client/call_result.ts";
export type { ActivityMonitor, ListedTool, Transport, TransportCall } from "./src/core/call/transport.ts";
export type {
  AnswerQuestion,
  CallArguments,
  CallOptions,
  Client,
  ClientMethods,
  DeclaredFailure,
  DeclaredFailureError,
  PromisedAnswer,
  QuestionAnswer,
  RedeemOptions,
  ToolCall,
  ToolOutcome,
  ToolQuestion,
  ToolsOf,
  ToolSource,
  ToolStream,
  TypedTools,
  UntypedClient,
  UntypedTools,
} from "./src/client/types.ts";
export type { Clock } from "./src/internal/time.ts";
export type { Json, JsonObject } from "./src/internal/json.ts";
export type { MaybePromise } from "./src/internal/async.ts";
export type {
  AroundCall,
  CalledTool,
  Middleware,
  MiddlewareCtx,
  OnError,
  StateOf,
  ToolAnnotations,
} from "./src/core/handler/middleware.ts";
export type { Completion } from "./src/core/content/completion.ts";
export type { PromptArgumentListing, PromptContent, PromptListing } from "./src/core/content/prompt.ts";
export type { ResourceListing, ResourceTemplateListing } from "./src/core/content/resource.ts";
