import { RESPONSES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `openaiAgentsTools`. */
export const OPENAI_AGENTS: ViewedAdapter = {
  name: "`openaiAgentsTools`",
  run: program("openai_agents.ts", "runOpenAiAgents"),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "framework",
  deferred: "loads",
};
