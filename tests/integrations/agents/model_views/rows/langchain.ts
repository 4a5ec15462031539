import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `langchainTools` (Anthropic). */
export const LANGCHAIN: ViewedAdapter = {
  name: "`langchainTools` (Anthropic)",
  run: program("langchain.ts", "runLangChain"),
  takes: ["image"],
  marksErrors: false,
  api: MESSAGES,
  asks: "approve",
  deferred: "call_tool",
};
