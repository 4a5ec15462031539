import { CHAT, GEMINI, MESSAGES, RESPONSES } from "../apis.ts";
import { runLangChainGoogle, runLangChainOpenAi, runLangGraph } from "../langchain_models.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `langchainTools` (Anthropic). */
export const LANGCHAIN: ViewedAdapter = {
  name: "`langchainTools` (Anthropic)",
  run: program("langchain.ts", "runLangChain"),
  takes: ["image", "file"],
  marksErrors: false,
  api: MESSAGES,
  asks: "approve",
  deferred: "call_tool",
};

/** `langchainTools` with Chat Completions, whose messages of tools are texts. */
export const LANGCHAIN_CHAT: ViewedAdapter = {
  name: "`langchainTools` (OpenAI, Chat)",
  run: runLangChainOpenAi(false),
  takes: [],
  marksErrors: false,
  api: CHAT,
  asks: "approve",
  deferred: "call_tool",
};

/** `langchainTools` with Responses. */
export const LANGCHAIN_RESPONSES: ViewedAdapter = {
  name: "`langchainTools` (OpenAI, Responses)",
  run: runLangChainOpenAi(true),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "approve",
  deferred: "call_tool",
};

/** `langchainTools` with Gemini. */
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
