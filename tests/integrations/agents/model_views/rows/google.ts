import { GEMINI } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `googleTools`. */
export const GOOGLE: ViewedAdapter = {
  name: "`googleTools`",
  run: program("google_genai.ts", "runGoogle"),
  takes: ["image", "file"],
  marksErrors: true,
  api: GEMINI,
  asks: "approve",
  deferred: "call_tool",
};
