/**
 * The tools of any server for the agent frameworks: Vercel's AI SDK, OpenAI, Anthropic, LangChain.js.
 *
 * @module
 */
export { type AiCallOptions, type AiSchema, aiSdkTools, type AiTool } from "./ai.ts";
export {
  type AnthropicBlock,
  type AnthropicOptions,
  type AnthropicTool,
  type AnthropicToolReference,
  type AnthropicToolResult,
  anthropicTools,
} from "./anthropic.ts";
export { type LangChainArtifact, type LangChainConfig, type LangChainTool, langchainTools } from "./langchain.ts";
export { type OpenAiTool, type OpenAiToolCall, type OpenAiToolMessage, openaiTools } from "./openai.ts";
export type { OpenAiFunction, OpenAiOptions } from "./openai_functions.ts";
export {
  type OpenAiCaller,
  type OpenAiFunctionOutput,
  type OpenAiNamespace,
  type OpenAiResponseItem,
  type OpenAiResponsesFunction,
  type OpenAiResponsesResult,
  type OpenAiResponsesTool,
  openaiResponsesTools,
  type OpenAiToolSearch,
  type OpenAiToolSearchOutput,
} from "./openai_responses.ts";
export { type ExplainOptions, explainSchema, type SchemaExplanation, type SchemaVendor } from "./explain_schema.ts";
export type { SchemaChange } from "./keywords.ts";
export type { Refusal as SchemaRefusal } from "./schema_count.ts";
export type { AgentCall, AgentOptions, RunnableTools, RunOptions } from "./options.ts";
export { type EstimateOptions, estimateTokens } from "./token_count.ts";
export type { AgentSource, ClientSource } from "./options.ts";
