/**
 * The tools of any server for the agent frameworks: Vercel's AI SDK, OpenAI, Anthropic, Google, LangChain.js, Mastra, TanStack AI. A
 * program that runs the loop of an agent needs it; for a host that takes MCP, `./mcp` or `./stdio` is enough.
 *
 * @example Tools for the Chat Completions of OpenAI
 * ```ts fragment server openai model messages
 * import { openaiTools } from "jsr:@toolwire/toolwire/agents";
 *
 * const { tools, run } = await openaiTools(server);
 * const { choices } = await openai.chat.completions.create({ model, messages, tools });
 * messages.push(...await run(choices[0]?.message.tool_calls ?? []));
 * ```
 *
 * @module
 */
export { type AdkContext, type AdkTool, adkTools } from "../integrations/agents/adk.ts";
export {
  type AiCallOptions,
  type AiContentPart,
  type AiJson,
  type AiModelOutput,
  aiSdkTools,
  type AiTool,
} from "../integrations/agents/ai.ts";
export type { AiSchema } from "../integrations/agents/ai_schema.ts";
export {
  type AnthropicBlock,
  type AnthropicOptions,
  type AnthropicRunContext,
  type AnthropicRunnableTool,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
  anthropicTools,
} from "../integrations/agents/anthropic.ts";
export type {
  AnthropicContent,
  AnthropicDocument,
  AnthropicImage,
  AnthropicSearchResult,
  AnthropicText,
  AnthropicToolReference,
} from "../integrations/agents/anthropic_content.ts";
export {
  type ClaudeAgentOptions,
  type ClaudeAgentServer,
  claudeAgentServer,
} from "../integrations/agents/claude_agent.ts";
export type { AnswerFile, AnswerPart, AnswerText } from "../integrations/agents/answer_content.ts";
export type { LoopOptions } from "../integrations/agents/approval.ts";
export { type CloudflareOptions, type CloudflareTool, cloudflareTools } from "../integrations/agents/cloudflare.ts";
export { type FunctionCallOptions, type FunctionTool, functionTools } from "../integrations/agents/function_tools.ts";
export {
  type GoogleFile,
  type GoogleFunction,
  type GoogleFunctionCall,
  type GoogleFunctionResponse,
  type GoogleOptions,
  type GoogleTool,
  type GoogleTools,
  googleTools,
} from "../integrations/agents/google.ts";
export {
  type GoogleInteractionFunction,
  type GoogleInteractionPart,
  type GoogleInteractionResult,
  type GoogleInteractionStep,
  googleInteractionsTools,
} from "../integrations/agents/google_interactions.ts";
export {
  type LangChainArtifact,
  type LangChainConfig,
  type LangChainExtras,
  type LangChainOptions,
  type LangChainTool,
  langchainTools,
} from "../integrations/agents/langchain.ts";
export type { LangChainBlock } from "../integrations/agents/langchain_content.ts";
export {
  type MastraContentPart,
  type MastraContext,
  type MastraModelOutput,
  type MastraOptions,
  type MastraQuestions,
  type MastraTool,
  mastraTools,
} from "../integrations/agents/mastra.ts";
export {
  type OpenAiFilePart,
  type OpenAiFilesMessage,
  type OpenAiFilesOptions,
  type OpenAiTool,
  type OpenAiToolCall,
  type OpenAiToolMessage,
  openaiTools,
} from "../integrations/agents/openai.ts";
export {
  type OpenAiAgentsDetails,
  type OpenAiAgentsOptions,
  type OpenAiAgentsPart,
  type OpenAiAgentsSearch,
  type OpenAiAgentsTool,
  type OpenAiAgentsTools,
  openaiAgentsTools,
} from "../integrations/agents/openai_agents.ts";
export type { OpenAiFunction, OpenAiOptions } from "../integrations/agents/openai_functions.ts";
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
} from "../integrations/agents/openai_responses.ts";
export {
  type ExplainOptions,
  explainSchema,
  type SchemaExplanation,
  type SchemaVendor,
} from "../integrations/agents/explain_schema.ts";
export type { SchemaChange } from "../integrations/agents/keywords.ts";
export type { InexpressiblePart as SchemaRefusal } from "../integrations/agents/schema_count.ts";
export { type TanStackContext, type TanStackTool, tanstackTools } from "../integrations/agents/tanstack.ts";
export type {
  AgentCall,
  AgentOptions,
  ApprovalOptions,
  AsyncOptions,
  CallerOptions,
  RunnableTools,
  RunOptions,
} from "../integrations/agents/options.ts";
export { type EstimateOptions, estimateTokens } from "../integrations/agents/token_count.ts";
export type { AgentSource, ClientSource } from "../integrations/agents/options.ts";
