/**
 * The tools of any server for the agent frameworks: Vercel's AI SDK, OpenAI, Anthropic, Google,
 * LangChain.js, Mastra, TanStack AI.
 *
 * @module
 */
export { type AdkContext, type AdkTool, adkTools } from "./adk.ts";
export {
  type AiCallOptions,
  type AiContentPart,
  type AiJson,
  type AiModelOutput,
  aiSdkTools,
  type AiTool,
} from "./ai.ts";
export type { AiSchema } from "./ai_schema.ts";
export {
  type AnthropicBlock,
  type AnthropicOptions,
  type AnthropicRunContext,
  type AnthropicRunnableTool,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
  anthropicTools,
} from "./anthropic.ts";
export type {
  AnthropicContent,
  AnthropicDocument,
  AnthropicImage,
  AnthropicSearchResult,
  AnthropicText,
  AnthropicToolReference,
} from "./anthropic_content.ts";
export { type ClaudeAgentOptions, type ClaudeAgentServer, claudeAgentServer } from "./claude_agent.ts";
export type { AnswerFile, AnswerPart, AnswerText } from "./answer_content.ts";
export type { LoopOptions } from "./approval.ts";
export { type CloudflareOptions, type CloudflareTool, cloudflareTools } from "./cloudflare.ts";
export { type FunctionCallOptions, type FunctionTool, functionTools } from "./function_tools.ts";
export {
  type GoogleFile,
  type GoogleFunction,
  type GoogleFunctionCall,
  type GoogleFunctionResponse,
  type GoogleOptions,
  type GoogleTool,
  type GoogleTools,
  googleTools,
} from "./google.ts";
export {
  type GoogleInteractionFunction,
  type GoogleInteractionPart,
  type GoogleInteractionResult,
  type GoogleInteractionStep,
  googleInteractionsTools,
} from "./google_interactions.ts";
export {
  type LangChainArtifact,
  type LangChainBlock,
  type LangChainConfig,
  type LangChainTool,
  langchainTools,
} from "./langchain.ts";
export {
  type MastraContentPart,
  type MastraContext,
  type MastraModelOutput,
  type MastraOptions,
  type MastraQuestions,
  type MastraTool,
  mastraTools,
} from "./mastra.ts";
export { type OpenAiTool, type OpenAiToolCall, type OpenAiToolMessage, openaiTools } from "./openai.ts";
export {
  type OpenAiAgentsDetails,
  type OpenAiAgentsOptions,
  type OpenAiAgentsPart,
  type OpenAiAgentsSearch,
  type OpenAiAgentsTool,
  type OpenAiAgentsTools,
  openaiAgentsTools,
} from "./openai_agents.ts";
export type { OpenAiFunction, OpenAiOptions } from "./openai_functions.ts";
export {
  type OpenAiCaller,
  type OpenAiFunctionOutput,
  type OpenAiNamespace,
  type OpenAiOutputPart,
  type OpenAiResponseItem,
  type OpenAiResponsesFunction,
  type OpenAiResponsesOptions,
  type OpenAiResponsesResult,
  type OpenAiResponsesRunOptions,
  type OpenAiResponsesTool,
  type OpenAiResponsesTools,
  openaiResponsesTools,
  type OpenAiToolSearch,
  type OpenAiToolSearchOutput,
} from "./openai_responses.ts";
export { type ExplainOptions, explainSchema, type SchemaExplanation, type SchemaVendor } from "./explain_schema.ts";
export type { SchemaChange } from "./keywords.ts";
export type { Refusal as SchemaRefusal } from "./schema_count.ts";
export { type TanStackContext, type TanStackTool, tanstackTools } from "./tanstack.ts";
export type {
  AgentCall,
  AgentOptions,
  ApprovalOptions,
  AsyncOptions,
  CallerOptions,
  RunnableTools,
  RunOptions,
} from "./options.ts";
export { type EstimateOptions, estimateTokens } from "./token_count.ts";
export type { AgentSource, ClientSource } from "./options.ts";
