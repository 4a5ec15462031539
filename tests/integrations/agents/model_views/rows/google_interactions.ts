import { INTERACTIONS } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `googleInteractionsTools`. */
export const GOOGLE_INTERACTIONS: ViewedAdapter = {
  name: "`googleInteractionsTools`",
  run: program("google_interactions.ts", "runGoogleInteractions"),
  takes: ["image", "file", "audio"],
  marksErrors: true,
  api: INTERACTIONS,
  asks: "approve",
  deferred: "call_tool",
};
