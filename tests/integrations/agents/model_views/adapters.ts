/** The adapters, in the order of the table. A framework is a file in `rows`, and a line here. */
import { ADK } from "./rows/adk.ts";
import { AI_SDK, AI_SDK_ANTHROPIC, AI_SDK_GOOGLE } from "./rows/ai_sdk.ts";
import { ANTHROPIC } from "./rows/anthropic.ts";
import { ANTHROPIC_RUNNER } from "./rows/anthropic_runner.ts";
import { CLAUDE_AGENT } from "./rows/claude_agent.ts";
import { FUNCTIONS } from "./rows/functions.ts";
import { GOOGLE } from "./rows/google.ts";
import { GOOGLE_INTERACTIONS } from "./rows/google_interactions.ts";
import { LANGCHAIN, LANGCHAIN_CHAT, LANGCHAIN_GOOGLE, LANGCHAIN_RESPONSES, LANGGRAPH } from "./rows/langchain.ts";
import { MASTRA } from "./rows/mastra.ts";
import { OPENAI } from "./rows/openai.ts";
import { OPENAI_AGENTS } from "./rows/openai_agents.ts";
import { OPENAI_FILES } from "./rows/openai_files.ts";
import { OPENAI_RESPONSES } from "./rows/openai_responses.ts";
import { GENKIT } from "./rows/genkit.ts";
import { LLAMAINDEX } from "./rows/llamaindex.ts";
import { STRANDS } from "./rows/strands.ts";
import { TANSTACK, TANSTACK_CHAT, TANSTACK_GOOGLE, TANSTACK_RESPONSES } from "./rows/tanstack.ts";
import type { ViewedAdapter } from "./viewed_adapter.ts";

/** The adapters, in the order of the table. */
export const ADAPTERS: readonly ViewedAdapter[] = [
  OPENAI,
  OPENAI_FILES,
  OPENAI_RESPONSES,
  ANTHROPIC,
  ANTHROPIC_RUNNER,
  GOOGLE,
  GOOGLE_INTERACTIONS,
  AI_SDK,
  AI_SDK_ANTHROPIC,
  AI_SDK_GOOGLE,
  LANGCHAIN,
  LANGCHAIN_CHAT,
  LANGCHAIN_RESPONSES,
  LANGCHAIN_GOOGLE,
  LANGGRAPH,
  OPENAI_AGENTS,
  ADK,
  MASTRA,
  TANSTACK,
  TANSTACK_RESPONSES,
  TANSTACK_CHAT,
  TANSTACK_GOOGLE,
  CLAUDE_AGENT,
  FUNCTIONS,
  STRANDS,
  LLAMAINDEX,
  GENKIT,
];
