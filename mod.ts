/**
 * Toolwire: define a tool once; serve it on every wire; call it, typed, from anywhere.
 *
 * @example Define, serve, call
 * ```ts
 * import { createClient, createServer, defineTool, memory } from "jsr:@toolwire/toolwire";
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
 * const math = createClient<typeof server>(memory(server)); // or createClient<typeof server>("https://…/mcp-lite/v1")
 * strictEqual(await math.add({ a: 1, b: 2 }), 3);
 * ```
 *
 * @module
 */
export { defineTool } from "./src/preset/define_tool.ts";
export type {
  AnswerOf,
  DeclaredExternal,
  DeclaredHandle,
  DescribeFirst,
  ErrorData,
  ExternalWork,
  FreshTool,
  Inferred,
  InferringExternal,
  InferringHandle,
  Joined,
  PartialOf,
  ToolBuilder,
} from "./src/tool/tool_builder.ts";
export type {
  AnyTool,
  InferErrors,
  InferInput,
  InferOutput,
  InferPartial,
  PromiseOptions,
  Rendered,
  Tool,
  ToolAnnotations,
  ToolTypes,
} from "./src/tool/tool.ts";
export type {
  AroundCall,
  CalledTool,
  CallingClient,
  Ctx,
  ErrorMap,
  Logger,
  Middleware,
  MiddlewareCtx,
  OnError,
  OpenState,
  StateOf,
} from "./src/tool/context.ts";
export { type CallerContext, type ContextSlot, defineContext } from "./src/tool/context_slot.ts";
export type {
  Answers,
  AnswerTo,
  AskedFor,
  ElicitAnswer,
  ElicitRequest,
  ResourceRequest,
  RootsRequest,
  RootsResult,
  SampleMessage,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "./src/tool/asks.ts";
export type { Pending, PendingOptions } from "./src/tool/pending.ts";
export type { ToolListing } from "./src/tool/listing.ts";
export type { JsonSchema, Schema } from "./src/schema/schema.ts";
export type { InputIssue } from "./src/schema/issues.ts";
export type { ToolErrorCode } from "./src/error/code.ts";
export { ToolError, type ToolErrorOptions } from "./src/error/tool_error.ts";
export { Failure } from "./src/error/failure.ts";
export type {
  AskableKind,
  Call,
  CallMeta,
  ClientInfo,
  Metadata,
  Peer,
  Principal,
  TraceContext,
} from "./src/call/call.ts";
export type {
  AnswerOutcome,
  AskOutcome,
  AskRequest,
  CallEvent,
  FailureOutcome,
  LogLevel,
  LogLine,
  Outcome,
  Progress,
  PromiseOutcome,
  Refusal,
  Settled,
  Sink,
  UnknownOutcome,
} from "./src/call/outcome.ts";
export type { Icon } from "./src/call/content.ts";
export type { Change, ChangeBus, ChangingList } from "./src/call/changes.ts";
export type {
  Catalog,
  CatalogRequest,
  Completion,
  CompletionRequest,
  PromptContent,
  SettledWith,
} from "./src/catalog/catalog.ts";
export type {
  PromptArgumentListing,
  PromptListing,
  ResourceListing,
  ResourceTemplateListing,
} from "./src/catalog/listing.ts";
export type { Prompt } from "./src/catalog/prompt.ts";
export type { Resource } from "./src/catalog/resource.ts";
export { keyRing, type KeyRingOptions } from "./src/token/key_ring.ts";
export type { Hmac, TokenGuard } from "./src/token/guard.ts";
export type { TokenClaims, TokenKeys, TokenKind, VerifiedToken } from "./src/token/token.ts";
export type { AskAnswer, Engine, EngineWorker, Job, JobState, Memo, WorkOptions } from "./src/engine/engine.ts";
export { memoryEngine, type MemoryEngineOptions } from "./src/engine/memory.ts";
export type { CallConfig, CheckConfig } from "./src/call/call_config.ts";
export type { Dispatch, PromiseTerms, Toolset } from "./src/dispatch/dispatch.ts";
export { createServer, type Notify, type Server } from "./src/server/server.ts";
export type { ServerOptions } from "./src/server/options.ts";
export type { Auth, MountedAuth } from "./src/server/auth.ts";
export type { AllTools, Composable, Part } from "./src/server/part.ts";
export type { CorsOptions, GateOptions } from "./src/server/gate.ts";
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
export { mcpLite, type McpLiteOptions } from "./src/wires/http/mod.ts";
export { http, type HttpOptions } from "./src/wires/http/client.ts";
export { memory, type MemoryOptions, type MemoryServer } from "./src/wires/memory/client.ts";
export { type ClientOptions, createClient } from "./src/client/client.ts";
export type { RetryOptions } from "./src/client/retry.ts";
export type { RemoteTool, Transport, TransportCall, TransportLimit } from "./src/call/transport.ts";
export type {
  AnswerQuestion,
  CallArguments,
  CallOptions,
  Client,
  ClientMethods,
  DeclaredFailure,
  DeclaredFailureError,
  PromisedAnswer,
  Question,
  QuestionAnswer,
  RedeemOptions,
  ToolCall,
  ToolOutcome,
  ToolsOf,
  ToolSource,
  ToolStream,
  TypedTools,
  UntypedClient,
  UntypedTools,
} from "./src/client/types.ts";
export type { Clock } from "./src/internal/clock.ts";
export type { Json, JsonObject } from "./src/internal/json.ts";
export type { MaybePromise } from "./src/internal/maybe_promise.ts";
