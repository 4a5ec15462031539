import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `mastraTools` (Anthropic). */
export const MASTRA: ViewedAdapter = {
  name: "`mastraTools` (Anthropic)",
  run: program("mastra.ts", "runMastra"),
  takes: ["image", "file"],
  marksErrors: true,
  api: MESSAGES,
  asks: "framework",
  deferred: "call_tool",
};
