/**
 * MCP: the wire, the transport of clients, and what servers offer over it beside tools: resources, prompts, and content for people and models.
 *
 * @module
 */
export { mcp, type McpOptions } from "./mod.ts";
export { memorySessions, type MemorySessionsOptions, type Sessions, sessionsIn } from "./sessions.ts";
export type { SessionOptions } from "./session_http.ts";
export type { ClientNote, McpSession, SessionNote, SessionStore, StoredMessage } from "./session_store.ts";
export type { ProtocolOptions } from "../../mcp/options.ts";
export type { CacheHints } from "../../mcp/dialect.ts";
export type { LegacyVersion } from "../../mcp/words.ts";
export { defineResource, type ResourceBuilder } from "../../catalog/define_resource.ts";
export { definePrompt, type FreshPrompt, type PromptBuilder, type PromptHandle } from "../../catalog/define_prompt.ts";
export type { UriVariables } from "../../catalog/uri_template.ts";
export type {
  ListedNames,
  OptionalNames,
  RequiredNames,
  VariableNames,
  VariablesOf,
} from "../../catalog/uri_variables.ts";
export type { CompletedValues, Completer, Completers } from "../../catalog/completion.ts";
export type { ListedResource, Resource, ResourceAnswer, ResourcePartAt } from "../../catalog/resource.ts";
export type { CatalogCtx, ListingCtx, Prompt, PromptAnswer } from "../../catalog/prompt.ts";
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
} from "../../call/content.ts";
export { mcpTransport, type McpTransportOptions } from "./client.ts";
export type { FetchOptions } from "./client_fetch.ts";
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
} from "../../mcp_client/types.ts";
