import { MCP } from "../apis.ts";
import { runFunctions } from "../own_loops.ts";
import type { ViewedAdapter } from "../viewed_adapter.ts";

/** `functionTools`. */
export const FUNCTIONS: ViewedAdapter = {
  name: "`functionTools`",
  run: runFunctions,
  takes: ["image", "file"],
  marksErrors: false,
  api: MCP,
  asks: "approve",
  deferred: "call_tool",
};
