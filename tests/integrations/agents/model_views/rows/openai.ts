import { CHAT } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `openaiTools`. */
export const OPENAI: ViewedAdapter = {
  name: "`openaiTools`",
  run: program("openai.ts", "runOpenAi"),
  takes: [],
  marksErrors: false,
  api: CHAT,
  asks: "approve",
  deferred: "call_tool",
};
