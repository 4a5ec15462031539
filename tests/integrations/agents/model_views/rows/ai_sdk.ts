import { RESPONSES } from "../apis.ts";
import { program, type ViewedAdapter } from "../viewed_adapter.ts";

/** `aiSdkTools` (OpenAI). */
export const AI_SDK: ViewedAdapter = {
  name: "`aiSdkTools` (OpenAI)",
  run: program("ai_sdk.ts", "runAiSdk"),
  takes: ["image", "file"],
  marksErrors: false,
  api: RESPONSES,
  asks: "framework",
  deferred: "loads",
};
