import { MESSAGES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `tanstackTools` (Anthropic). */
export const TANSTACK: ViewedAdapter = {
  name: "`tanstackTools` (Anthropic)",
  run: program("tanstack.ts", "runTanStack"),
  takes: ["image", "file"],
  marksErrors: false,
  api: MESSAGES,
  asks: "framework",
  deferred: "two",
};
