/**
 * The Claude Agent SDK, with the tools of any server. It runs the program Claude Code, which its package brings as an optional one of
 * 360 MB: `npm install --include=optional` in this folder.
 *
 * @module
 */
import { query } from "@anthropic-ai/claude-agent-sdk";
import { type AgentSource, type ClaudeAgentOptions, claudeAgentServer } from "jsr:@toolwire/toolwire/agents";
import process from "node:process";
import { startAnthropic } from "./scripted/anthropic.ts";
import { requestsOf } from "./scripted/loopback.ts";
import type { Script } from "./scripted/script.ts";

/** What is not the same for each user. */
interface Place {
  /** Path of the program Claude Code; the SDK finds its own. */
  readonly program?: string;
  /** Home directory of the program. */
  readonly home: string;
  /** Names of the tools that a person was asked for. */
  readonly asked?: string[];
  /** Bodies of the requests to the model. */
  readonly requests?: object[];
}

/** Lets the model call tools until it has an answer. */
export async function runClaudeAgent(
  source: AgentSource,
  script: Script,
  options: ClaudeAgentOptions,
  { program, home, asked, requests }: Place,
): Promise<string> {
  const server = await claudeAgentServer(source, { ...options, name: "agency" });
  // A hosted model needs no more than a key.
  const named = script.map((calls) => calls.map((call) => ({ ...call, name: `mcp__agency__${call.name}` })));
  const service = await startAnthropic(named);
  try {
    const messages = query({
      prompt: "Plan a weekend in Paris",
      options: {
        mcpServers: { agency: server },
        tools: [],
        settingSources: [],
        model: "claude-sonnet-4-5",
        maxTurns: 12,
        canUseTool: (name, input) => {
          asked?.push(name);
          return Promise.resolve({ behavior: "allow", updatedInput: input });
        },
        allowedTools: ["mcp__agency"],
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          ANTHROPIC_BASE_URL: service.url,
          ANTHROPIC_API_KEY: "none",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
        ...(program !== undefined && { pathToClaudeCodeExecutable: program }),
      },
    });
    let answer = "";
    for await (const message of messages) {
      if (message.type === "result" && message.subtype === "success") answer = message.result;
    }
    return answer;
  } finally {
    requests?.push(...requestsOf(named));
    await service.close();
  }
}
