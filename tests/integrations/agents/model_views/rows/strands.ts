import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `functionTools` in Strands. */
export const STRANDS: ViewedAdapter = {
  name: "`functionTools`, Strands (Anthropic)",
  run: program("strands.ts", "runStrands", "loops"),
  takes: [],
  marksErrors: false,
  api: MESSAGES,
  asks: "approve",
  deferred: "call_tool",
};
