import { MCP } from "../apis.ts";
import { runClaude } from "../own_loops.ts";
import type { ViewedAdapter } from "../viewed_adapter.ts";

/** `claudeAgentServer`. */
export const CLAUDE_AGENT: ViewedAdapter = {
  name: "`claudeAgentServer`",
  run: runClaude,
  takes: ["image", "file", "audio"],
  marksErrors: true,
  api: MCP,
  asks: "framework",
  deferred: "host",
};
