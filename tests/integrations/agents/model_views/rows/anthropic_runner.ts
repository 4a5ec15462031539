import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** The tools of `anthropicTools` in the tool runner of Anthropic's package. */
export const ANTHROPIC_RUNNER: ViewedAdapter = {
  name: "`anthropicTools`, tool runner",
  run: program("anthropic_runner.ts", "runAnthropicRunner"),
  takes: ["image", "file"],
  marksErrors: true,
  api: MESSAGES,
  asks: "approve",
  deferred: "loads",
};
