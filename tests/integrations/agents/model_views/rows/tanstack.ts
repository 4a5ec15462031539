import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `tanstackTools` (Anthropic). `@tanstack/ai-anthropic/dist/esm/adapters/text.js` writes `tool_result` without `is_error`. */
export const TANSTACK: ViewedAdapter = {
  name: "`tanstackTools` (Anthropic)",
  run: program("tanstack.ts", "runTanStack"),
  takes: ["image", "file"],
  marksErrors: false,
  api: MESSAGES,
  asks: "framework",
  deferred: "two",
};
