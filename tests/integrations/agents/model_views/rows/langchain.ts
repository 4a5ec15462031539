import { CHAT, GEMINI, MESSAGES, RESPONSES } from "../apis.ts";
import { runLangChainGoogle, runLangChainOpenAi, runLangGraph } from "../langchain_models.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/**
 * `langchainTools` (Anthropic). `_ensureMessageContents` of `@langchain/anthropic/dist/utils/message_inputs.js` writes `tool_result` without
 * `is_error`; the API has no sounds in results.
 */
export const LANGCHAIN: ViewedAdapter = {
  name: "`langchainTools` (Anthropic)",
  run: program("langchain.ts", "runLangChain"),
  takes: ["image", "file"],
  marksErrors: false,
  api: MESSAGES,
  asks: "approve",
  deferred: "call_tool",
};

/**
 * `langchainTools` with Chat Completions, whose messages of tools are texts (`ChatCompletionToolMessageParam` of `openai`) and have no mark of
 * errors. LangChain sends other blocks unchanged, which the API refuses.
 */
export const LANGCHAIN_CHAT: ViewedAdapter = {
  name: "`langchainTools` (OpenAI, Chat)",
  run: runLangChainOpenAi(false),
  takes: [],
  marksErrors: false,
  api: CHAT,
  asks: "approve",
  deferred: "call_tool",
};

/** `langchainTools` with Responses: `function_call_output` has texts, images and files (`ResponseFunctionCallOutputItemList`), and no mark of errors. */
export const LANGCHAIN_RESPONSES: ViewedAdapter = {
  name: "`langchainTools` (OpenAI, Responses)",
  run: runLangChainOpenAi(true),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "approve",
  deferred: "call_tool",
};

/** `langchainTools` with Gemini. `@langchain/google/dist/converters/messages.js` writes `{ result }` for each status. */
export const LANGCHAIN_GOOGLE: ViewedAdapter = {
  name: "`langchainTools` (Gemini)",
  run: runLangChainGoogle,
  takes: ["image", "file", "audio"],
  marksErrors: false,
  api: GEMINI,
  asks: "approve",
  deferred: "call_tool",
};

/** `langchainTools` in a graph of LangGraph. */
export const LANGGRAPH: ViewedAdapter = {
  name: "`langchainTools` in LangGraph (Anthropic)",
  run: runLangGraph,
  takes: ["image", "file"],
  marksErrors: false,
  api: MESSAGES,
  asks: "approve",
  deferred: "call_tool",
};
