import { CHAT } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `functionTools` in LlamaIndex. */
export const LLAMAINDEX: ViewedAdapter = {
  name: "`functionTools`, LlamaIndex",
  run: program("llamaindex.ts", "runLlamaIndex", "loops"),
  takes: [],
  marksErrors: false,
  api: CHAT,
  asks: "approve",
  deferred: "call_tool",
};
