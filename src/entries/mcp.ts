/**
 * MCP: the wire, the transport of clients, and the definitions of resources, prompts and content blocks. A server needs it for resources,
 * prompts, sessions or tasks, a client to call servers of others; a server with tools alone has MCP from the front door.
 *
 * @example Call any server of MCP
 * ```ts fragment
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
 *
 * const docs = createClient(mcpTransport("https://docs.example/mcp"));
 * console.log(await docs.$.list());
 * ```
 *
 * @module
 */
export { mcp, type McpOptions } from "../wires/mcp/http/server/mcp.ts";
export { memorySessionStore, type MemorySessionStoreOptions } from "../wires/mcp/http/sessions/memory_store.ts";
export { type McpSessions, mcpSessions, type McpSessionsOptions } from "../wires/mcp/http/sessions/mcp_sessions.ts";
export { sessionState, type SessionStateOptions } from "../wires/mcp/http/sessions/session_state.ts";
export type {
  ClientEvent,
  McpSession,
  SessionEvent,
  SessionStore,
  StoredMessage,
} from "../wires/mcp/http/sessions/store.ts";
export {
  type McpCatalog,
  mcpCatalog,
  type McpCustomMethods,
  type McpFeatures,
  mcpMethods,
  type McpTasks,
  mcpTasks,
} from "../wires/mcp/server/features.ts";
export type {
  CheckedMethod,
  McpMethod,
  McpMethodOptions,
  McpMethods,
  MethodParams,
  MethodResult,
  TypedMcpMethods,
} from "../wires/mcp/server/custom_method_types.ts";
export { type DuplexOptions, mcpDuplex } from "../wires/mcp/server/duplex.ts";
export type { ProtocolOptions } from "../wires/mcp/server/mcp_server.ts";
export type { CacheHints } from "../wires/mcp/server/revision.ts";
export type { LegacyVersion } from "../wires/mcp/protocol/constants.ts";
export { defineResource, type ResourceBuilder } from "../core/content/define_resource.ts";
export {
  definePrompt,
  type EmptyPromptBuilder,
  type PromptBuilder,
  type PromptHandle,
} from "../core/content/define_prompt.ts";
export type { UriVariables } from "../core/content/uri_template/uri_template.ts";
export type {
  ListedNames,
  OptionalNames,
  RequiredNames,
  VariableNames,
  VariablesOf,
} from "../core/content/uri_template/uri_template.ts";
export type { CompletedValues, Completer, Completers } from "../core/content/completion.ts";
export type { ListedResource, ResourceAnswer, ResourcePartAt } from "../core/content/resource.ts";
export type { DescribedMessages, PromptAnswer } from "../core/content/prompt.ts";
export {
  assistant,
  type BlockExtras,
  content,
  type ContentAnnotations,
  type ContentBlock,
  type ContentHelpers,
  type ContentOptions,
  type EmbeddedResourceBlock,
  type Icon,
  type MediaBlock,
  type PromptMessage,
  type ResourceContents,
  type ResourceDescription,
  type ResourceLinkBlock,
  type ResourcePart,
  type Role,
  type TextBlock,
  user,
} from "../core/call/content.ts";
export type { FileBlock, FileOptions } from "../core/call/file_block.ts";
export type { DecodedFile } from "../core/call/read_file_block.ts";
export { mcpTransport, type McpTransportOptions } from "../wires/mcp/http/client/transport.ts";
export type { HeadersFunction, HeaderValues, HttpClientOptions } from "../http_client/send.ts";
export type { OutgoingCall } from "../core/call/transport.ts";
export type {
  McpChange,
  McpClientOptions,
  McpCompletion,
  McpCompletionRequest,
  McpContent,
  McpElicitation,
  McpElicitationResult,
  McpImplementation,
  McpLogging,
  McpLogLevel,
  McpLogMessage,
  McpPrompt,
  McpPromptResult,
  McpPrompts,
  McpRequestOptions,
  McpResource,
  McpResourceContents,
  McpResources,
  McpResourceTemplate,
  McpRoot,
  McpSampling,
  McpSamplingResult,
  McpServerInfo,
  McpTransport,
} from "../wires/mcp/client/types.ts";
export type { Prompt, Resource } from "../core/content/content_catalog.ts";
export type { ContentCtx, ListingCtx } from "../core/handler/context.ts";
export type { Completion } from "../core/content/completion.ts";
export type {
  CallResultOf,
  CompletionRequest,
  ContentCall,
  ContentCatalog,
  ContentMethod,
} from "../core/content/content_catalog.ts";
export type { ContentExtension, ExtensionAnswer, ExtensionPage } from "../core/content/extension.ts";
export type { PromptArgumentListing, PromptContent, PromptListing } from "../core/content/prompt.ts";
export type { ResourceListing, ResourceTemplateListing } from "../core/content/resource.ts";
