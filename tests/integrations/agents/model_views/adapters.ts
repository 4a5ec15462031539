/** The adapters, each with the loop of its vendor's package, and the interface through which it reaches the vendor. */
import type { AgentSource } from "../../../../src/integrations/agents/mod.ts";
import { loadExample, type RunAgent, type Script } from "../frameworks.ts";
import { CHAT, GEMINI, type JsonRecord, MCP, MESSAGES, RESPONSES } from "./apis.ts";
import type { AdapterTraits } from "./cases.ts";
import { runClaude, runFunctions } from "./own_loops.ts";

/** An adapter. */
export interface ViewedAdapter extends AdapterTraits {
  /** Name in the table. */
  readonly name: string;
  /** Runs an agent with a script; returns the bodies of its requests. */
  readonly run: (source: AgentSource, script: Script, options: object) => Promise<readonly JsonRecord[]>;
}

/** The adapters, in the order of the table. */
export const ADAPTERS: readonly ViewedAdapter[] = [
  {
    name: "`openaiTools`",
    run: program("openai.ts", "runOpenAi"),
    takes: [],
    marksErrors: false,
    api: CHAT,
    asks: "approve",
    deferred: "call_tool",
  },
  {
    name: "`openaiResponsesTools`",
    run: program("openai_responses.ts", "runOpenAiResponses"),
    takes: ["image", "file"],
    marksErrors: false,
    api: RESPONSES,
    asks: "approve",
    deferred: "loads",
  },
  {
    name: "`anthropicTools`",
    run: program("anthropic.ts", "runAnthropic"),
    takes: ["image", "file"],
    marksErrors: true,
    api: MESSAGES,
    asks: "approve",
    deferred: "loads",
  },
  {
    name: "`googleTools`",
    run: program("google_genai.ts", "runGoogle"),
    takes: ["image", "file"],
    marksErrors: true,
    api: GEMINI,
    asks: "approve",
    deferred: "call_tool",
  },
  {
    name: "`aiSdkTools` (OpenAI)",
    run: program("ai_sdk.ts", "runAiSdk"),
    takes: ["image", "file"],
    marksErrors: false,
    api: RESPONSES,
    asks: "framework",
    deferred: "loads",
  },
  {
    name: "`langchainTools` (Anthropic)",
    run: program("langchain.ts", "runLangChain"),
    takes: ["image"],
    marksErrors: false,
    api: MESSAGES,
    asks: "approve",
    deferred: "call_tool",
  },
  {
    name: "`openaiAgentsTools`",
    run: program("openai_agents.ts", "runOpenAiAgents"),
    takes: ["image", "file"],
    marksErrors: false,
    api: RESPONSES,
    asks: "framework",
    deferred: "call_tool",
  },
  {
    name: "`adkTools`",
    run: program("adk.ts", "runAdk"),
    takes: [],
    marksErrors: true,
    api: GEMINI,
    asks: "framework",
    deferred: "call_tool",
  },
  {
    name: "`mastraTools` (Anthropic)",
    run: program("mastra.ts", "runMastra"),
    takes: ["image", "file"],
    marksErrors: true,
    api: MESSAGES,
    asks: "framework",
    deferred: "call_tool",
  },
  {
    name: "`tanstackTools` (Anthropic)",
    run: program("tanstack.ts", "runTanStack"),
    takes: ["image", "file"],
    marksErrors: false,
    api: MESSAGES,
    asks: "framework",
    deferred: "two",
  },
  {
    name: "`claudeAgentServer`",
    run: runClaude,
    takes: ["image", "file", "audio"],
    marksErrors: true,
    api: MCP,
    asks: "framework",
    deferred: "host",
  },
  {
    name: "`functionTools`",
    run: runFunctions,
    takes: ["image", "file"],
    marksErrors: false,
    api: MCP,
    asks: "approve",
    deferred: "call_tool",
  },
];

/** A program of the example: its service remembers the requests. */
function program(file: string, exported: string): ViewedAdapter["run"] {
  return async (source, script, options) => {
    const run = await loadExample(file, exported) as RunAgent;
    const requestsOf = await loadExample("scripted/loopback.ts", "requestsOf") as RequestsOf;
    await run(source, script, options);
    return requestsOf(script);
  };
}

type RequestsOf = (script: Script) => readonly JsonRecord[];
