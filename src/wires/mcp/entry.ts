/**
 * MCP: the transports of clients.
 *
 * @module
 */
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
