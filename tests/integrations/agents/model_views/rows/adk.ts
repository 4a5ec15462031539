import { GEMINI } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `adkTools`. */
export const ADK: ViewedAdapter = {
  name: "`adkTools`",
  run: program("adk.ts", "runAdk"),
  takes: ["image", "file", "audio"],
  marksErrors: true,
  api: GEMINI,
  asks: "framework",
  deferred: "call_tool",
};
