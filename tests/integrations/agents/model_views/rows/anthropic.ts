import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `anthropicTools`. */
export const ANTHROPIC: ViewedAdapter = {
  name: "`anthropicTools`",
  run: program("anthropic.ts", "runAnthropic"),
  takes: ["image", "file"],
  marksErrors: true,
  api: MESSAGES,
  asks: "approve",
  deferred: "loads",
};
