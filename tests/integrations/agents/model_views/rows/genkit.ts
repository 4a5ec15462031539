import { CHAT } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `functionTools` in Genkit. */
export const GENKIT: ViewedAdapter = {
  name: "`functionTools`, Genkit",
  run: program("genkit.ts", "runGenkit", "loops"),
  takes: [],
  marksErrors: false,
  api: CHAT,
  asks: "approve",
  deferred: "call_tool",
};
