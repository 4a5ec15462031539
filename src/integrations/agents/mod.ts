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
  type AnthropicToolResult,
  anthropicTools,
} from "./anthropic.ts";
export { type LangChainArtifact, type LangChainConfig, type LangChainTool, langchainTools } from "./langchain.ts";
export {
  type OpenAiCaller,
  type OpenAiFunction,
  type OpenAiFunctionOutput,
  type OpenAiOptions,
  type OpenAiResponseItem,
  type OpenAiResponsesTool,
  openaiResponsesTools,
  type OpenAiTool,
  type OpenAiToolCall,
  type OpenAiToolMessage,
  openaiTools,
  type RunnableTools,
} from "./openai.ts";
export { type ExplainOptions, explainSchema, type SchemaExplanation, type SchemaVendor } from "./explain_schema.ts";
export type { SchemaChange } from "./keywords.ts";
export type { Refusal as SchemaRefusal } from "./schema_count.ts";
export type { AgentCall, AgentOptions, RunOptions } from "./options.ts";
export { type EstimateOptions, estimateTokens } from "./token_count.ts";
export type { AgentSource, ClientSource } from "./options.ts";
